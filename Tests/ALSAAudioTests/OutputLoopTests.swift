import Glibc
import MusicalTime
import Testing
import ThreadCrossing

@testable import ALSAAudio

/// A loop in simulated time, with the device thread's ends in the test's hands.
private final class Bench {
  let time = SimulatedTime()
  let source = CountingSource()
  let clockCell: LatestValue<FrameClock>
  let statusCell = LatestValue(OutputStatus(framesPerSecond: 48_000))
  let arrivals = SPSCQueue<Unmanaged<OutputStream>>(capacity: 4)
  let facts = SPSCQueue<StreamFact>(capacity: 1024)
  let loop: OutputLoop<CountingSource>
  /// As the device thread does: the reference counts until the card is given back.
  var streams: [OutputStream] = []

  init() {
    let plan = PCMConfiguration(
      framesPerSecond: 48_000, channelCount: 2, format: .float32, periodFrames: 256,
      bufferFrames: 1024)
    // Frame 0 is heard a buffer (1024 frames, 21.333 ms) from now.
    let clock = FrameClock(
      frame: FrameIndex(0), heardAt: time.time.advanced(byNanoseconds: 21_333_333),
      framesPerSecond: 48_000)
    clockCell = LatestValue(clock)
    loop = OutputLoop(
      source: source, host: time, clock: clock, plan: plan, clockCell: clockCell.writer,
      statusCell: statusCell.writer, arrivals: arrivals.ends, facts: facts.ends,
      deviceWakeUp: nil)
  }

  func plug(_ card: SimulatedCard) {
    let stream = OutputStream(device: card)
    streams.append(stream)
    arrivals.push(Unmanaged.passUnretained(stream))
  }

  /// Turns the loop until simulated time has passed, and fails where it turns without end.
  func run(milliseconds: Int64) {
    let end = time.time.advanced(byNanoseconds: milliseconds * 1_000_000)
    var turns = 0
    while time.time < end {
      loop.turn()
      turns += 1
      // A turn takes a quantum (5.3 ms) or so; ten times as many is a busy loop.
      if turns > 1_000 + Int(milliseconds) * 2 {
        Issue.record("the loop turns without waiting")
        return
      }
    }
  }

  func takeFacts() -> [StreamFact] {
    var taken: [StreamFact] = []
    while let fact = facts.pop() { taken.append(fact) }
    return taken
  }

  func lostCodes() -> [Int32] { takeFacts().filter { $0.kind == .lost }.map(\.code) }

  var status: OutputStatus { statusCell.load() }
  var clock: FrameClock { clockCell.load() }

  /// The largest distance of a heard frame from the instant that a clock gives it, in nanoseconds.
  func worstError(_ card: SimulatedCard, against clock: FrameClock, fromFrame: Int64 = 0) -> Int64 {
    var worst: Int64 = 0
    for (instant, sample) in card.heard {
      guard let frame = CountingSource.frame(of: sample), frame >= fromFrame else { continue }
      let error = instant.nanoseconds(since: clock.time(of: FrameIndex(frame)))
      worst = max(worst, abs(error))
    }
    return worst
  }
}

/// Frames in the order heard, silence left out.
private func frames(_ card: SimulatedCard) -> [Int64] {
  card.heard.compactMap { CountingSource.frame(of: $0.sample) }
}

/// Frames between the first and the last that were never heard.
private func unheard(_ frames: [Int64]) -> Int {
  zip(frames, frames.dropFirst()).reduce(0) { $0 + Int($1.1 - $1.0 - 1) }
}

private func breaks(_ frames: [Int64]) -> Int {
  zip(frames, frames.dropFirst()).filter { $1 != $0 + 1 }.count
}

@Suite struct PlayingLaws {
  @Test("sound joins in on the frame that is due, and no frame is missing or doubled after it")
  func joinsInPhase() {
    let bench = Bench()
    let card = SimulatedCard(bench.time)
    bench.plug(card)
    let line = bench.clock
    bench.run(milliseconds: 1_000)
    #expect(bench.status.state == .playing)
    #expect(breaks(frames(card)) == 0)
    #expect(frames(card).count > 44_000)
    // Half a frame at 48 kHz is 10.4 us; a nanosecond for rounding.
    #expect(bench.worstError(card, against: line) <= 10_418)
    #expect(bench.status.xruns == 0 && bench.status.missingFrames == 0)
  }

