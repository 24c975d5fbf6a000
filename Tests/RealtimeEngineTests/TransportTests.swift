import MetronomeModel
import MusicalTime
import Testing

@testable import RealtimeEngine

@Suite struct TransportTests {
  // MARK: Start

  @Test func `start puts beat one a lead-in after the command and names it`() {
    for rate: Int64 in [44_100, 48_000, 88_200, 96_000, 192_000] {
      let bench = EngineBench(rate: rate)
      bench.start(at: 1_234, id: 1)
      bench.run(to: rate)
      #expect(bench.starts.first?.frame.value == 1_234 + rate / 5)
      #expect(bench.starts.first?.firstPulse == 0)
      #expect(bench.effective(1) == 1_234 + rate / 5)
      #expect(bench.beatFrames.first == 1_234 + rate / 5)
      #expect(bench.pulses.first?.number == 0)
    }
  }

  @Test(
    arguments: [
      (30_000, 30_000), (10_601, 10_601), (10_600, 10_600), (10_599, 10_600), (-5, 10_600),
    ]
      as [(Int64, Int64)])
  func `a tagged start is heard at the tag or as soon as the lead-in allows`(
    tag: Int64, heard: Int64
  ) {
    let bench = EngineBench()
    bench.send(.start(countInBars: 0, beatOne: FrameIndex(tag)), at: 1_000, id: 1)
    bench.run(to: 50_000)
    #expect(bench.effective(1) == heard)
    #expect(bench.beatFrames.first == heard)
  }

  @Test func `start while counting in or rolling does nothing`() {
    let plain = EngineBench()
    plain.start(countIn: 1)
    plain.run(to: 300_000)
    let pressed = EngineBench()
    pressed.start(countIn: 1)
    pressed.start(at: 20_000, id: 1)
    pressed.start(at: 150_000, countIn: 2, id: 2)
    pressed.send(.resume, at: 160_000, id: 3)
    pressed.run(to: 300_000)
    #expect(pressed.pulses.map(\.frame) == plain.pulses.map(\.frame))
    #expect(pressed.beats.map(\.bar) == plain.beats.map(\.bar))
    for id: UInt32 in 1...3 { #expect(pressed.refusal(id) == .alreadyRolling) }
  }

  @Test func `start always means bar 1`() {
    let bench = EngineBench()
    bench.start()
    bench.send(.stop, at: 250_000)
    bench.start(at: 260_000)
    bench.run(to: 300_000)
    let again = bench.validBeats.first { $0.frame.value >= 260_000 }
    #expect(again?.frame.value == 269_600)
    #expect(again?.bar == 0 && again?.beat == 0)
    #expect(bench.pulses.last { $0.number == 0 }?.frame.value == 269_600)
  }

  // MARK: Stop and Continue

  /// Whatever the phase of Stop, Continue resumes at the first pulse not sent: the run with the
  /// pause cut out is the run without a pause.
  @Test(
    arguments: [
      100, 9_599, 9_600, 9_601, 33_599, 33_600, 33_601, 40_000, 81_600, 105_599, 105_600, 105_601,
      104_000, 180_123,
    ] as [Int64])
  func `stop at any phase and continue cut nothing out of the score`(stop: Int64) throws {
    let plain = EngineBench()
    plain.send(.subdivision(Subdivision(unchecked: 3, level: .soft, swing: .straight)))
    plain.start()
    let waltz = try Meter(3, 4)
    let pattern = try AccentPattern(text: "X-x", for: waltz)
    // Lands on the bar line at 105600.
    let changesMeter = stop > 9_600
    if changesMeter { plain.send(.meter(waltz, pattern), at: 9_601) }
    plain.run(to: 400_000)

    let paused = EngineBench()
    paused.send(.subdivision(Subdivision(unchecked: 3, level: .soft, swing: .straight)))
    paused.start()
    if changesMeter { paused.send(.meter(waltz, pattern), at: 9_601) }
    paused.send(.stop, at: stop, id: 9)
    let resume = stop + 77_777
    paused.send(.resume, at: resume, id: 10)
    paused.run(to: 400_000 + 120_000)

    #expect(paused.effective(9) == stop)
    // Pulses lie at 9600 + 1000 n; the first at or after the Stop is the one not sent.
    let number = max(0, (stop - 9_600 + 999) / 1_000)
    #expect(paused.stops.first?.nextPulse == number)
    #expect(paused.stops.first?.frame.value == stop)
    #expect(paused.continues.first?.firstPulse == number)
    #expect(paused.continues.first?.songPulse == number)
    #expect(paused.continues.first?.frame.value == resume + 9_600)
    #expect(paused.effective(10) == resume + 9_600)

    // Shift everything after the resumption back by the pause.
    let place = 9_600 + 1_000 * number
    let shift = resume + 9_600 - place
    func unshifted(_ frame: FrameIndex) -> Int64 {
      frame.value >= resume ? frame.value - shift : frame.value
    }
    let pulses = paused.validPulses.map { "\($0.number) \(unshifted($0.frame))" }
    #expect(
      Array(pulses.prefix(360)) == plain.pulses.prefix(360).map { "\($0.number) \($0.frame.value)" }
    )
    // A beat at or after the Stop's own place comes once; one between S and the place is void.
    let beats = paused.validBeats.map { "\($0.bar) \($0.beat) \($0.accent) \(unshifted($0.frame))" }
    let plainBeats = plain.beats.map { "\($0.bar) \($0.beat) \($0.accent) \($0.frame.value)" }
    #expect(Array(beats.prefix(13)) == Array(plainBeats.prefix(13)))
    let clicks = paused.validClicks.map { "\($0.beat) \($0.sub) \(unshifted($0.frame))" }
    let heard = plain.clicks.filter { $0.frame.value < stop || $0.frame.value >= place }
      .map { "\($0.beat) \($0.sub) \($0.frame.value)" }
    #expect(Array(clicks.prefix(36)) == Array(heard.prefix(36)))
  }

