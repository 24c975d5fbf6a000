import MetronomeModel
import MusicalTime
import RealtimeEngine
import Testing
import ThreadCrossing

@testable import ALSASequencer

/// A card of 48 kHz is replaced by another while the clock runs, 500 ms after frame 0.
private let switchFrame = FrameIndex(24_000)

/// Steps the loop at its deadlines and notes when each F8 left, in microseconds after frame 0.
private struct Player {
  let bench: LoopBench
  private(set) var clocks: [Int64] = []

  mutating func run(until end: MonotonicTime) {
    var steps = 0
    while steps < 100_000 {
      steps += 1
      let due = bench.loop.step(now: bench.now)
      note()
      guard let due, due <= end else { break }
      bench.now = max(due, bench.now)
    }
    bench.now = max(bench.now, end)
  }

  mutating func step() {
    _ = bench.loop.step(now: bench.now)
    note()
  }

  private mutating func note() {
    let count = bench.messages(0).filter { $0 == .clock }.count
    while clocks.count < count { clocks.append((bench.now.nanoseconds - origin) / 1000) }
  }
}

@Suite struct EpochLaws {
  enum Order: CaseIterable {
    /// All that was announced has been taken in.
    case idle
    /// Facts of both lengths wait when the new clock is seen.
    case late
    /// The loop runs between the announcement and the new clock.
    case between
  }

  @Test(
    "what was announced keeps its instant when a card comes that plays at another rate",
    arguments: [44_100, 96_000, 22_050] as [Int64], Order.allCases)
  func keepsInstants(newRate: Int64, order: Order) throws {
    let bench = try LoopBench()
    bench.add(MIDIPortConfiguration(name: "Clock"))
    var player = Player(bench: bench)
    // A pulse each 1000 frames from frame 9600 (200 ms) on; the 20th is at 28600 (595.8 ms).
    var run = Run()
    run.start(at: 9600, known: 0)
    run.pulses(0..<20, from: 9600)
    let early = order == .late ? 10 : run.facts.count
    for fact in run.facts.prefix(early) { bench.facts.push(fact.event) }
    player.run(until: at(300))
    for fact in run.facts.dropFirst(early) { bench.facts.push(fact.event) }
    if order != .late { player.run(until: at(499)) }

    bench.now = max(bench.now, at(300))
    bench.facts.push(
      .epoch(EpochEvent(frame: switchFrame, oldRate: rate, newRate: newRate)))
    if order == .between { player.step() }
    bench.clock.store(testClock.epoch(at: switchFrame, framesPerSecond: newRate))
    for number: Int64 in 20..<60 {
      // The same instants in frames of the new length, to the nearest.
      let old = 9600 + number * 1000 - switchFrame.value
      let frame = switchFrame.value + (2 * old * newRate + rate) / (2 * rate)
      bench.facts.push(
        .pulse(
          PulseEvent(frame: FrameIndex(frame), number: number, songPulse: number, flags: [])))
    }
    player.run(until: at(1_500))

    #expect(player.clocks.count == 60)
    // Half a frame of the new length, and a microsecond for rounding.
    let tolerance = 500_000 / newRate + 1
    for (number, microseconds) in player.clocks.enumerated() {
      // 200 ms and 1000 frames of 48 kHz each.
      let exact = 200_000 + Int64(number) * 1_000_000 / 48
      #expect(abs(microseconds - exact) <= tolerance, "pulse \(number)")
    }
  }

  @Test("a moved frame is the nearest at the same instant, and what is left is told")
  func moves() {
    let epoch = EpochEvent(frame: FrameIndex(100), oldRate: 48_000, newRate: 44_100)
    #expect(epoch.moved(FrameIndex(100)).frame == FrameIndex(100))
    // 60 frames before it are 55.125 of the new length.
    #expect(epoch.moved(FrameIndex(40)).frame == FrameIndex(45))
    #expect(epoch.moved(.distantPast).frame == .distantPast)
    #expect(epoch.moved(.distantFuture).frame == .distantFuture)
    // 1000 x 44100 / 48000 = 918.75: 919, which is a quarter of a frame (5668 ns) late.
    let moved = epoch.moved(FrameIndex(1100))
    #expect(moved.frame == FrameIndex(1019) && (-5_669 ... -5_668).contains(moved.remainder))
    #expect(epoch.scaled(1000) == 919 && epoch.scaled(-1000) == -919)
  }
}
