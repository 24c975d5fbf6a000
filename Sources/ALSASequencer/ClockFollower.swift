public import MusicalTime

/// Follows another's MIDI clock: what jitters in is steady out.
///
/// `LeaderLine` says where the leader's pulses are due, `LeadBack` how our beats come to them. What
/// comes out are a tempo, the instants at which places of the song are due, and what the leader's
/// transport says; the clicks stay on the sample grid.
///
/// A value: time is an argument.
/// - Thread: control
public struct ClockFollower: Sendable {
  /// What is to be done or told.
  public enum Report: Equatable, Sendable {
    /// The tempo to play at, in quarter notes a minute: the leader's, or a little off it while our
    /// beats are led to the leader's.
    case tempo(Double)
    /// Be at this place of the song (a whole quarter, in pulses) at this instant, and roll.
    case join(songPulse: Int64, at: MonotonicTime)
    case stop
    /// While stopped: the leader's next Continue will be from here.
    case locate(songPulse: Int64)
    /// Pulses have ended; the tempo is held.
    case lost(Double)
    case found(Double)
  }

  /// Pulses before a tempo is given.
  public static let enough = 24
  /// Nanoseconds that a join is known ahead: more than the lead-in of a Continue.
  public static let joinLead: Int64 = 300_000_000

  private enum Transport: Sendable { case stopped, awaiting, rolling }

  private var line = LeaderLine()
  private var leadBack = LeadBack()
  private var last = MonotonicTime.distantPast
  private var heard = 0
  private var isLost = false
  /// The leader's tempo as it was last reported, and what was asked for.
  private var reported = 0.0
  private var asked = 0.0
  /// Since when the tempo has been steady, and the pulses since then.
  private var steady: (since: MonotonicTime, pulses: Int64)?
  /// Our newest pulse.
  private var own: (songPulse: Int64, due: MonotonicTime)?

  private var transport = Transport.stopped
  /// The song's place of the newest pulse; the next F8 after FA is 0.
  private var songPulse: Int64 = -1

  public init() {}

  public var missedPulses: Int64 { line.missed }
  public var doubledPulses: Int64 { line.doubled }

  /// The leader's tempo in quarter notes a minute; 0 before it is known.
  public var tempo: Double {
    line.isOpen && heard >= ClockFollower.enough ? 60e9 / 24 / line.interval : 0
  }

  public var isRolling: Bool { transport == .rolling }

  /// When a place of the song is due by the leader's clock.
  public func instant(ofSongPulse pulse: Int64) -> MonotonicTime {
    line.instant(pulsesAhead: pulse &- songPulse)
  }

  // MARK: Messages

  /// An F8 has arrived.
  public mutating func clock(at time: MonotonicTime) -> [Report] {
    var reports: [Report] = []
    if isLost {
      isLost = false
      // Where it was away for long, the line places it anew.
      reports.append(.found(tempo))
      steady = nil
    }
    last = time
    var isChanged = false
    switch line.take(time) {
    case .opening:
      heard = line.weight
      advance(1)
      return reports
    case .followed(let pulses):
      heard += 1
      advance(pulses)
      note(pulses)
    case .doubled: break
    case .changed(let pulses):
      isChanged = true
      heard += 1
      advance(pulses)
      steady = nil
    }
    report(isChanged: isChanged, &reports)
    return reports
  }

  /// FA: the next F8 is the first of the song.
  public mutating func start() -> [Report] {
    songPulse = -1
    return awaitPlace()
  }

  /// FB: the next F8 is at the place that was named, or where the song stopped.
  public mutating func resume() -> [Report] { awaitPlace() }

  /// A leader whose clock runs while it is stopped begins a new grid with its next pulse, at its own
  /// tempo.
  private mutating func awaitPlace() -> [Report] {
    transport = .awaiting
    own = nil
    leadBack.reset()
    if line.interval * Double(line.weight) >= 2e9 {
      line.beginGrid()
      steady = nil
    }
    return []
  }

  public mutating func stop() -> [Report] {
    transport = .stopped
    own = nil
    leadBack.reset()
    return [.stop]
  }

  /// F2, in MIDI beats; obeyed while stopped, as the standard has it.
  public mutating func songPosition(_ beats: UInt16) -> [Report] {
    guard transport == .stopped else { return [] }
    songPulse = Int64(beats) * 6 - 1
    return [.locate(songPulse: Int64(beats) * 6)]
  }