  @Test func `clicks before the stop ring out and those after it are silent`() {
    let bench = EngineBench()
    bench.useSounds([Float](repeating: 0.25, count: 2_000))
    bench.start()
    bench.send(.stop, at: 34_000)
    bench.run(to: 200_000)
    let sounding = bench.soundingFrames
    // Two clicks of 2000 frames: the second goes on for 1600 frames after the Stop.
    #expect(sounding == Array(9_600..<11_600) + Array(33_600..<35_600))
  }

  @Test func `a stop within a count-in and continue go on in the count-in`() {
    let bench = EngineBench()
    bench.start(countIn: 1)
    bench.send(.stop, at: 50_000)
    bench.send(.resume, at: 60_000)
    bench.run(to: 400_000)
    // One bar of 4/4 is 96 pulses: pulse -96 + 41 = -55 is the first at or after 50000.
    #expect(bench.stops.first?.nextPulse == -55)
    #expect(bench.continues.first?.firstPulse == -55)
    let one = bench.validBeats.first { $0.bar == 0 }
    // Bar 1 is 55 pulses after the resumption at 69600.
    #expect(one?.frame.value == 124_600)
    #expect(bench.validPulses.first { $0.number == 0 }?.frame.value == 124_600)
  }

  @Test func `stop when stopped is reported so and panic always acts`() {
    let bench = EngineBench()
    bench.send(.stop, at: 100, id: 1)
    bench.send(.panic, at: 200, id: 2)
    bench.run(to: 1_000)
    #expect(bench.refusal(1) == .alreadyStopped)
    #expect(bench.effective(2) == 200)
    #expect(bench.stops.map(\.isPanic) == [true])
  }

  @Test func `panic silences within 64 frames`() {
    let bench = EngineBench()
    bench.useSounds([Float](repeating: 0.25, count: 20_000))
    bench.send(.audioOffset(FrameCount(3_000)))
    bench.start()
    bench.send(.panic, at: 34_000)
    bench.run(to: 100_000)
    // The click due at 33600 would sound at 36600: it is silent; the one of 9600 sounds from 12600
    // to 32600 and was over.
    #expect(bench.soundingFrames == Array(12_600..<32_600))
    let early = EngineBench()
    early.useSounds([Float](repeating: 0.25, count: 20_000))
    early.start()
    early.send(.panic, at: 12_000)
    early.run(to: 100_000)
    #expect(early.soundingFrames.last! < 12_064)
    #expect(early.soundingFrames.first == 9_600)
    #expect(early.stops.first?.isPanic == true)
  }

  // MARK: Locate

