public import MetronomeModel
public import MusicalTime

/// Whose tempo and phase hold between us and a session of Ableton Link: what is told to the session
/// and when, and what of the session's is taken here.
///
/// Link itself has no leader: whoever changes something last has it, and after a broken network
/// either side may win. Here `lead` keeps ours, `follow` takes theirs, and `peer` takes theirs, but
/// keeps what people here hear across a break of under ten seconds.
///
/// A value: time is an argument.
/// - Thread: control
public struct LinkPolicy: Sendable {
  /// What is to be done or told.
  public enum Action: Equatable, Sendable {
    case order(LinkOrder)
    /// The session's tempo, or a little off it while our beats are led to the session's.
    case tempo(Tempo)
    /// Leave at this bar line and go on with the same bar at an instant at which the session has the
    /// phase, the first that is `LinkPolicy.jumpLead` away.
    case jump(to: MonotonicTime)
    /// Somebody in the session has started or stopped.
    case start
    case stop
    case note(LinkNote)
  }

  /// What is true here.
  public struct Own: Equatable, Sendable {
    public var tempo: Tempo
    public var isRunning: Bool
    public var hasRamp: Bool

    public init(tempo: Tempo, isRunning: Bool, hasRamp: Bool = false) {
      self.tempo = tempo
      self.isRunning = isRunning
      self.hasRamp = hasRamp
    }
  }

  /// Nanoseconds alone after which a session that comes back is another one.
  public static let longestBreak: Int64 = 10_000_000_000
  /// Nanoseconds for which we insist on ours after a break.
  static let insisting: Int64 = 2_000_000_000
  /// Nanoseconds in which a session is found on a bad network (0.74 s was measured): until then being
  /// alone says nothing.
  public static let settling: Int64 = 1_500_000_000
  /// Nanoseconds that a tempo of ours may take to become the session's.
  static let telling: Int64 = 3_000_000_000
  /// Nanoseconds that a jump is known ahead: more than the lead-in of a Continue.
  public static let jumpLead: Int64 = 300_000_000
  /// Beats in a row with the same take-over, which is somebody else who leads.
  static let contested = 8

  public private(set) var mode: LinkMode
  public private(set) var view: LinkView?
  /// Nanoseconds by which our newest beat is early against the session's; nil where nothing plays.
  public private(set) var offset: Double?
  /// Two lead this session and the other one was there first.
  public private(set) var yields = false

  private var sharesPlaying = false
  private var joinedAt = MonotonicTime.distantFuture
  private var hadPeersAtFirst = false
  private var aloneSince: MonotonicTime?
  private var insistsUntil = MonotonicTime.distantPast
  /// Microseconds a quarter of the session that we play by; nil where we do not.
  private var followed: Int64?
  private var changedAt = MonotonicTime.distantPast
  /// What was asked of the engine last.
  private var asked: Tempo?
  /// What somebody here has asked for, until it is the session's.
  private var wish: (tempo: Tempo, since: MonotonicTime)?
  private var lastWish: Tempo?
  // A hundredth of a millisecond is what the session's line itself is good for on a cable; 80 ppm
  // are 0.04 ms a beat at 120, which nobody hears.
  private var leadBack = LeadBack(tolerance: 40_000, near: 10_000, mostCreeping: 80e-6)
  private var appliedDrift = 0.0
  private var lastTakeOver: (found: Int64, count: Int, beats: Int)?

  public init(mode: LinkMode) { self.mode = mode }

  public var peers: Int { view?.peers ?? 0 }

  /// Whether tempo and phase are the session's at this moment.
  public func follows(_ own: Own, now: MonotonicTime) -> Bool {
    guard peers > 0 else { return false }
    switch mode {
    case .off: return false
    case .follow: return true
    case .peer: return now >= insistsUntil && !own.hasRamp
    case .lead: return yields
    }
  }

  private func claim(_ own: Own, now: MonotonicTime) -> LinkClaim {
    if mode == .lead, !yields { return [.tempo, .phase, .leads] }
    if peers == 0 {
      return now.nanoseconds(since: joinedAt) >= LinkPolicy.settling
        ? [.tempo, .phase, .whileAlone] : []
    }
    guard mode == .peer else { return [] }
    if now < insistsUntil || own.hasRamp { return [.tempo, .phase] }
    return wish == nil ? [] : .tempo
  }

  // MARK: Settings

  public mutating func change(mode newMode: LinkMode, sharesPlaying shares: Bool) {
    sharesPlaying = shares
    guard newMode != mode else { return }
    // Who left by intention comes back as anybody does.
    aloneSince = nil
    hadPeersAtFirst = false
    mode = newMode
    yields = false
    followed = nil
    asked = nil
    wish = nil
    insistsUntil = .distantPast
    lastTakeOver = nil
    leadBack.reset()
  }

