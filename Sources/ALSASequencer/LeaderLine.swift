internal import MusicalTime

/// The straight line through a leader's pulses: where the next one is due, and how far apart they
/// are.
///
/// It begins as the line through thirteen pulses, takes each further one in with the gains of least
/// squares, and forgets what is older than `memory`. Where the errors say that the leader has
/// changed, it begins anew with the pulses since then: a loop that only bends towards a new tempo
/// swings past it.
///
/// A value: time is an argument.
/// - Thread: control
struct LeaderLine: Sendable {
  enum Outcome: Equatable, Sendable {
    /// Too few pulses so far.
    case opening
    /// The pulse stands so many pulses after the one before it; more than one are missing ones.
    case followed(pulses: Int64)
    case doubled
    /// The leader has another tempo or phase. The count moves on by `pulses`, which takes back what
    /// was taken for missing and doubled pulses on the way.
    case changed(pulses: Int64)
  }

  /// The first pulses give a line to start from: one interval alone may be off by twice the jitter.
  static let opening = 13
  /// Nanoseconds that count: jitter of 5 ms either way then moves the phase by 0.3 ms rms.
  static let memory = 9e9
  /// Pulses after which a new grid's phase is known.
  static let placed = 24
  /// The mean error, as a share of the deviation, from which a leader drifts.
  static let mostLean = 0.5
  /// Pulses that are remembered of a leader that drifts fast.
  static let leastWeight = 36
  /// No leader is trusted to be more even than this, in nanoseconds: the kernel's stamps are not.
  static let leastDeviation = 30_000.0
  /// Quarter notes a minute between 5 and 999, in nanoseconds a pulse.
  static let intervals: ClosedRange<Double> = 60e9 / 24 / 999 * 0.98...60e9 / 24 / 5 * 1.02

  /// The filtered instant of the newest pulse is `base` plus `phase`; nanoseconds.
  private(set) var base = MonotonicTime(nanoseconds: 0)
  private(set) var phase = 0.0
  /// Nanoseconds a pulse; 0 before it is known.
  private(set) var interval = 0.0
  /// The standard deviation of the pulses from the line, in nanoseconds.
  private(set) var deviation = LeaderLine.leastDeviation
  /// Pulses that the line rests on.
  private(set) var weight = 0
  /// Nanoseconds since the leader last changed.
  private(set) var age = 0.0
  private(set) var missed: Int64 = 0
  private(set) var doubled: Int64 = 0
  /// Pulses of a new grid whose interval is known; nil once its phase is.
  private(set) var placing: Int?

  /// Pulses by which the count was moved lately, and those since then without a slip.
  private var slip: Int64 = 0
  private var sinceSlip = 0

  /// The mean of the latest errors as shares of the deviation: 0 on a straight line.
  private var lean = 0.0

  private var detector = ChangeDetector()
  private var recent = RecentPulses()

  var isOpen: Bool { interval > 0 }

  /// When a pulse is due that comes so many after the newest one.
  func instant(pulsesAhead: Int64) -> MonotonicTime {
    let ahead = phase + Double(pulsesAhead) * interval
    return base.advanced(byNanoseconds: Int64(max(min(ahead, 1e17), -1e17)))
  }

  /// By how much the line's phase may be wrong, in nanoseconds: its standard deviation.
  var phaseDeviation: Double {
    2 * deviation / Double(max(min(weight, placing ?? .max, mostWeight), 1)).squareRoot()
  }

  /// By which share the interval may be wrong: its standard deviation.
  var intervalDeviation: Double {
    guard interval > 0 else { return 1 }
    let count = Double(max(min(weight, mostWeight), 3))
    return deviation * (12 / (count * count * count)).squareRoot() / interval
  }

  private var mostWeight: Int { max(Int(LeaderLine.memory / max(interval, 1)), 24) }

  /// The next pulse is the first of a new grid, at the interval that is known.
  mutating func beginGrid() { if isOpen { placing = 0 } }

  mutating func take(_ time: MonotonicTime) -> Outcome {
    guard isOpen else { return open(time) }
    if placing == 0 { return place(time) }
    var error = Double(time.nanoseconds(since: base)) - (phase + interval)
    var steps: Int64 = 1
    // Half an interval, or what the jitter itself may reach.
    let limit = min(max(interval / 2, deviation * 3), interval * 0.8)
    if error > limit {
      let missing = (error / interval).rounded()
      guard missing < 96 else { return place(time) }
      missed += Int64(missing)
      steps += Int64(missing)
      error -= missing * interval
    } else if error < -limit {
      doubled += 1
      steps = 0
    }
    recent.add(time, steps: steps)
    note(slip: steps - 1)
    if let run = recent.evenRun(unlike: interval, deviation: deviation) {
      return beginAnew(asEven: run, steps)
    }
    if steps > 0 {
      if let run = detector.add(error / (deviation * (1 + 4 / Double(weight)).squareRoot())) {
        return beginAnew(through: run, steps)
      }
      follow(error, steps)
    }
    if let slope = recent.falseLock(of: interval) { return beginAnew(at: slope, steps) }
    return steps > 0 ? .followed(pulses: steps) : .doubled
  }

  // MARK: The line

