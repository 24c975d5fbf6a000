import MusicalTime

@testable import ALSASequencer

/// A leader, a cable, a follower and an engine that announces its pulses ahead.
struct SimulatedFollower {
  /// The leader's tempo at a second.
  var tempo: (Double) -> Double
  /// Milliseconds either way by which its pulses arrive off.
  var jitter = 0.0
  /// Whether a pulse does not arrive at all.
  var isDropped: (Int) -> Bool = { _ in false }
  /// Milliseconds by which the leader's grid is moved from a second on.
  var shift: (Double) -> Double = { _ in 0 }
  var seed: UInt64 = 1
  /// Seconds from when a pulse is made known to when it is heard: 100 ms of horizon, 50 of buffer.
  var lead = 0.15

  /// Our pulses: when they are heard, and by how many milliseconds after the leader's true one.
  var errors: [(second: Double, milliseconds: Double)] = []
  /// Tempos that were asked for.
  var asked: [(second: Double, tempo: Double)] = []
  private(set) var follower = ClockFollower()
  /// Whether our own clock was believed to come back.
  private(set) var heardEcho = false

  var echo = EchoDetector()

  mutating func run(seconds: Double) {
    var dice = Dice(state: seed)
    var truth: [Double] = []
    var second = 0.0
    while second < seconds + 1 {
      truth.append(second + shift(second) / 1000)
      second += 60 / tempo(second) / 24
    }
    let heard = truth.enumerated().compactMap { index, instant in
      isDropped(index) ? nil : max(instant + jitter / 1000 * (2 * dice.next() - 1), 0)
    }.sorted()
    _ = follower.start()
    var next = 0
    var place: (pulse: Int, second: Double)?
    var interval = 0.0
    var now = 0.0
    // The control thread looks 200 times a second.
    while now < seconds {
      now += 0.005
      var reports: [ClockFollower.Report] = []
      while next < heard.count, heard[next] <= now {
        reports += follower.clock(at: at(heard[next] * 1000))
        if let sent = errors.last(where: { $0.second <= heard[next] }) {
          heardEcho =
            echo.observe(
              arrival: at(heard[next] * 1000), lastSent: at(sent.second * 1000),
              pulses: Int64(errors.lastIndex { $0.second <= heard[next] } ?? 0),
              isFollowing: true) || heardEcho
        }
        next += 1
      }
      reports += follower.check(now: at(now * 1000))
      take(reports, now, &interval, &place)
      while let (pulse, due) = place, due <= now + lead {
        if pulse < truth.count { errors.append((due, (due - truth[pulse]) * 1000)) }
        let more = follower.compare(
          songPulse: Int64(pulse), due: at(due * 1000), isBeat: pulse % 24 == 0)
        take(more, now, &interval, &place)
        place = (pulse + 1, due + interval)
      }
    }
  }

  private mutating func take(
    _ reports: [ClockFollower.Report], _ now: Double, _ interval: inout Double,
    _ place: inout (pulse: Int, second: Double)?
  ) {
    for report in reports {
      switch report {
      case .tempo(let tempo):
        interval = 60 / tempo / 24
        asked.append((now, tempo))
      case .join(let pulse, let instant):
        place = (Int(pulse), Double(instant.nanoseconds(since: at(0))) / 1e9)
      default: break
      }
    }
  }

  // MARK: What is judged

  /// Seconds from `start` until our pulses stay within so many milliseconds.
  func settled(within milliseconds: Double, after start: Double) -> Double {
    (errors.last { $0.second > start && abs($0.milliseconds) > milliseconds }?.second ?? start)
      - start
  }

  /// The largest error from a second on, with its sign.
  func worst(after start: Double, until end: Double = .infinity) -> Double {
    errors.filter { $0.second > start && $0.second < end }
      .max { abs($0.milliseconds) < abs($1.milliseconds) }?.milliseconds ?? 0
  }

  /// How far they pass zero once the largest error is behind them.
  func past(after start: Double) -> Double {
    let worst = worst(after: start)
    let peak = errors.first { $0.second > start && $0.milliseconds == worst }?.second ?? start
    return errors.filter { $0.second > peak }.map { $0.milliseconds * (worst > 0 ? -1 : 1) }
      .max() ?? 0
  }
}