  @Test func `locate is where continue resumes and is refused while rolling`() {
    let bench = EngineBench()
    bench.send(.locate(bar: 5, beat: 2), id: 1)
    bench.send(.resume, at: 100, id: 2)
    bench.send(.locate(bar: 0, beat: 0), at: 20_000, id: 3)
    bench.send(.stop, at: 60_000)
    bench.send(.locate(bar: 0, beat: 0), at: 61_000, id: 4)
    bench.send(.resume, at: 70_000)
    bench.run(to: 100_000)
    #expect(bench.refusal(3) == .rolling)
    // Bar 6, beat 3: (5 x 4 + 2) x 24 = 528 pulses.
    #expect(bench.continues.map(\.songPulse) == [528, 0])
    #expect(bench.beats.first?.bar == 5 && bench.beats.first?.beat == 2)
    #expect(bench.beatFrames.first == 9_700)
    let rewound = bench.validBeats.first { $0.frame.value >= 70_000 }
    #expect(rewound?.bar == 0 && rewound?.beat == 0)
    bench.send(.locate(bar: 0, beat: 4), at: 100_000, id: 5)
    bench.send(.stop, at: 100_000)
    bench.send(.locate(bar: 0, beat: 4), at: 100_000, id: 6)
    bench.run(to: 101_000)
    #expect(bench.refusal(6) == .outOfRange)
  }

  // MARK: Free clock

  /// The last free pulse is the latest one at least one pulse interval before beat one, so the odd
  /// gap is one to two intervals; rounding to frames may move either end by one.
  @Test(arguments: [5.0, 7.3, 29, 60, 120, 163.421, 300, 999])
  func `with a free clock the odd gap before beat one is one to two intervals`(tempo: Double) {
    var numbers = SeededNumbers(seed: UInt64(tempo * 1000))
    let interval = 2_500.0 * 48_000 / (tempo * 1000)
    for _ in 0..<12 {
      let bench = EngineBench(tempo: tempo)
      bench.keepsSamples = false
      bench.send(.freeClock(true))
      let start = Int64.random(in: 2_000...150_000, using: &numbers)
      bench.start(at: start, id: 1)
      bench.run(to: start + 100_000, periods: [256])
      let free = bench.pulses.filter { $0.flags.contains(.free) }
      let first = bench.pulses.first { !$0.flags.contains(.free) }!
      #expect(first.number == 0)
      #expect(first.frame.value == bench.effective(1))
      #expect(first.frame.value >= start + 9_600)
      // Where an interval is longer than the lead-in, beat one waits for at most one interval.
      #expect(Double(first.frame.value) <= Double(start) + max(9_600, interval) + 4_801)
      guard let last = free.last else { continue }
      let gap = Double((first.frame - last.frame).value)
      #expect(gap >= interval - 1 && gap <= 2 * interval + 1, "gap \(gap) of \(interval)")
      for (one, other) in zip(free, free.dropFirst()) {
        #expect(abs(Double((other.frame - one.frame).value) - interval) < 1)
      }
    }
  }

  @Test func `free pulses run on after a stop without a break`() {
    let bench = EngineBench()
    bench.keepsSamples = false
    bench.send(.freeClock(true))
    bench.start(at: 20_000)
    bench.send(.stop, at: 100_500)
    bench.send(.tempo(Tempo(240)!, .beat), at: 150_000, id: 1)
    bench.send(.freeClock(false), at: 200_000)
    bench.run(to: 250_000)
    let pulses = bench.validPulses.filter { $0.frame.value > 29_600 }
    for (one, other) in zip(pulses, pulses.dropFirst()) {
      let gap = (other.frame - one.frame).value
      #expect(gap == (one.frame.value < bench.effective(1)! ? 1_000 : 500))
    }
    #expect(pulses.last!.frame.value > 199_000 && pulses.last!.frame.value <= 204_800)
    #expect(pulses.filter { $0.frame.value >= 100_500 }.allSatisfy { $0.flags.contains(.free) })
  }

  @Test func `free pulses that a stop left in a glide keep a steady tempo`() {
    let bench = EngineBench()
    bench.keepsSamples = false
    bench.send(.freeClock(true))
    bench.send(
      .glide(GlideRamp(unchecked: Tempo(60)!, to: Tempo(240)!, length: .seconds(10)), .bar))
    bench.start(at: 20_000)
    bench.send(.stop, at: 200_000)
    bench.run(to: 600_000)
    let free = bench.validPulses.filter { $0.frame.value >= 200_000 }
    let gaps = zip(free, free.dropFirst()).map { ($1.frame - $0.frame).value }
    #expect(gaps.count > 100)
    #expect(gaps.max()! - gaps.min()! <= 1)
  }
}
