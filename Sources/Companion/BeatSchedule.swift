internal import MetronomeModel

/// Which beats are still to be fired, from announcements that may come late, twice, out of order
/// or not at all.
///
/// Each beat fires at its own announced instant, never so long after the previous one, so that
/// nothing is added up. When the daemon falls silent without having stopped, the pulse goes on for
/// a few beats at the last tempo, ever fainter, and then rests.
///
/// - Unit: instants of the daemon's clock, in nanoseconds
/// - Thread: any; time is an argument
public struct BeatSchedule: Sendable {
  /// What fires, and how.
  public struct Firing: Equatable, Sendable {
    public var beat: AnnouncedBeat
    /// 1 for an announced beat; less for one that is only presumed.
    public var strength: Double
    public var isPresumed: Bool
    /// How bright, how hard, 0 to 1: the accent's, fainter where it is only presumed.
    public var intensity: Double {
      switch beat.accent {
      case .strong: strength
      case .normal: 0.6 * strength
      case .soft, .silent: 0.3 * strength
      }
    }
  }

  /// Beats that are presumed after the last announced one.
  public var heldBeats: Int
  /// Nanoseconds: a whole note at 5 quarters a minute takes 48 s; nothing longer is a beat.
  static let longestInterval: Int64 = 60_000_000_000
  /// A beat that is fired later than this, in nanoseconds, disturbs more than it helps.
  public let tolerance: Int64 = 4_000_000
  /// A bar that is muted as an exercise is not felt either.
  public var skipsMutedBars = true
  public private(set) var counters = Counters()

  public struct Counters: Equatable, Sendable {
    public var announced = 0
    public var repeated = 0
    public var missing = 0
    public var cancelled = 0
    public var late = 0
    /// Those of the late ones that were heard of only after their instant.
    public var tardy = 0
    public var presumed = 0
    /// Those whose instant had passed when the daemon's clock became known.
    public var unclocked = 0
    public init() {}
  }

  private var waiting: [AnnouncedBeat] = []
  private var run: Int32?
  private var newestSequence: Int32 = 0
  private var seen: Set<Int32> = []
  /// Sequence numbers from here on are void while their instants lie before `voidUntil`.
  private var voidFrom: Int32?
  /// The last one that was announced when it was cancelled, where the daemon says it.
  private var voidThrough: Int32?
  private var voidUntil: Int64 = 0
  private var last: AnnouncedBeat?
  /// From one beat to the next as last heard; 0 before the first.
  public private(set) var interval: Int64 = 0
  private var presumedCount = 0
  private var presumedFiredDue: Int64?
  private var isStopped = true

  /// A daemon that restarts knows another run; what was said of the old one is void.
  public init(heldBeats: Int = 8) { self.heldBeats = heldBeats }

  /// Takes an announcement; a repeated one changes nothing.
  ///
  /// - Parameter now: the daemon's clock, where it is known.
  public mutating func take(_ beat: AnnouncedBeat, now: Int64? = nil) {
    if beat.run != run { begin(run: beat.run) }
    guard seen.insert(beat.sequence).inserted else {
      counters.repeated += 1
      return
    }
    forgetOldSequences(beat.sequence)
    counters.announced += 1
    let step = beat.sequence &- newestSequence
    if newestSequence != 0, step > 1, step < 10_000 { counters.missing += Int(step - 1) }
    if newestSequence != 0, step < 0, counters.missing > 0 { counters.missing -= 1 }
    if step > 0 || newestSequence == 0 { newestSequence = beat.sequence }
    if isVoid(beat) {
      counters.cancelled += 1
      return
    }
    if let now, now > beat.due + tolerance { counters.tardy += 1 }
    isStopped = false
    presumedCount = 0
    let place = waiting.firstIndex { $0.due > beat.due } ?? waiting.endIndex
    waiting.insert(beat, at: place)
    // More than a minute of beats at the fastest tempo is no announcement any more.
    if waiting.count > 1_024 { waiting.removeLast() }
  }