  /// `tactus-link` has ended: it comes back and joins anew.
  public mutating func lost(now: MonotonicTime) {
    if peers > 0, mode != .off { aloneSince = now }
    view = nil
    offset = nil
    joinedAt = .distantFuture
    followed = nil
  }

  // MARK: The session

  public mutating func take(
    _ newView: LinkView, _ own: Own, now: MonotonicTime
  ) -> [Action] {
    var actions: [Action] = []
    let old = view
    view = newView
    if old == nil { joinedAt = now }
    takePeers(from: old?.peers ?? 0, own, now, &actions)
    if sharesPlaying, let old, old.isPlaying != newView.isPlaying,
      newView.isPlaying != own.isRunning
    {
      actions.append(newView.isPlaying ? .start : .stop)
    }
    if follows(own, now: now) {
      takeTempo(newView, own, now, &actions)
    } else {
      followed = nil
      if !own.isRunning {
        let claim = claim(own, now: now)
        let length = LinkMultiple(own.tempo).quarterMicroseconds
        if claim.contains(.tempo), newView.quarterMicroseconds != length {
          actions.append(.order(.tempo(quarterMicroseconds: length, claim)))
        }
      }
    }
    return actions
  }

  private mutating func takePeers(
    from before: Int, _ own: Own, _ now: MonotonicTime, _ actions: inout [Action]
  ) {
    guard peers != before else { return }
    if peers == 0 {
      aloneSince = now
      offset = nil
      leadBack.reset()
      actions.append(.note(.alone))
    } else if before == 0 {
      if now.nanoseconds(since: joinedAt) < LinkPolicy.settling { hadPeersAtFirst = true }
      leadBack.reset()
      let isBack = aloneSince.map { now.nanoseconds(since: $0) < LinkPolicy.longestBreak } ?? false
      if mode == .peer, isBack, own.isRunning {
        insistsUntil = now.advanced(byNanoseconds: LinkPolicy.insisting)
        actions.append(.note(.kept(own.tempo)))
      } else {
        actions.append(.note(.joined(peers: peers, quarterMicroseconds: length)))
      }
    } else {
      actions.append(.note(.peers(peers)))
    }
    yields = false
    lastTakeOver = nil
  }

  private var length: Int64 { view?.quarterMicroseconds ?? 0 }

  private mutating func takeTempo(
    _ view: LinkView, _ own: Own, _ now: MonotonicTime, _ actions: inout [Action]
  ) {
    if let wish {
      if LinkMultiple(wish.tempo).quarterMicroseconds == view.quarterMicroseconds
        || now.nanoseconds(since: wish.since) > LinkPolicy.telling
      {
        self.wish = nil
      } else {
        return
      }
    }
    if followed != view.quarterMicroseconds {
      followed = view.quarterMicroseconds
      changedAt = now
      leadBack.leaderChanged()
      ask(factor: 1, own, &actions)
    } else if own.tempo != asked {
      // A preset or a song has another one.
      ask(factor: 1, own, &actions)
    }
  }

  private mutating func ask(factor: Double, _ own: Own, _ actions: inout [Action]) {
    guard let followed,
      let tempo = sessionTempo(followed, stretchedBy: (1 + appliedDrift) / factor),
      tempo != own.tempo || tempo != asked
    else { return }
    asked = tempo
    actions.append(.tempo(tempo))
  }

  /// The session's tempo, shown as it was asked for where somebody here has asked for it.
  private func sessionTempo(_ microseconds: Int64, stretchedBy share: Double) -> Tempo? {
    guard let exact = QuarterLength(microseconds: Int(microseconds)) else { return nil }
    var shown = exact.shownThousandths
    if let lastWish, LinkMultiple(lastWish).quarterMicroseconds == microseconds,
      LinkMultiple(lastWish).factor == 1
    {
      shown = lastWish.quarterThousandths
    }
    guard let shown else { return nil }
    guard share != 1 else { return Tempo(exact, shown: shown) }
    let bent = (Double(exact.microseconds256) * share).rounded()
    return Tempo(QuarterLength(microseconds256: UInt32(bent)), shown: shown)
  }

  // MARK: Ours

