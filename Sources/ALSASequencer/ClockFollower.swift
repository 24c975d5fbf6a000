public import MusicalTime

/// Follows another's MIDI clock through a delay-locked loop: what jitters in is steady out.
///
/// Each F8 moves the phase by a part of its error and the interval by a smaller part. The loop
/// starts wide, narrows as it learns, and opens again when the errors lean to one side, which
/// jitter does not do and a change of tempo does. What comes out are a tempo, the instants at
/// which places of the song are due, and what the leader's transport says; the clicks stay on the
/// sample grid.
///
/// A value: time is an argument.
/// - Thread: control
public struct ClockFollower: Sendable {
  /// What is to be done or told.
  public enum Report: Equatable, Sendable {
    /// The leader's tempo is known, or it has changed: quarter notes a minute.
    case tempo(Double)
    /// Be at this place of the song (a whole quarter, in pulses) at this instant, and roll.
    case join(songPulse: Int64, at: MonotonicTime)
    case stop
    /// While stopped: the leader's next Continue will be from here.
    case locate(songPulse: Int64)
    /// Our beat and the leader's are apart: move ours, which was nearest, to this instant.
    case align(MonotonicTime)
    /// Pulses have ceased; the tempo is held.
    case lost(Double)
    case found(Double)
  }

  /// The final bandwidth, in Hz: jitter of 5 ms either way then moves the phase by 0.3 ms rms.
  public static let bandwidthHz = 0.05
  /// Pulses before a tempo is given.
  public static let enough = 24
  /// Nanoseconds that a join is known ahead: more than the lead-in of a Continue.
  public static let joinLead: Int64 = 300_000_000
  /// Our beats may be so far from the leader's before they are led back, by a tempo that is a hair
  /// off until they are within `near`: what a loop wavers by must not be heard as a jump.
  public static let tolerance: Int64 = 1_000_000
  public static let near: Int64 = 250_000
  /// Farther off than this they are moved at once.
  public static let jump: Int64 = 20_000_000
  /// Nanoseconds in which a lasting difference would be made up for: 1 ms is then 170 ppm of tempo,
  /// 3 us a pulse at 120.
  static let leadBack = 6e9
  /// Quarter notes a minute between 5 and 999, in nanoseconds a pulse.
  static let intervals: ClosedRange<Double> = 60e9 / 24 / 999 * 0.98...60e9 / 24 / 5 * 1.02

  private enum Transport: Sendable { case stopped, awaiting, rolling }

  private var last = MonotonicTime.distantPast
  /// The filtered instant of the newest pulse, relative to `base`, and the interval; nanoseconds.
  private var base = MonotonicTime(nanoseconds: 0)
  private var phase = 0.0
  private var interval = 0.0
  private var learnedSeconds = 0.0
  private var jitter = 0.0
  private var lean = 0.0
  /// Pulses since the leader's transport placed its grid anew; nil where that is long ago.
  private var sincePlaced: Int?
  private var heard = 0
  private var recent: [Double] = []
  private var told = 0.0
  /// The difference that is being made up for, in nanoseconds; 0 where none is.
  private var ledBackFrom: Int64 = 0
  private var isLost = false
  /// Since when the tempo has been steady, and the pulses since then.
  private var steady: (since: MonotonicTime, pulses: Int64)?
  private var slip: Int64 = 0
  private var sinceSlip = 0

  private var transport = Transport.stopped
  /// The song's place of the newest pulse; the next F8 after FA is 0.
  private var songPulse: Int64 = -1
  public private(set) var missedPulses: Int64 = 0
  public private(set) var doubledPulses: Int64 = 0

  public init() { recent.reserveCapacity(64) }

  /// The leader's tempo in quarter notes a minute; 0 before it is known.
  public var tempo: Double {
    interval > 0 && heard >= ClockFollower.enough ? 60e9 / 24 / interval : 0
  }

  public var isRolling: Bool { transport == .rolling }

  /// When a place of the song is due by the leader's clock.
  public func instant(ofSongPulse pulse: Int64) -> MonotonicTime {
    let ahead = phase + Double(pulse - songPulse) * interval
    return base.advanced(byNanoseconds: Int64(max(min(ahead, 1e17), -1e17)))
  }

  // MARK: Messages

  /// An F8 has arrived.
  public mutating func clock(at time: MonotonicTime) -> [Report] {
    var reports: [Report] = []
    if isLost {
      isLost = false
      sincePlaced = nil
      reports.append(.found(tempo))
      settle(time)
    }
    let passed = Double(time.nanoseconds(since: last))
    last = time
    guard heard >= ClockFollower.opening else {
      open(time, passed)
      return reports
    }
    if let count = sincePlaced { place(time, count) } else { follow(time) }
    report(&reports)
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
    if learnedSeconds >= 2 { sincePlaced = 0 }
    return []
  }

  public mutating func stop() -> [Report] {
    transport = .stopped
    return [.stop]
  }