  @Test("the clock follows the card that plays", arguments: [-200.0, 35, 200])
  func followsDrift(ppm: Double) {
    let bench = Bench()
    let card = SimulatedCard(bench.time, driftPPM: ppm)
    bench.plug(card)
    bench.run(milliseconds: 12_000)
    #expect(abs(bench.status.driftPPM - ppm) < 1)
    #expect(breaks(frames(card)) == 0)
    // The last second of sound against the line that was learned: one frame of position is read
    // at a time, so the line lies within one.
    let last = frames(card).last ?? 0
    #expect(bench.worstError(card, against: bench.clock, fromFrame: last - 48_000) < 20_834)
  }

  @Test(
    "a mixer that wakes at the periods of its own card is joined at once, wherever a stream starts",
    arguments: [(512, 4), (600, 4), (800, 3), (1_024, 3)], [0, 1, 100, 255, 500, 511])
  func joinsMixer(period: (frames: Int, count: Int), phase: Int64) {
    let bench = Bench()
    let card = SimulatedCard(
      bench.time, periodFrames: period.frames, bufferFrames: period.frames * period.count)
    card.mixerPeriodFrames = Int64(period.frames)
    card.mixerPhaseFrames = phase
    bench.plug(card)
    let line = bench.clock
    bench.run(milliseconds: 1_000)
    #expect(bench.status.state == .playing)
    #expect(bench.status.xruns == 0 && bench.status.missingFrames == 0 && bench.status.losses == 0)
    #expect(breaks(frames(card)) == 0)
    // Three wake-ups and a buffer of 64 ms at the longest: 150 ms of silence at the start.
    #expect(frames(card).count > 40_000)
    #expect(bench.worstError(card, against: line) <= 10_418)
  }

  @Test("a stream that starts within a mixer's period keeps its whole buffer")
  func mixerBuffer() {
    let bench = Bench()
    let card = SimulatedCard(bench.time, periodFrames: 1_024, bufferFrames: 3_072)
    card.mixerPeriodFrames = 1_024
    // Woken with 2 x 1024 - 24 frames of room each time, were it never filled up between.
    card.mixerPhaseFrames = 24
    bench.plug(card)
    bench.run(milliseconds: 1_000)
    #expect(bench.status.state == .playing)
    // A period is due and a quarter of one is left: 3072 - 1024 - 256 frames at the least.
    #expect(card.leastQueued >= 1_792)
  }

  @Test("stale first stamps are passed over")
  func staleStamps() {
    let bench = Bench()
    let card = SimulatedCard(bench.time)
    // Some are read when the card is started, before it is asked for a time.
    card.staleStamps = 6
    bench.plug(card)
    let line = bench.clock
    bench.run(milliseconds: 500)
    #expect(bench.status.state == .playing)
    #expect((1...6).contains(bench.status.doubtfulStamps))
    #expect(bench.worstError(card, against: line) <= 10_418)
  }

  @Test(
    "what lies between buffer and converter is known to the clock", arguments: [96, 512, 3_000])
  func transfers(frameCount: Int) {
    let bench = Bench()
    let card = SimulatedCard(bench.time)
    card.transferFrames = frameCount
    bench.plug(card)
    let line = bench.clock
    bench.run(milliseconds: 1_000)
    #expect(bench.status.state == .playing)
    #expect(breaks(frames(card)) == 0)
    #expect(frames(card).count > 40_000)
    #expect(bench.worstError(card, against: line) <= 10_418)
  }