  /// Called now and then: notices that pulses have ended.
  public mutating func check(now: MonotonicTime) -> [Report] {
    // Eight pulses, and never less than a quarter of a second.
    let patience = max(line.interval * 8, 250_000_000)
    guard heard >= ClockFollower.enough, !isLost,
      Double(now.nanoseconds(since: last)) > patience
    else { return [] }
    isLost = true
    leadBack.reset()
    // What was told is what is held, and not what led back to it.
    defer { asked = reported }
    return asked == reported ? [.lost(reported)] : [.tempo(reported), .lost(reported)]
  }

  /// Compares a pulse of ours with the leader's.
  ///
  /// - Parameters:
  ///   - pulse: its place in the song; `due` is when it will be heard.
  ///   - isBeat: whether it is a beat: where none is, it is remembered only.
  public mutating func compare(
    songPulse pulse: Int64, due: MonotonicTime, isBeat: Bool = true
  ) -> [Report] {
    guard transport == .rolling, !isLost, tempo > 0, reported > 0 else { return [] }
    own = (pulse, due)
    return isBeat ? ask(atBeat: true) : []
  }

  // MARK: The tempo to play at

  private mutating func ask(atBeat: Bool) -> [Report] {
    var wanted = reported
    // Half a quarter off is another beat, and no matter of phase.
    if let own, transport == .rolling,
      case let error = Double(instant(ofSongPulse: own.songPulse).nanoseconds(since: own.due)),
      abs(error) < line.interval * 12
    {
      wanted *= leadBack.factor(
        error: error, quarter: line.interval * 24, deviation: line.phaseDeviation, age: line.age,
        atBeat: atBeat)
    }
    wanted = (min(max(wanted, 5), 999) * 1000).rounded() / 1000
    guard wanted != asked else { return [] }
    asked = wanted
    return [.tempo(wanted)]
  }

  private mutating func advance(_ pulses: Int64) {
    if transport == .stopped { return }
    songPulse += pulses
  }

  private mutating func note(_ pulses: Int64) {
    guard line.placing == nil, line.age > 2e9 else { return }
    steady = steady.map { ($0.since, $0.pulses + pulses) } ?? (line.instant(pulsesAhead: 0), 0)
  }

  /// The leader's tempo, and the share of it by which it may be wrong.
  ///
  /// Over a few seconds the line's own interval is the best there is; from then on the distance
  /// between two filtered instants, which the line's wavering touches at its ends only.
  private mutating func estimate() -> (tempo: Double, doubt: Double) {
    if let steady, line.age >= 4e9 {
      let span = Double(line.instant(pulsesAhead: 0).nanoseconds(since: steady.since))
      let mean = span / Double(max(steady.pulses, 1))
      // Further off than the line wavers, the leader has drifted since then.
      let wavering = max(6 * line.intervalDeviation, 0.000_05)
      if span >= 4e9, abs(mean - line.interval) < line.interval * wavering {
        // Both ends within a third of a millisecond, with six of those in hand.
        return (60e9 / 24 / mean, max(2e6 / span, 0.000_02))
      }
      if span >= 4e9 { self.steady = nil }
    }
    return (tempo, max(3 * line.intervalDeviation, 0.000_02))
  }

  private mutating func report(isChanged: Bool, _ reports: inout [Report]) {
    guard heard >= ClockFollower.enough else { return }
    let (now, doubt) = estimate()
    if isChanged, reported > 0 { leadBack.leaderChanged() }
    // What the line itself still wavers by is no change.
    if reported == 0 || isChanged || (line.placing == nil && abs(now - reported) > now * doubt) {
      reported = (now * 1000).rounded() / 1000
      reports += ask(atBeat: false)
    }
    guard transport == .awaiting, songPulse >= 0 else { return }
    // The first whole quarter that leaves time to get there.
    let ahead = Int64((Double(ClockFollower.joinLead) / line.interval).rounded(.up))
    let quarter = (songPulse + ahead + 23) / 24 * 24
    // As long as a pulse more costs no quarter, it is one more to know the grid by.
    if line.placing != nil, (songPulse + 1 + ahead + 23) / 24 * 24 == quarter { return }
    transport = .rolling
    reports.append(.join(songPulse: quarter, at: instant(ofSongPulse: quarter)))
  }
}