  /// F2, in MIDI beats; obeyed while stopped, as the standard has it.
  public mutating func songPosition(_ beats: UInt16) -> [Report] {
    guard transport == .stopped else { return [] }
    songPulse = Int64(beats) * 6 - 1
    return [.locate(songPulse: Int64(beats) * 6)]
  }

  /// Called now and then: notices that pulses have ceased.
  public mutating func check(now: MonotonicTime) -> [Report] {
    // Eight pulses, and never less than a quarter of a second.
    let patience = max(interval * 8, 250_000_000)
    guard heard >= ClockFollower.enough, !isLost,
      Double(now.nanoseconds(since: last)) > patience
    else { return [] }
    isLost = true
    // What was told is what is held, and not what led back to it.
    let isLedBack = ledBackFrom > 0
    ledBackFrom = 0
    return isLedBack ? [.tempo(told), .lost(told)] : [.lost(told)]
  }

  /// Compares a beat of ours with the leader's.
  ///
  /// - Parameter songPulse: the beat's place; `due` is when it will be heard.
  public mutating func compare(songPulse pulse: Int64, due: MonotonicTime) -> [Report] {
    guard transport == .rolling, !isLost, tempo > 0, told > 0 else { return [] }
    let wanted = instant(ofSongPulse: pulse)
    let error = wanted.nanoseconds(since: due)
    // Half a quarter off is another beat, and no matter of phase.
    guard Double(abs(error)) < interval * 12 else { return [] }
    if abs(error) > ClockFollower.jump { return [.align(wanted)] }
    if ledBackFrom > 0, abs(error) < ClockFollower.near {
      ledBackFrom = 0
      return [.tempo(told)]
    }
    // It may grow on the way, where the tempo was not yet right.
    let least =
      ledBackFrom > 0 ? ledBackFrom + ClockFollower.tolerance / 2 : ClockFollower.tolerance
    guard abs(error) > least else { return [] }
    ledBackFrom = abs(error)
    // A beat of ours that is late (a negative error) is caught up with.
    return [.tempo(told * (1 - Double(error) / ClockFollower.leadBack))]
  }

  // MARK: The loop

  /// The first pulses give a straight line to start from: one interval alone may be off by twice
  /// the jitter.
  private static let opening = 13
  /// Two quarters of intervals.
  private static let remembered = 49

  private mutating func open(_ time: MonotonicTime, _ passed: Double) {
    if heard > 0, !ClockFollower.intervals.contains(passed), passed > interval * 4 || heard == 1 {
      heard = 0
    }
    if heard == 0 { settle(time) }
    heard += 1
    advance(1)
    note(time)
    guard heard == ClockFollower.opening else { return }
    let middle = recent.reduce(0, +) / Double(ClockFollower.opening)
    let slope = line(through: ClockFollower.opening)
    guard ClockFollower.intervals.contains(slope) else {
      heard = 0
      return
    }
    interval = slope
    base = MonotonicTime(nanoseconds: Int64(middle + 6 * slope))
    phase = 0
    learnedSeconds = 12 * slope / 1e9
  }

  private mutating func settle(_ time: MonotonicTime) {
    base = time
    phase = 0
    lean = 0
    slip = 0
    steady = nil
    recent.removeAll(keepingCapacity: true)
    learnedSeconds = 0
  }

  private mutating func advance(_ pulses: Int64) {
    if transport == .stopped { return }
    songPulse += pulses
  }

  /// The new grid is the mean of where its first pulses put it; the interval is known. No pulse is
  /// taken for one too many, since the count has begun anew.
  private mutating func place(_ time: MonotonicTime, _ count: Int) {
    if count == 0 {
      base = time
      phase = 0
      recent.removeAll(keepingCapacity: true)
      lean = 0
      slip = 0
      steady = nil
    } else {
      let error = Double(time.nanoseconds(since: base)) - (phase + interval)
      guard abs(error) < interval / 2 else {
        sincePlaced = nil
        return follow(time)
      }
      phase += interval + error / Double(count + 1)
    }
    heard += 1
    note(time)
    advance(1)
    sincePlaced = count < 23 ? count + 1 : nil
  }