  @Test(
    "a stream that is moved without an error joins in again, and the clock does not follow the move",
    arguments: [5, 25, 60, 700] as [Int64])
  func movedSilently(milliseconds: Int64) {
    let bench = Bench()
    let card = SimulatedCard(bench.time, driftPPM: 20)
    bench.plug(card)
    bench.run(milliseconds: 8_000)
    let line = bench.clock
    card.pause(milliseconds: milliseconds)
    bench.run(milliseconds: 1_500)
    let before = frames(card).last ?? 0
    bench.run(milliseconds: 1_500)
    #expect(bench.status.state == .playing)
    #expect(bench.status.xruns == 1)
    #expect(bench.status.missingFrames == unheard(frames(card)))
    // What was written meanwhile came late by the pause; from 1.5 s on all is where it belongs.
    #expect(
      bench.worstError(card, against: line, fromFrame: before + 1)
        <= line.uncertaintyNanoseconds(of: FrameIndex(before + 96_000)))
    // It comes back half a frame off at most, by a position cut to a whole frame: 31 us. In two
    // seconds a loop of 0.1 Hz makes of them (2 pi 0.1)^2 x 31 us/s x 2 s = 25 ppm for a while.
    #expect(abs(bench.status.driftPPM - 20) < 25)
  }

  @Test("a few wild stamps in a row are no move", arguments: [1, 4])
  func wildStamps(count: Int) {
    var steps = ClockStepDetector()
    for _ in 0..<count {
      #expect(steps.take(errorNanoseconds: 25_000_000, jitterNanoseconds: 20_000) == .doubtful)
    }
    #expect(steps.take(errorNanoseconds: 100_000, jitterNanoseconds: 20_000) == .steady)
    // Far off, but each elsewhere.
    for error: Int64 in [25_000_000, -25_000_000, 4_000_000, 9_000_000, 25_000_000, 4_000_000] {
      #expect(steps.take(errorNanoseconds: error, jitterNanoseconds: 20_000) == .doubtful)
    }
  }

  @Test("a device that never stamps still plays, by the time of the call")
  func neverStamps() {
    let bench = Bench()
    let card = SimulatedCard(bench.time)
    card.staleStamps = .max
    bench.plug(card)
    bench.run(milliseconds: 1_000)
    #expect(bench.status.state == .playing)
    #expect(breaks(frames(card)) == 0)
  }

  @Test("consumers are woken once after each render")
  func wakes() {
    let bench = Bench()
    bench.plug(SimulatedCard(bench.time))
    bench.run(milliseconds: 300)
    #expect(bench.source.wakes == bench.source.renders + bench.source.skips)
  }
}

@Suite struct BreakLaws {
  @Test("an xrun costs sound, not time", arguments: [30, 300, 3_000] as [Int64])
  func xrun(milliseconds: Int64) {
    let bench = Bench()
    let card = SimulatedCard(bench.time)
    bench.plug(card)
    bench.run(milliseconds: 2_000)
    let line = bench.clock
    let allowed = line.uncertaintyNanoseconds
    let before = frames(card).last ?? 0
    // The process stands still; the buffer of 21 ms runs empty.
    bench.time.pass(milliseconds: milliseconds)
    bench.run(milliseconds: 1_000)
    let heard = frames(card)
    #expect(bench.status.state == .playing)
    #expect(bench.status.xruns == 1)
    #expect(breaks(heard) == 1)
    // What was not heard is what is counted.
    let after = heard.first { $0 > before } ?? 0
    #expect(bench.status.missingFrames == Int(after - before - 1))
    // The hole is the stop without the buffer that played on, and the way back in.
    let stopped = milliseconds * 48
    #expect(after - before > stopped - 1_024 && after - before < stopped + 3 * 1_024)
    #expect(bench.worstError(card, against: line, fromFrame: after) <= allowed)
  }