  /// Takes a cancellation: `sequence` and all later ones that were announced are void.
  ///
  /// - Parameter now: the daemon's clock. It announces nothing that is due later than `lead` from
  ///   its Stop, and a new start is heard later than that.
  public mutating func cancel(
    run cancelledRun: Int32, from sequence: Int32, through last: Int32? = nil, now: Int64,
    lead: Int64 = 150_000_000
  ) {
    guard cancelledRun == run else { return }
    // It is sent three times; the second must not void what a new start has announced.
    if voidFrom == sequence { return }
    voidFrom = sequence
    voidThrough = last
    voidUntil = max(now, 0) + lead
    let before = waiting.count
    waiting = waiting.filter { !isVoid($0) }
    counters.cancelled += before - waiting.count
    isStopped = true
    presumedCount = 0
  }

  private func isVoid(_ beat: AnnouncedBeat) -> Bool {
    guard let voidFrom, beat.sequence &- voidFrom >= 0 else { return false }
    guard let voidThrough else { return beat.due < voidUntil }
    return voidThrough &- beat.sequence >= 0
  }

  private mutating func begin(run newRun: Int32) {
    // A beat that was felt a moment ago is not felt again because the daemon is another.
    let felt = presumedFiredDue
    forget()
    run = newRun
    presumedFiredDue = felt
  }

  /// Forgets every beat: another clock counts from now on.
  public mutating func forget() {
    run = nil
    newestSequence = 0
    seen.removeAll()
    voidFrom = nil
    waiting.removeAll()
    last = nil
    interval = 0
    presumedCount = 0
    presumedFiredDue = nil
    isStopped = true
  }

  private mutating func forgetOldSequences(_ sequence: Int32) {
    guard seen.count > 4_096 else { return }
    seen = seen.filter { sequence &- $0 < 2_048 }
  }

  /// When the next beat fires, by the daemon's clock; nil while there is nothing to wait for.
  public var nextDue: Int64? {
    waiting.first?.due ?? presumedDue
  }

  /// The daemon's clock has become known: what was due before could not be fired by anybody, and was
  /// not late.
  public mutating func clockIsKnown(now: Int64) {
    while let beat = waiting.first, now - beat.due > tolerance {
      waiting.removeFirst()
      counters.unclocked += 1
      last = beat
    }
  }

  /// The instant of the next presumed beat, where the daemon has fallen silent.
  private var presumedDue: Int64? {
    guard !isStopped, let last, interval > 0, presumedCount < heldBeats else { return nil }
    return last.due + interval * Int64(presumedCount + 1)
  }

  /// What is to be fired at `now`; a beat later than `tolerance` is dropped and counted.
  ///
  /// - Returns: nil where nothing is due, or what is due must not be felt.
  public mutating func fire(now: Int64) -> Firing? {
    while let beat = waiting.first, beat.due <= now {
      waiting.removeFirst()
      // One that comes after its successor has fired says nothing of what is next.
      if let last, last.run == beat.run, beat.sequence &- last.sequence < 0 {
        counters.late += 1
        continue
      }
      if let last, last.run == beat.run, beat.due > last.due {
        let beats = Int64(beat.sequence &- last.sequence)
        if beats > 0, beats < 64 {
          interval = min((beat.due - last.due) / beats, BeatSchedule.longestInterval)
        }
      } else if interval == 0, beat.quarterTempo > 0 {
        interval = Int64(
          min(60e9 / beat.quarterTempo, Double(BeatSchedule.longestInterval)))
      }
      last = beat
      presumedCount = 0
      guard now - beat.due <= tolerance else {
        counters.late += 1
        continue
      }
      // Its presumed twin was felt already.
      if let twin = presumedFiredDue, abs(twin - beat.due) < max(interval / 4, 1) { continue }
      if skipsMutedBars, beat.isMutedBar { continue }
      guard beat.accent != .silent else { continue }
      return Firing(beat: beat, strength: 1, isPresumed: false)
    }
    guard waiting.isEmpty, let due = presumedDue, due <= now, var beat = last else { return nil }
    presumedCount += 1
    guard now - due <= tolerance else { return nil }
    counters.presumed += 1
    presumedFiredDue = due
    beat.due = due
    return Firing(
      beat: beat, strength: 1 - Double(presumedCount) / Double(heldBeats + 1), isPresumed: true)
  }
}
