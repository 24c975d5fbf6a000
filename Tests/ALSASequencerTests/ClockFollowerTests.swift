import MusicalTime
import Testing

@testable import ALSASequencer

/// SplitMix64, so that every run sees the same jitter.
struct Dice {
  var state: UInt64
  mutating func next() -> Double {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return Double((word ^ (word >> 31)) >> 11) / 9_007_199_254_740_992
  }
}

@Suite struct FollowingAClock {
  @Test(
    "5 ms of jitter in is a fraction of that out, and no wavering of the tempo",
    arguments: [60.0, 120, 200], [1, 2, 3] as [UInt64])
  func jitter(tempo: Double, seed: UInt64) {
    var follower = ClockFollower()
    var dice = Dice(state: seed)
    let interval = 60_000 / tempo / 24
    var tempos: [Double] = []
    var reported = 0.0
    var worst = 0.0
    _ = follower.start()
    for pulse in 0..<6000 {
      let due = Double(pulse) * interval
      let reports = follower.clock(at: at(due + 5 * (2 * dice.next() - 1)))
      for case .tempo(let value) in reports {
        reported = value
        if pulse > 960 { tempos.append(value) }
      }
      guard pulse > 960 else { continue }
      let error =
        Double(
          follower.instant(ofSongPulse: Int64(pulse) + 24).nanoseconds(
            since: at(due + 24 * interval))) / 1e6
      worst = max(worst, abs(error))
      #expect(abs(follower.tempo - tempo) < tempo * 0.001)
    }
    // 5 ms either way is 2.9 ms rms. The loop's noise gain is about the root of 2 pi x 0.05 Hz x
    // interval: 0.11 at 60, 0.33 ms rms, a quarter ahead; the worst of 5000 is five times as much.
    #expect(worst < 2)
    // It is refined as the line grows longer, by less and less: 2 ms over the seconds so far.
    #expect(tempos.count <= 6)
    #expect(abs(reported - tempo) < tempo * 0.000_05)
    #expect(tempos.allSatisfy { abs($0 - tempo) < tempo * 0.000_25 })
  }

  @Test(
    "a clean clock is known within a beat to a thousandth", arguments: [20.0, 59, 103, 120, 300])
  func clean(tempo: Double) {
    var follower = ClockFollower()
    var reported: [Double] = []
    for pulse in 0..<48 {
      for case .tempo(let value) in follower.clock(
        at: at(Double(pulse) * 60_000 / tempo / 24))
      {
        reported.append(value)
      }
    }
    #expect(reported == [tempo])
  }

  @Test(
    "a step of tempo is followed within two beats",
    arguments: [(120.0, 60.0), (60, 120), (120, 125), (90, 150)])
  func step(from: Double, to: Double) {
    var follower = ClockFollower()
    var time = 0.0
    _ = follower.start()
    for _ in 0..<960 {
      _ = follower.clock(at: at(time))
      time += 60_000 / from / 24
    }
    for _ in 0..<48 {
      _ = follower.clock(at: at(time))
      time += 60_000 / to / 24
    }
    #expect(abs(follower.tempo - to) < to * 0.01)
    // The place in the song is that of the pulses heard.
    let next = follower.instant(ofSongPulse: 960 + 48).nanoseconds(since: at(time))
    #expect(abs(next) < 3_000_000)
  }

  @Test("loss of the clock holds the tempo and says so once; its return too")
  func loss() {
    var follower = ClockFollower()
    for pulse in 0..<240 { _ = follower.clock(at: at(Double(pulse) * 20.833_333)) }
    // The last pulse was at 4979.2 ms; eight intervals are 167 ms, the least wait is 250 ms.
    #expect(follower.check(now: at(5200)).isEmpty)
    guard case .lost(let held) = follower.check(now: at(5240)).first else {
      Issue.record("the loss was not told")
      return
    }
    #expect(abs(held - 120) < 0.01)
    #expect(follower.check(now: at(6000)).isEmpty)
    #expect(abs(follower.tempo - 120) < 0.01)
    guard case .found = follower.clock(at: at(9000)).first else {
      Issue.record("the return was not told")
      return
    }
    for pulse in 1..<48 { _ = follower.clock(at: at(9000 + Double(pulse) * 20.833_333)) }
    #expect(abs(follower.tempo - 120) < 0.01)
  }

  @Test("after FA the music is joined at a whole quarter, at the leader's instant for it")
  func join() {
    var follower = ClockFollower()
    for pulse in 0..<96 { _ = follower.clock(at: at(Double(pulse) * 20.833_333)) }
    #expect(follower.start().isEmpty)
    var joined: [ClockFollower.Report] = []
    for pulse in 96..<200 {
      joined += follower.clock(at: at(Double(pulse) * 20.833_333)).filter {
        if case .join = $0 { return true }
        return false
      }
    }
    // Beat one is pulse 96 at 2000 ms; 300 ms later the next whole quarter is the second, 2500 ms.
    guard case .join(let place, let instant) = joined.first else {
      Issue.record("nothing was joined")
      return
    }
    #expect(joined.count == 1)
    #expect(place == 24)
    #expect(abs(instant.nanoseconds(since: at(2500))) < 100_000)
  }