  @Test(
    "a card whose position moves in ticks comes back on its frame, whatever the tick's phase",
    arguments: [1, 4, 10] as [Int64], [256, 480, 1024])
  func xrunInTicks(tickMilliseconds: Int64, periodFrames: Int) {
    let bench = Bench()
    let card = SimulatedCard(
      bench.time, periodFrames: periodFrames, bufferFrames: 4 * periodFrames)
    card.tickMilliseconds = tickMilliseconds
    bench.plug(card)
    bench.run(milliseconds: 1_503)
    for phase: Int64 in 0..<6 {
      let line = bench.clock
      let before = frames(card).last ?? 0
      bench.time.pass(
        until: bench.time.time.advanced(byNanoseconds: 200_000_700 + phase * 1_740_000))
      bench.run(milliseconds: 300)
      #expect(bench.status.state == .playing)
      #expect(
        bench.worstError(card, against: line, fromFrame: before + 1)
          <= line.uncertaintyNanoseconds)
    }
    #expect(bench.status.xruns == 6)
  }

  @Test("a short write followed by an xrun loses what was not taken, and no more")
  func shortWriteThenXrun() {
    let bench = Bench()
    let card = SimulatedCard(bench.time)
    bench.plug(card)
    bench.run(milliseconds: 1_000)
    let line = bench.clock
    card.planned[.write] = [-Int(EPIPE)]
    card.shortWrite = 100
    bench.run(milliseconds: 500)
    #expect(bench.status.xruns == 1)
    #expect(breaks(frames(card)) == 1)
    #expect(bench.worstError(card, against: line) <= line.uncertaintyNanoseconds)
  }

  @Test("a write that would block is asked again only after waiting")
  func wouldBlock() {
    let bench = Bench()
    let card = SimulatedCard(bench.time)
    bench.plug(card)
    bench.run(milliseconds: 500)
    card.planned[.write] = [-Int(EAGAIN), -Int(EAGAIN)]
    bench.run(milliseconds: 500)
    #expect(bench.status.xruns == 0)
    #expect(breaks(frames(card)) == 0)
    #expect(bench.time.worstIdleCalls < 20)
  }

  @Test(
    "after sleep a card that can resume does, one that cannot is prepared; time went on in both",
    arguments: [true, false])
  func suspend(canResume: Bool) {
    let bench = Bench()
    let card = SimulatedCard(bench.time)
    bench.plug(card)
    bench.run(milliseconds: 1_000)
    let line = bench.clock
    let before = frames(card).last ?? 0
    if !canResume { card.planned[.resume] = [-Int(ENOSYS)] }
    card.suspend()
    bench.run(milliseconds: 1_000)
    #expect(bench.status.state == .playing)
    #expect(bench.takeFacts().map(\.kind) == [.playing, .suspended, .resumed, .playing])
    #expect(bench.worstError(card, against: line, fromFrame: before + 1) < 40_000)
    #expect(bench.status.missingFrames == unheard(frames(card)))
  }

  @Test("while the machine says that the card still sleeps it is asked ten times a second")
  func staysSuspended() {
    let bench = Bench()
    let card = SimulatedCard(bench.time)
    bench.plug(card)
    bench.run(milliseconds: 500)
    card.planned[.resume] = Array(repeating: -Int(EAGAIN), count: 1_000)
    card.suspend()
    let frame = bench.source.frame
    bench.run(milliseconds: 5_000)
    #expect(bench.status.state == .suspended)
    #expect(card.calls[.resume, default: 0] <= 51)
    // Music time went on: 5 s are 240000 frames, give or take a buffer.
    #expect(abs(bench.source.frame - frame - 240_000) < 1_500)
  }

  @Test(
    "a card that is gone is let go at once and never touched again",
    arguments: [ENODEV, EBADFD, EIO, ENXIO], [SimulatedCard.Call.wait, .status, .write])
  func gone(code: Int32, at call: SimulatedCard.Call) {
    let bench = Bench()
    let card = SimulatedCard(bench.time)
    bench.plug(card)
    bench.run(milliseconds: 500)
    _ = bench.takeFacts()
    card.planned[call] = [-Int(code)]
    if call == .write { card.shortWrite = 117 }
    bench.run(milliseconds: 100)
    #expect(bench.lostCodes() == [-code])
    let calls = card.calls
    let frame = bench.source.frame
    let line = bench.clock
    bench.run(milliseconds: 2_000)
    #expect(card.calls == calls)
    #expect(bench.status.state == .freeRunning)
    #expect(bench.status.losses == 1)
    // 2 s at 48 kHz, give or take a quantum: the pace is unchanged.
    #expect(abs(bench.source.frame - frame - 96_000) <= 512)
    #expect(bench.clock == line)
  }

  @Test("a card that returns is taken back in phase, also one that runs at another speed")
  func returns() {
    let bench = Bench()
    let first = SimulatedCard(bench.time, driftPPM: 50)
    bench.plug(first)
    bench.run(milliseconds: 15_000)
    first.planned[.wait] = [-Int(ENODEV)]
    bench.run(milliseconds: 4_000)
    let line = bench.clock
    let second = SimulatedCard(bench.time, driftPPM: -50)
    bench.plug(second)
    bench.run(milliseconds: 100)
    #expect(bench.status.state == .playing)
    #expect(!frames(second).isEmpty)
    #expect(breaks(frames(second)) == 0)
    // The clock as it ran on through the gap says when the frames of the second card are due.
    let allowed = line.uncertaintyNanoseconds(of: FrameIndex(frames(second).first ?? 0))
    let early = second.heard.prefix(3_000).compactMap { heard -> Int64? in
      CountingSource.frame(of: heard.sample).map {
        heard.time.nanoseconds(since: line.time(of: FrameIndex($0)))
      }
    }
    #expect(!early.isEmpty)
    #expect((early.map { abs($0) }.max() ?? .max) <= allowed)
  }

  @Test("a card at another rate begins an epoch: the index runs on")
  func epoch() {
    let bench = Bench()
    bench.run(milliseconds: 1_000)
    let before = bench.source.frame
    let line = bench.clock
    let card = SimulatedCard(bench.time, framesPerSecond: 44_100)
    bench.plug(card)
    bench.run(milliseconds: 1_000)
    #expect(bench.source.rates == [44_100])
    #expect(bench.status.framesPerSecond == 44_100)
    #expect(bench.clock.framesPerSecond == 44_100)
    // The switch is at the first frame not rendered, at its old instant.
    let epoch = line.epoch(at: FrameIndex(before), framesPerSecond: 44_100)
    // Half a frame at 44.1 kHz is 11.34 us.
    #expect(bench.worstError(card, against: epoch) < 11_340 + 2_000)
    #expect(abs(bench.source.frame - before - 44_100) < 1_500)
  }

  @Test("a card whose rate the source cannot follow is given back")
  func rateRefused() {
    let bench = Bench()
    bench.source.followsRate = false
    let card = SimulatedCard(bench.time, framesPerSecond: 44_100)
    bench.plug(card)
    bench.run(milliseconds: 500)
    #expect(bench.takeFacts().map(\.kind) == [.rateRefused])
    #expect(card.calls.isEmpty)
    #expect(bench.status.state == .freeRunning)
  }

  @Test("a card that stands still is let go after two seconds; music time does not stand still")
  func stalled() {
    let bench = Bench()
    let card = SimulatedCard(bench.time)
    bench.plug(card)
    bench.run(milliseconds: 1_000)
    card.frozenAt = bench.time.time
    let frame = bench.source.frame
    bench.run(milliseconds: 4_000)
    #expect(bench.lostCodes() == [-EIO])
    // 4 s are 192000 frames.
    #expect(abs(bench.source.frame - frame - 192_000) < 2_500)
  }

  @Test("what a card's absence took is counted, also while it lasts and from the very start")
  func countsAbsence() {
    let bench = Bench()
    let first = SimulatedCard(bench.time)
    bench.plug(first)
    bench.run(milliseconds: 1_000)
    first.planned[.status] = [-Int(ENODEV)]
    bench.run(milliseconds: 3_000)
    let last = frames(first).last ?? 0
    // 3 s are 144000 frames, less what was written ahead, give or take a quantum.
    #expect(abs(bench.status.missingFrames - 144_000) < 1_500)
    let second = SimulatedCard(bench.time)
    bench.plug(second)
    bench.run(milliseconds: 1_000)
    #expect(bench.status.missingFrames == Int((frames(second).first ?? 0) - last - 1))
  }

  @Test("a card that breaks off again and again is let go, not retried for ever")
  func storm() {
    let bench = Bench()
    let card = SimulatedCard(bench.time)
    bench.plug(card)
    bench.run(milliseconds: 500)
    card.planned[.wait] = Array(repeating: -Int(EPIPE), count: 10_000)
    bench.run(milliseconds: 1_000)
    #expect(bench.lostCodes() == [-EPIPE])
    #expect(card.calls[.prepare, default: 0] <= 9)
  }

  @Test("a device that says ready without room is not asked in a busy loop")
  func spuriousReady() {
    let bench = Bench()
    let card = SimulatedCard(bench.time)
    bench.plug(card)
    bench.run(milliseconds: 500)
    card.planned[.wait] = Array(repeating: 1, count: 2_000)
    let waits = card.calls[.wait, default: 0]
    bench.run(milliseconds: 1_000)
    // A period is 5.3 ms: 188 a second; a few more where the answer was a lie.
    #expect(card.calls[.wait, default: 0] - waits < 600)
    #expect(breaks(frames(card)) == 0)
  }
}

