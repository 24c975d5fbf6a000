internal import MusicalTime

/// When beats are heard, and how long the newest lasts as far as is known.
///
/// - Thread: control
struct BeatPace {
  private(set) var beats: [MonotonicTime] = []
  /// Nanoseconds of a beat, from the tempo until two beats are known.
  private var guess: Int64 = 500_000_000

  mutating func announce(_ heardAt: MonotonicTime, quarterThousandths: Int32) {
    if let last = beats.last, heardAt.nanoseconds > last.nanoseconds {
      guess = heardAt.nanoseconds(since: last)
    } else if quarterThousandths > 0 {
      guess = 60_000_000_000_000 / Int64(quarterThousandths)
    }
    beats.append(heardAt)
    if beats.count > 64 { beats.removeFirst(32) }
  }

  mutating func stop() { beats = [] }

  /// The beat that sounds is kept, and the one before it: a target may lag half a second.
  mutating func forget(before now: MonotonicTime) {
    while beats.count > 4, beats[3].nanoseconds < now.nanoseconds - 1_000_000_000 {
      beats.removeFirst()
    }
  }

  /// How far the beat at this instant has gone, 0 to 1; nil before the first and after a stop.
  func phase(at instant: MonotonicTime) -> Double? {
    guard let index = beats.lastIndex(where: { $0.nanoseconds <= instant.nanoseconds }) else {
      return nil
    }
    let start = beats[index]
    let length =
      index + 1 < beats.count ? beats[index + 1].nanoseconds(since: start) : max(guess, 1)
    // A beat that lasts longer than was known stays at its end.
    return min(Double(instant.nanoseconds(since: start)) / Double(length), 1)
  }
}

/// The state of one target's ramp.
struct PhaseRamp {
  private var sentAt: MonotonicTime?

  mutating func stop() { sentAt = nil }

  func nextDeadline(_ target: ProfileTarget, _ pace: BeatPace) -> MonotonicTime? {
    guard case .phase(_, let rate) = target.profile, let first = pace.beats.first else {
      return nil
    }
    return sentAt?.advanced(byNanoseconds: Int64(1e9 / rate))
      ?? first.advanced(byNanoseconds: target.offsetNanoseconds)
  }

  /// The next phase to send and when, up to an instant; nil where none is before it.
  mutating func next(
    _ target: ProfileTarget, _ pace: BeatPace, now: MonotonicTime, until: MonotonicTime
  ) -> (at: MonotonicTime, phase: Double)? {
    guard let deadline = nextDeadline(target, pace), deadline <= until else { return nil }
    // From deadline to deadline, unless one was missed: then from now.
    let at = now.nanoseconds(since: deadline) < 20_000_000 ? deadline : now
    guard let phase = pace.phase(at: at.advanced(byNanoseconds: -target.offsetNanoseconds)) else {
      return nil
    }
    sentAt = at
    return (at, phase)
  }
}