  private mutating func follow(_ time: MonotonicTime) {
    var error = Double(time.nanoseconds(since: base)) - (phase + interval)
    note(time)
    var pulses: Int64 = 1
    // Half an interval, or what the jitter itself may reach.
    let limit = min(max(interval / 2, jitter * 3), interval * 0.8)
    if error > limit {
      // Pulses are missing: the place moves on with them.
      let missing = (error / interval).rounded()
      guard missing < 96 else {
        settle(time)
        advance(1)
        return
      }
      missedPulses += Int64(missing)
      noteSlip(Int64(missing))
      pulses += Int64(missing)
      error -= missing * interval
    } else if error < -limit {
      doubledPulses += 1
      noteSlip(-1)
      relearnIfOff(time)
      return
    }
    sinceSlip += 1
    if sinceSlip > ClockFollower.remembered { slip = 0 }
    heard += 1
    let seconds = interval * Double(pulses) / 1e9
    learnedSeconds += seconds
    jitter += (abs(error) - jitter) / 24
    lean += (error - lean) / 24
    let fitted = learnedSeconds > 0.15 ? 0.45 / learnedSeconds : 3.0
    let omega = min(2 * Double.pi * max(fitted, ClockFollower.bandwidthHz) * seconds, 0.7)
    phase += interval * Double(pulses) + 2.0.squareRoot() * omega * error
    interval += omega * omega * error / Double(pulses)
    interval = min(
      max(interval, ClockFollower.intervals.lowerBound), ClockFollower.intervals.upperBound)
    // Kept small, so that a double holds nanoseconds for ever.
    let whole = Int64(phase)
    base = base.advanced(byNanoseconds: whole)
    phase -= Double(whole)
    if learnedSeconds > 2 {
      steady = steady.map { ($0.since, $0.pulses + pulses) } ?? (base, 0)
    } else {
      steady = nil
    }
    advance(pulses)
    // The mean of two dozen errors of pure jitter stays well within its own mean size.
    if abs(lean) > max(jitter * 0.9, 300_000), learnedSeconds > 0.5 {
      learnedSeconds = 0.2
      lean = 0
    }
    relearnIfOff(time)
  }

  /// Remembers by how much the count was mended lately.
  private mutating func noteSlip(_ pulses: Int64) {
    slip += pulses
    sinceSlip = 0
  }

  private mutating func note(_ time: MonotonicTime) {
    if recent.count == ClockFollower.remembered { recent.removeFirst() }
    recent.append(Double(time.nanoseconds))
  }

  /// The tempo is another: a line through the newest pulses says which. What was taken for
  /// missing or doubled pulses on the way was none.
  ///
  /// A quick look over twelve intervals finds a step, a slow one over two quarters a false lock,
  /// in which a slip now and then hides that the interval is wrong.
  private mutating func relearnIfOff(_ time: MonotonicTime) {
    let count = recent.count
    guard count >= ClockFollower.opening else { return }
    let newest = recent[count - 1]
    let twelve = (newest - recent[count - 13]) / 12
    if abs(twelve - interval) > max(interval * 0.15, 1_500_000) {
      restart(with: line(through: 7), time)
    } else if count == ClockFollower.remembered {
      let slow = (newest - recent[0]) / Double(count - 1)
      let off = max(interval * 0.025, 500_000)
      let fitted = line(through: 25)
      if abs(slow - interval) > off, abs(fitted - interval) > off { restart(with: fitted, time) }
    }
  }

  /// Least squares through the newest pulses, an odd number of them: nanoseconds a pulse.
  private func line(through count: Int) -> Double {
    let half = (count - 1) / 2
    let middle = recent.count - 1 - half
    var slope = 0.0
    var weight = 0.0
    for step in -half...half {
      slope += Double(step) * (recent[middle + step] - recent[middle])
      weight += Double(step * step)
    }
    return slope / weight
  }

  private mutating func restart(with slope: Double, _ time: MonotonicTime) {
    guard ClockFollower.intervals.contains(slope) else { return }
    interval = slope
    if transport != .stopped { songPulse -= slip }
    settle(time)
  }

  /// The tempo, and the share of it by which it may be wrong.
  ///
  /// Over a few seconds the loop's own interval is the best there is; from then on the distance
  /// between two filtered instants, which the loop's wavering touches at its ends only.
  private mutating func estimate() -> (tempo: Double, doubt: Double) {
    if let steady, learnedSeconds >= 4 {
      let span = Double(base.nanoseconds(since: steady.since))
      let mean = span / Double(max(steady.pulses, 1))
      if span >= 4e9, abs(mean - interval) < interval * 0.001 {
        // Both ends within a third of a millisecond, with six of those in hand.
        return (60e9 / 24 / mean, max(2e6 / span, 0.000_02))
      }
      if span >= 4e9 { self.steady = nil }
    }
    return (tempo, max(jitter / interval / max(learnedSeconds * 12, 6), 0.0005))
  }

  private mutating func report(_ reports: inout [Report]) {
    guard heard >= ClockFollower.enough else { return }
    let (now, doubt) = estimate()
    // What the loop itself still wavers by is no change.
    if told == 0 || (learnedSeconds > 0.4 && abs(now - told) > now * doubt) {
      told = (now * 1000).rounded() / 1000
      ledBackFrom = 0
      reports.append(.tempo(told))
    }
    guard transport == .awaiting, songPulse >= 0 else { return }
    // The first whole quarter that leaves time to get there.
    let ahead = Int64((Double(ClockFollower.joinLead) / interval).rounded(.up))
    let quarter = (songPulse + ahead + 23) / 24 * 24
    // As long as a pulse more costs no quarter, it is one more to know the grid by.
    if sincePlaced != nil, (songPulse + 1 + ahead + 23) / 24 * 24 == quarter { return }
    transport = .rolling
    reports.append(.join(songPulse: quarter, at: instant(ofSongPulse: quarter)))
  }
}