@Suite struct FreeRunLaws {
  @Test("without a card the source keeps the clock's pace, a buffer ahead")
  func pace() {
    let bench = Bench()
    for _ in 0..<10 {
      bench.run(milliseconds: 1_000)
      let now = bench.clock.frame(at: bench.time.time)
      let lead = (FrameIndex(bench.source.frame) - now).value
      #expect(lead > 1_024 - 257 && lead <= 1_024)
    }
    #expect(bench.source.skipped == 0)
  }

  @Test("what should have been heard while the process stood still is skipped, not made up for")
  func stopped() {
    let bench = Bench()
    bench.run(milliseconds: 500)
    let renders = bench.source.renders
    bench.time.pass(milliseconds: 2_000)
    bench.loop.turn()
    #expect(bench.source.skips == 1)
    #expect(bench.source.renders - renders <= 5)
    // All but the lead of 1024 frames that was rendered before: 96000 frames in 2 s.
    #expect(abs(bench.source.skipped - 96_000) < 1_024)
  }

  @Test("one turn without a card sleeps once and renders about once")
  func oneSleep() {
    let bench = Bench()
    bench.run(milliseconds: 100)
    let renders = bench.source.renders
    for _ in 0..<100 { bench.loop.turn() }
    #expect(bench.source.renders - renders == 100)
  }
}