  private mutating func open(_ time: MonotonicTime) -> Outcome {
    if let last = recent.newest {
      let passed = Double(time.nanoseconds) - last
      if !LeaderLine.intervals.contains(passed) && (weight == 1 || passed > recent.mean * 4) {
        recent.removeAll()
        weight = 0
      }
    }
    recent.add(time, steps: 1)
    weight += 1
    guard weight >= LeaderLine.opening, let line = recent.line(through: LeaderLine.opening),
      LeaderLine.intervals.contains(line.slope)
    else {
      if weight >= LeaderLine.opening {
        recent.removeAll()
        weight = 0
      }
      return .opening
    }
    interval = line.slope
    move(to: line.end)
    deviation = max(line.deviation, LeaderLine.leastDeviation)
    age = 0
    return .changed(pulses: 1)
  }

  /// The first pulse of a grid stands where it is.
  private mutating func place(_ time: MonotonicTime) -> Outcome {
    base = time
    phase = 0
    placing = 1
    detector = ChangeDetector()
    recent.removeAll()
    recent.add(time, steps: 1)
    age = 0
    return .followed(pulses: 1)
  }

  private mutating func follow(_ error: Double, _ steps: Int64) {
    // One pulse that is late by far says nothing of those that follow.
    let most = 4 * deviation
    let taken = min(max(error, -most), most)
    let seconds = interval * Double(steps)
    if let count = placing {
      // The mean of where the first pulses put the grid.
      phase += seconds + error / Double(count + 1)
      placing = count + 1 < LeaderLine.placed ? count + 1 : nil
      weight = max(weight, 24)
    } else {
      weight = min(weight + Int(clamping: steps), 1 << 30)
      // Errors that lean to one side for long are of a leader that drifts: less is remembered, until
      // its bend is lost in the jitter. Of even jitter the mean stays below a third.
      lean += (min(max(error / deviation, -2), 2) - lean) / 48
      if abs(lean) > LeaderLine.mostLean {
        weight = max(min(weight, mostWeight) * 15 / 16, LeaderLine.leastWeight)
      }
      let count = Double(min(weight, mostWeight))
      // A straight line by least squares, pulse by pulse.
      phase += seconds + 2 * (2 * count - 1) / (count * (count + 1)) * taken
      interval += 6 / (count * (count + 1)) * taken
      interval = min(
        max(interval, LeaderLine.intervals.lowerBound), LeaderLine.intervals.upperBound)
    }
    // 1.25 times the mean size is the deviation of what is normally distributed.
    let size = 1.25 * min(abs(error), 3 * deviation)
    deviation = max(deviation + (size - deviation) / 64, LeaderLine.leastDeviation)
    age += seconds
    rebase()
  }

  /// Kept small, so that a double holds nanoseconds for ever.
  private mutating func rebase() {
    let whole = Int64(phase)
    base = base.advanced(byNanoseconds: whole)
    phase -= Double(whole)
  }

  private mutating func move(to nanoseconds: Double) {
    base = MonotonicTime(nanoseconds: Int64(nanoseconds))
    phase = nanoseconds - nanoseconds.rounded(.towardZero)
    placing = nil
    lean = 0
    detector = ChangeDetector()
  }

  // MARK: Changes

  private mutating func note(slip pulses: Int64) {
    slip += pulses
    sinceSlip = pulses == 0 ? sinceSlip + 1 : 0
    if sinceSlip > 2 * RecentPulses.capacity { slip = 0 }
  }

  /// The errors have leant to one side since so many pulses: they are all of the new line.
  private mutating func beginAnew(through count: Int, _ steps: Int64) -> Outcome {
    let count = min(count, 24)
    detector = ChangeDetector()
    // The pulse before them stands on both lines, where the tempo has changed and not the phase.
    guard let own = recent.line(through: count), let joined = recent.line(through: count + 1) else {
      return .followed(pulses: steps)
    }
    let line = joined.deviation > 2 * deviation ? own : joined
    guard LeaderLine.intervals.contains(line.slope) else { return .followed(pulses: steps) }
    let number = Double(count)
    let doubt = 3 * deviation * (12 / (number * number * number)).squareRoot()
    if abs(line.slope - interval) < doubt, let end = recent.end(through: count, slope: interval) {
      // The same tempo on another grid.
      move(to: end)
      placing = min(count, LeaderLine.placed - 1)
      age = 0
      return .changed(pulses: steps)
    }
    return beginAnew(line, weight: count, pulses: steps)
  }

  /// Several equal intervals, unlike those before: what was taken for missing or doubled pulses on
  /// the way was none.
  private mutating func beginAnew(asEven count: Int, _ steps: Int64) -> Outcome {
    let taken = recent.makeEven(count)
    missed -= taken.missed
    doubled -= taken.doubled
    let pulses = steps - (taken.missed - taken.doubled)
    guard let line = recent.line(through: count + 1), LeaderLine.intervals.contains(line.slope)
    else { return .followed(pulses: pulses) }
    return beginAnew(line, weight: count + 1, pulses: pulses)
  }

  /// A slip now and then has hidden that the interval is wrong.
  private mutating func beginAnew(at slope: Double, _ steps: Int64) -> Outcome {
    guard LeaderLine.intervals.contains(slope), let newest = recent.newest else {
      return .followed(pulses: steps)
    }
    let taken = recent.makeEven(RecentPulses.capacity - 1)
    missed -= taken.missed
    doubled -= taken.doubled
    return beginAnew(
      FittedLine(end: newest, slope: slope, deviation: deviation), weight: 24,
      pulses: steps - slip)
  }

  private mutating func beginAnew(
    _ line: FittedLine, weight: Int, pulses: Int64
  ) -> Outcome {
    interval = line.slope
    slip = 0
    self.weight = max(weight, 3)
    age = 0
    move(to: line.end)
    return .changed(pulses: pulses)
  }
}