  /// The tempo in force is another: the session's, or what somebody here asked for.
  public mutating func tempoChanged(_ own: Own, now: MonotonicTime) -> [Action] {
    guard mode != .off, own.tempo != asked else { return [] }
    lastWish = own.tempo
    guard follows(own, now: now) else {
      let claim = claim(own, now: now)
      guard !own.isRunning, claim.contains(.tempo) else { return [] }
      return [
        .order(.tempo(quarterMicroseconds: LinkMultiple(own.tempo).quarterMicroseconds, claim))
      ]
    }
    guard mode == .peer else { return [] }
    wish = (own.tempo, now)
    asked = own.tempo
    guard !own.isRunning else { return [] }
    return [
      .order(.tempo(quarterMicroseconds: LinkMultiple(own.tempo).quarterMicroseconds, .tempo))
    ]
  }

  /// A beat of ours as it is announced.
  ///
  /// - Parameters:
  ///   - phase: quarters since the quantum's first one.
  ///   - drift: the share by which the sound card is fast.
  public mutating func take(
    _ beat: OwnBeat, _ own: Own, drift: Double, now: MonotonicTime
  ) -> [Action] {
    guard mode != .off, let view else { return [] }
    var actions: [Action] = []
    lastTakeOver?.beats += 1
    if let order = order(beat, own, now) { actions.append(.order(order)) }
    guard follows(own, now: now), wish == nil, followed != nil else {
      offset = peers > 0 ? view.error(of: beat.due, phase: beat.phase) : nil
      return actions
    }
    let error = view.error(of: beat.due, phase: beat.phase)
    offset = error
    let quarter = Double(view.quarterMicroseconds) * 1000
    guard abs(error) < quarter / 8 else {
      // Another beat, or far from any: no bending leads there in a bearable time.
      leadBack.leaderChanged()
      if beat.isBarLine {
        let away = now.advanced(byNanoseconds: LinkPolicy.jumpLead)
        actions.append(.jump(to: view.next(phase: beat.phase, notBefore: away)))
      }
      return actions
    }
    if abs(drift - appliedDrift) > 1.5e-6 { appliedDrift = (drift * 1e6).rounded() / 1e6 }
    let factor = leadBack.factor(
      error: error, quarter: quarter, deviation: 0,
      age: Double(now.nanoseconds(since: changedAt)), atBeat: true)
    ask(factor: factor, own, &actions)
    return actions
  }

  private mutating func order(_ beat: OwnBeat, _ own: Own, _ now: MonotonicTime) -> LinkOrder? {
    var claim = claim(own, now: now)
    // A wish is told at the first beat that has it.
    if claim == .tempo, beat.quarterThousandths != wish?.tempo.quarterThousandths { claim = [] }
    guard !claim.isEmpty else { return nil }
    let isSteady = !own.hasRamp && own.tempo.quarterThousandths == beat.quarterThousandths
    let multiple =
      isSteady
      ? LinkMultiple(own.tempo) : LinkMultiple(quarterThousandths: beat.quarterThousandths)
    return LinkBeat(
      at: beat.due, phase: beat.phase * Double(multiple.factor),
      quantum: beat.quantum * Double(multiple.factor),
      quarterMicroseconds: multiple.quarterMicroseconds, claim: claim
    ).map { .beat($0) }
  }

  /// Music begins or ends here.
  public func playing(_ isOn: Bool, at time: MonotonicTime) -> [Action] {
    guard mode != .off, sharesPlaying, view?.isPlaying != isOn else { return [] }
    return [.order(.playing(isOn, at: time))]
  }

  /// Somebody else's tempo or phase was put back.
  public mutating func putBack(_ other: LinkTakeOver) -> [Action] {
    guard mode == .lead else { return [] }
    let isSame = lastTakeOver.map { $0.found == other.foundMicroseconds && $0.beats <= 2 } ?? false
    let count = isSame ? (lastTakeOver?.count ?? 0) + 1 : 1
    lastTakeOver = (other.foundMicroseconds, count, 0)
    guard count != LinkPolicy.contested else {
      yields = hadPeersAtFirst
      return [.note(.contested(yields: yields))]
    }
    return count == 1 ? [.note(.putBack(other))] : []
  }
}

/// A beat of ours on its way to the session.
///
/// - Thread: control
public struct OwnBeat: Equatable, Sendable {
  /// When it is heard.
  public var due: MonotonicTime
  /// Quarters since the quantum's first one.
  public var phase: Double
  /// Quarters.
  public var quantum: Double
  public var quarterThousandths: Int32
  public var isBarLine: Bool

  public init(
    due: MonotonicTime, phase: Double, quantum: Double, quarterThousandths: Int32, isBarLine: Bool
  ) {
    self.due = due
    self.phase = phase
    self.quantum = quantum
    self.quarterThousandths = quarterThousandths
    self.isBarLine = isBarLine
  }
}