  @Test("song position is obeyed while stopped only, and counts six pulses")
  func position() {
    var follower = ClockFollower()
    #expect(follower.songPosition(36) == [.locate(songPulse: 216)])
    for pulse in 0..<96 { _ = follower.clock(at: at(Double(pulse) * 20.833_333)) }
    _ = follower.resume()
    var place: Int64 = 0
    for pulse in 96..<120 {
      for case .join(let song, _) in follower.clock(at: at(Double(pulse) * 20.833_333)) {
        place = song
      }
    }
    // 216 is quarter 9; 300 ms on is past 230, so quarter 10.
    #expect(place == 240)
    #expect(follower.songPosition(0).isEmpty)
    #expect(follower.stop() == [.stop])
  }

  @Test("lost pulses move the place on, doubled ones do not")
  func lostAndDoubled() {
    var follower = ClockFollower()
    for pulse in 0..<96 { _ = follower.clock(at: at(Double(pulse) * 20.833_333)) }
    _ = follower.start()
    for pulse in 96..<400 where pulse % 50 != 0 {
      _ = follower.clock(at: at(Double(pulse) * 20.833_333))
      if pulse % 70 == 0 { _ = follower.clock(at: at(Double(pulse) * 20.833_333 + 1)) }
    }
    #expect(follower.missedPulses == 6)
    #expect(follower.doubledPulses == 3)
    // Pulse 400 is song pulse 304.
    let error = follower.instant(ofSongPulse: 304).nanoseconds(since: at(400 * 20.833_333))
    #expect(abs(error) < 500_000)
  }

  /// 120 quarters a minute, in play: pulse n at n x 20.833333 ms.
  private static func rolling() -> ClockFollower {
    var follower = ClockFollower()
    _ = follower.start()
    for pulse in 0..<200 { _ = follower.clock(at: at(Double(pulse) * 20.833_333)) }
    return follower
  }

  @Test("a beat that is off is led back by the tempo, without a jump, anew at each beat")
  func leadBack() {
    var follower = Self.rolling()
    #expect(follower.compare(songPulse: 240, due: at(5000.9)).isEmpty)
    // 3 ms late, to be made up for in 1.25 quarters of 500 ms: 3/625 faster, 120.576.
    #expect(follower.compare(songPulse: 240, due: at(5003)) == [.tempo(120.576)])
    // A pulse that is no beat says nothing.
    #expect(follower.compare(songPulse: 252, due: at(5251), isBeat: false).isEmpty)
    // What is left is small, and long after the leader's last change: 0.6 ms in 6 s, 120.012.
    #expect(follower.compare(songPulse: 264, due: at(5500.6)) == [.tempo(120.012)])
    // Near enough, the leader's own tempo again.
    #expect(follower.compare(songPulse: 288, due: at(6000.1)) == [.tempo(120)])
    #expect(follower.compare(songPulse: 312, due: at(6500.1)).isEmpty)
    // Early by 3 ms: as much slower.
    #expect(follower.compare(songPulse: 240, due: at(4997)) == [.tempo(119.424)])
    // When the leader falls silent now, its own tempo is held.
    #expect(follower.check(now: at(60_000)) == [.tempo(120), .lost(120)])
  }

  @Test("a small difference that has crept in is made up for unheard; a large one by a tenth")
  func sizes() {
    var follower = Self.rolling()
    // 4.2 s after the leader was known: 1.5 ms in 6 s are 250 ppm, 120.03.
    #expect(follower.compare(songPulse: 240, due: at(5001.5)) == [.tempo(120.03)])
    // 80 ms would be 12.8 %; a tenth is the most.
    #expect(follower.compare(songPulse: 264, due: at(5580)) == [.tempo(132)])
    #expect(follower.compare(songPulse: 288, due: at(5920)) == [.tempo(108)])
    // Half a quarter off is another beat.
    #expect(follower.compare(songPulse: 312, due: at(6760)) == [.tempo(120)])
  }

  @Test("a leader that begins a new grid with its start is met on it, whatever its phase")
  func newGrid() {
    // 5 ms of jitter either way, by a fixed row of thirteen that adds up to nothing.
    let row: [Double] = [5, -3, 1, -5, 4, -1, 2, -4, 3, -2, 0, 2.5, -2.5]
    for shift in stride(from: -10.0, through: 10, by: 2.5) {
      var follower = ClockFollower()
      for pulse in 0..<600 {
        _ = follower.clock(at: at(Double(pulse) * 20.833_333 + row[pulse % 13]))
      }
      _ = follower.start()
      // The pulse after the 600th lies on another grid.
      let first = 600 * 20.833_333 + shift
      var joined: (pulse: Int64, at: MonotonicTime)?
      for pulse in 0..<26 {
        for report in follower.clock(at: at(first + Double(pulse) * 20.833_333 + row[pulse % 13])) {
          if case .join(let place, let instant) = report { joined = (place, instant) }
        }
      }
      // The quarter is met that can be, on the mean of nine pulses; by the 26th it is known better.
      #expect(joined?.pulse == 24)
      let met = at(first + 24 * 20.833_333)
      #expect(abs(joined?.at.nanoseconds(since: met) ?? .max) < 1_000_000)
      let wanted = at(first + 48 * 20.833_333)
      #expect(abs(follower.instant(ofSongPulse: 48).nanoseconds(since: wanted)) < 800_000)
      #expect(abs(follower.tempo - 120) < 0.2)
      #expect(follower.missedPulses == 0)
      #expect(follower.doubledPulses == 0)
    }
  }

  @Test("a storm of ten thousand pulses a second makes no tempo and no trap")
  func storm() {
    var follower = ClockFollower()
    _ = follower.start()
    for pulse in 0..<100_000 { _ = follower.clock(at: at(Double(pulse) * 0.1)) }
    #expect(follower.tempo == 0)
    #expect(follower.check(now: at(1e9)).isEmpty)
  }
}
