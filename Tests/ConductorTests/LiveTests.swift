import MetronomeModel
import MusicalTime
import RealtimeEngine
import Testing

@testable import Conductor

/// Laws that need both: what the Conductor decides and what the engine makes of it.
///
/// All at 48 kHz: 120 a minute is 24 000 frames a beat; the lead-in is 9 600.
@Suite("Conductor and engine")
struct LiveTests {
  @Test("the first beat comes 200 ms after Start, and the answer names it")
  func start() {
    let rig = LiveRig()
    let start = rig.submit(.start)
    rig.run(seconds: 1.3)
    #expect(rig.effective(start) == 9_600)
    #expect(rig.beats.map(\.frame) == [9_600, 33_600, 57_600])
    #expect(rig.state.bar == 1)
    #expect(rig.state.transport == .rolling)
  }

  @Test("a tempo lands on the very next beat, and no interval is a mixture")
  func tempo() {
    let rig = LiveRig()
    rig.submit(.start)
    rig.run(to: 30_000)
    let change = rig.submit(.tempo(90, unit: nil, when: .beat))
    rig.run(to: 120_000)
    #expect(rig.effective(change) == 33_600)
    // 90 a minute: 32 000 frames.
    #expect(rig.beats.map(\.frame).prefix(4) == [9_600, 33_600, 65_600, 97_600])
    #expect(rig.state.tempo == .quarters(90))
    #expect(rig.state.quarterThousandths == 90_000)
  }

  @Test("with `bar` it waits for the bar line")
  func tempoAtBar() {
    let rig = LiveRig()
    rig.submit(.start)
    rig.run(to: 30_000)
    let change = rig.submit(.tempo(60, unit: nil, when: .bar))
    rig.run(to: 160_000)
    // Bar 2 begins at 9 600 + 4 x 24 000.
    #expect(rig.effective(change) == 105_600)
    #expect(rig.frame(bar: 2) == 105_600)
    #expect(rig.frame(bar: 2, beat: 2) == 153_600)
  }

  @Test("push gains 4 % while held and gives back exactly the old tempo")
  func push() {
    let rig = LiveRig()
    rig.submit(.start)
    rig.run(to: 50_000)
    rig.submit(.push(true))
    rig.run(to: 200_000)
    rig.submit(.push(false))
    rig.run(to: 400_000)
    let frames = rig.beats.map(\.frame)
    let intervals = zip(frames.dropFirst(), frames).map { $0 - $1 }
    #expect(intervals.first == 24_000)
    // 24 000 / 1.04 = 23 076.92
    #expect(intervals.contains(23_077))
    #expect(intervals.suffix(4).allSatisfy { $0 == 24_000 })
    #expect(intervals.allSatisfy { (23_076...24_000).contains($0) })
    #expect(rig.state.tempo == .quarters(120))
  }

  @Test("a count-in is as long as its bars, then bar 1; the state follows")
  func countIn() {
    let rig = LiveRig()
    rig.submit(.countIn(bars: 1))
    rig.submit(.start)
    rig.run(to: 12_000)
    #expect(rig.state.transport == .countingIn)
    #expect(rig.state.bar == -1)
    rig.run(to: 120_000)
    #expect(rig.frame(bar: 1) == 105_600)
    #expect(rig.state.transport == .rolling)
  }

  @Test("meter and pattern change together at the bar line; the old bar is played out")
  func meter() throws {
    let rig = LiveRig()
    rig.submit(.start)
    rig.run(to: 60_000)
    let change = rig.submit(.meterAndPattern(try Meter(text: "3/4"), "X-x"))
    rig.run(to: 200_000)
    #expect(rig.effective(change) == 105_600)
    #expect(rig.beats.map(\.beat).prefix(8) == [1, 2, 3, 4, 1, 2, 3, 1])
    let accents = rig.events.compactMap { event -> Accent? in
      if case .beat(let beat) = event { beat.accent } else { nil }
    }
    #expect(Array(accents.dropFirst(4).prefix(3)) == [.strong, .soft, .normal])
  }

  @Test("Stop keeps the place, Continue goes on there, Start is bar 1 again")
  func stopAndContinue() {
    let rig = LiveRig()
    rig.submit(.start)
    rig.run(to: 120_000)
    #expect(rig.state.bar == 2)
    rig.submit(.stop)
    rig.run(to: 130_000)
    #expect(rig.state.transport == .stopped)
    let refused = rig.submit(.locate(bar: 1, beat: 99))
    #expect(rig.refusal(refused)?.code == .value)
    rig.submit(.continue)
    rig.run(to: 250_000)
    #expect(rig.beats.map(\.bar).prefix(8) == [1, 1, 1, 1, 2, 2, 2, 2])
    #expect(rig.state.transport == .rolling)
    rig.submit(.stop)
    rig.run(to: 260_000)
    rig.submit(.start)
    rig.run(to: 275_000)
    #expect(rig.state.bar == 1)
  }

  @Test("locate while stopped is where Continue goes on")
  func locate() {
    let rig = LiveRig()
    rig.submit(.locate(bar: 3, beat: 2))
    rig.submit(.continue)
    rig.run(seconds: 1)
    #expect(rig.beats.first.map { [$0.bar, $0.beat] } == [3, 2])
  }

  @Test("the place that locate names is told at once, and no beat from before it changes that")
  func locatedPlace() {
    let rig = LiveRig()
    rig.submit(.start)
    // Beat 3 at 57 600 is announced, 100 ms ahead, and void.
    rig.run(to: 55_000)
    rig.submit(.stop)
    rig.submit(.locate(bar: 3, beat: 2))
    #expect([rig.state.bar, rig.state.beat] == [3, 2])
    let reported = rig.outputs.count
    rig.run(seconds: 0.5)
    #expect([rig.state.bar, rig.state.beat] == [3, 2])
    rig.submit(.rewind)
    #expect([rig.state.bar, rig.state.beat] == [1, 1])
    let changes = rig.outputs[reported...].filter {
      if case .changed(.transport) = $0 { true } else { false }
    }
    #expect(changes.count == 1)
  }

  @Test("the quarter tempo follows a request that comes while nothing runs")
  func stoppedTempo() {
    let rig = LiveRig()
    rig.submit(.tempo(72, unit: NoteValue(text: "1/4."), when: .beat))
    rig.run(seconds: 0.1)
    // 72 dotted quarters a minute are 108 quarters.
    #expect(rig.state.quarterThousandths == 108_000)
  }

  @Test("a section chosen or located while stopped is the section told, and so is its bar")
  func stoppedSection() {
    let rig = LiveRig(library: Shelf.evening)
    rig.submit(.loadMap(name: "song"))
    rig.submit(.section(.name("end")))
    // Bar 1 is the intro, 2 and 3 are the verse.
    #expect(rig.state.section == 2)
    #expect([rig.state.bar, rig.state.beat] == [4, 1])
    rig.submit(.locate(bar: 3, beat: 1))
    #expect(rig.state.section == 1)
    rig.submit(.continue)
    rig.run(seconds: 0.3)
    #expect(rig.beats.first.map { [$0.bar, $0.beat] } == [3, 1])
    #expect(rig.state.section == 1)
  }

  @Test("taps set the tempo at the next beat, in the middle of the music")
  func taps() {
    let rig = LiveRig()
    rig.submit(.start)
    rig.run(to: 9_600)
    // Three taps 400 ms apart: 150 a minute, 19 200 frames.
    var answer: UInt32 = 0
    for _ in 0..<3 {
      rig.run(to: rig.engine.now.value + 19_200)
      let time = MonotonicTime(nanoseconds: rig.engine.now.value * 1_000_000_000 / 48_000)
      answer = rig.submit(.tap(at: time, series: 1))
    }
    rig.run(seconds: 2)
    // The third tap is at 9 600 + 57 600 = 67 200; the next beat at 9 600 + 3 x 24 000 = 81 600.
    #expect(rig.effective(answer) == 81_600)
    #expect(rig.state.tempo == .quarters(150))
    #expect(rig.beats.map(\.frame).contains(81_600 + 19_200))
  }

  @Test("a trainer changes at bar lines, clamps its last level, then holds")
  func trainer() {
    let rig = LiveRig()
    rig.submit(.trainer(from: 100, to: 120, step: 15, share: .barsPerLevel(2)))
    rig.submit(.start)
    rig.run(seconds: 30)
    // 2 bars at 100: 8 x 28 800; 2 bars at 115: 8 beats of 25 043.478; then 120.
    let levels = rig.events.compactMap { event -> [Int64]? in
      guard case .trainer(let trainer) = event, trainer.kind == .level else { return nil }
      return [Int64(trainer.tempo.thousandths), trainer.frame.value]
    }
    // 9 600 + 230 400 = 240 000; + 200 347.826 = 440 347.826
    #expect(levels == [[100_000, 9_600], [115_000, 240_000], [120_000, 440_348]])
    #expect(rig.state.ramp == nil)
    #expect(rig.state.tempo == .quarters(120))
    #expect(rig.frame(bar: 3) == 240_000)
    #expect(rig.frame(bar: 5) == 440_348)
  }

  @Test("progress is readable in the middle of a trainer")
  func trainerProgress() throws {
    let rig = LiveRig()
    // 3 levels of 20 s.
    rig.submit(.trainer(from: 100, to: 120, step: 10, share: .totalMilliseconds(60_000)))
    rig.submit(.start)
    rig.run(to: 9_600 + 30 * 48_000)
    let now = FrameIndex(9_600 + 30 * 48_000)
    let progress = try #require(rig.conductor.rampProgress(at: now))
    #expect(progress.level == 2)
    #expect(progress.levelCount == 3)
    #expect(progress.tempo == .quarters(110))
    #expect(abs(progress.fraction - 0.5) < 1e-9)
    #expect(abs(progress.secondsLeft - 30) < 1e-6)
  }

  @Test("a tempo cancels a running trainer: no level comes after it")
  func trainerCancelled() {
    let rig = LiveRig()
    rig.submit(.trainer(from: 100, to: 140, step: 10, share: .barsPerLevel(1)))
    rig.submit(.start)
    rig.run(to: 9_600 + 150_000)
    #expect(rig.state.ramp != nil)
    rig.submit(.tempo(90, unit: nil, when: .beat))
    rig.run(seconds: 20)
    #expect(rig.state.tempo == .quarters(90))
    #expect(rig.state.ramp == nil)
    #expect(rig.tempos.last?.thousandths == 90_000)
  }

  @Test("trainer ends: stop at the bar line, return to the tempo before, loop")
  func trainerEnds() {
    for end in [SpeedTrainer.End.stop, .return, .loop] {
      let rig = LiveRig()
      rig.submit(.tempo(66, unit: nil, when: .beat))
      rig.submit(.trainerEnd(end))
      rig.submit(.trainer(from: 120, to: 160, step: 40, share: .barsPerLevel(1)))
      rig.submit(.start)
      // A bar at 120 is 96 000 frames, a bar at 160 is 72 000: over at 177 600.
      rig.run(to: 200_000)
      switch end {
      case .stop:
        #expect(rig.state.transport == .stopped)
        #expect(rig.beats.count == 8)
      case .return:
        #expect(rig.state.tempo == .quarters(66))
        #expect(rig.frame(bar: 3) == 177_600)
      default:
        #expect(rig.state.ramp != nil)
        #expect(rig.state.tempo == .quarters(120))
      }
    }
  }

  @Test("120 to 140 in 96/13 s passes exactly 16 quarters, and then it is over")
  func glide() {
    let rig = LiveRig()
    rig.submit(.glide(from: 120, to: 140, length: .seconds(96.0 / 13), when: .bar))
    rig.submit(.start)
    rig.run(seconds: 12)
    // 96/13 s x 48 000 = 354 461.54 frames from 9 600.
    #expect(abs((rig.frame(bar: 5) ?? 0) - 364_062) <= 1)
    #expect(rig.state.ramp == nil)
    #expect(rig.state.tempo == .quarters(140))
  }

  @Test("Start begins a glide anew; Continue goes on in it")
  func glideAnew() {
    let rig = LiveRig()
    rig.submit(.glide(from: 120, to: 240, length: .seconds(20), when: .bar))
    rig.submit(.start)
    rig.run(seconds: 10)
    rig.submit(.stop)
    rig.run(seconds: 1)
    #expect(rig.state.ramp != nil)
    rig.submit(.continue)
    rig.run(seconds: 2)
    #expect(rig.state.quarterThousandths > 175_000)
    rig.submit(.stop)
    rig.run(seconds: 1)
    rig.submit(.start)
    rig.run(seconds: 0.4)
    #expect(rig.state.quarterThousandths < 125_000)
    #expect(rig.state.ramp != nil)
  }

  @Test("a timer stops at the first bar line at or after its time, and says so")
  func timer() {
    let rig = LiveRig()
    rig.submit(.tempo(130, unit: nil, when: .beat))
    rig.submit(.timer(minutes: 1))
    rig.submit(.start)
    rig.run(to: 9_600 + 20 * 48_000)
    let now = rig.engine.now
    #expect(abs((rig.conductor.timerSecondsLeft(at: now) ?? 0) - 40) < 1e-9)
    rig.run(seconds: 45)
    // A bar at 130 is 24/13 s; 60 s are 32.5 bars: the line of bar 34, 33 x 24/13 s = 60.923 s.
    let ends = rig.outputs.compactMap { output -> Int64? in
      if case .timerEnded(let frame) = output { frame.value } else { nil }
    }
    // 9 600 + 33 x 88 615.3846 = 2 933 907.69
    #expect(ends == [2_933_908])
    #expect(rig.state.transport == .stopped)
    #expect(rig.state.timerMinutes == nil)
  }

  @Test("a tagged Start is heard at its tag, also with a count-in")
  func tagged() {
    let rig = LiveRig()
    rig.submit(.countIn(bars: 1))
    let start = rig.submit(.start, notBefore: FrameIndex(24_000))
    rig.run(seconds: 3)
    #expect(rig.effective(start) == 24_000)
    #expect(rig.beats.first?.frame == 24_000)
    #expect(rig.frame(bar: 1) == 120_000)
    rig.submit(.stop)
    rig.run(to: 170_000)
    let again = rig.submit(.continue, notBefore: FrameIndex(190_000))
    rig.run(to: 195_000)
    #expect(rig.effective(again) == 190_000)
    // Nearer than the lead-in: the earliest possible, and the answer says when.
    rig.submit(.stop)
    rig.run(to: 200_000)
    let late = rig.submit(.start, notBefore: FrameIndex(200_100))
    rig.run(seconds: 1)
    #expect(rig.effective(late) == 209_600)
  }

  @Test("with an early offset of 300 ms the lead-in is 321 ms and beats are announced ahead")
  func earlyOffset() {
    var state = MetronomeState()
    state.midiPorts = [MIDIPortConfiguration(name: "Clock", offsetMilliseconds: -300)]
    let rig = LiveRig(state: state)
    let start = rig.submit(.start)
    rig.run(seconds: 0.1)
    #expect(rig.effective(start) == 15_408)
  }

  @Test("random commands never leave a request without its one answer, nor a gap in the beats")
  func randomCommands() {
    var seed: UInt64 = 20
    func next(_ bound: UInt64) -> UInt64 {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (seed >> 33) % bound
    }
    let rig = LiveRig()
    rig.submit(.start)
    let commands = AnswerTests.commands.filter {
      // What stops, restarts or bends the music has gaps and laws of its own.
      switch $0 {
      case .stop, .panic, .toggle, .quit, .glide, .push, .pull, .timer, .timerStops, .trainerEnd:
        false
      default: true
      }
    }
    var requests: [UInt32] = []
    for _ in 0..<400 {
      rig.run(to: rig.engine.now.value + Int64(next(20_000)))
      requests.append(rig.submit(commands[Int(next(UInt64(commands.count)))]))
    }
    rig.run(seconds: 30)
    var answers: [UInt32: Int] = [:]
    for output in rig.outputs {
      switch output {
      case .accepted(let request), .effective(let request, _), .refused(let request, _):
        answers[request, default: 0] += 1
      default: break
      }
    }
    #expect(requests.allSatisfy { answers[$0] == 1 })
    // The slowest tempo that these commands reach bounds every gap: no beat is lost or doubled.
    let slowest = rig.tempos.map(\.thousandths).min() ?? 120_000
    let longest = 60_000 * 48_000 / Int64(slowest) + 1
    let fastest = rig.tempos.map(\.thousandths).max() ?? 120_000
    let shortest = 60_000 * 48_000 / Int64(fastest)
    let frames = rig.beats.map(\.frame)
    for (later, earlier) in zip(frames.dropFirst(), frames) {
      #expect((shortest...longest).contains(later - earlier))
    }
  }

  @Test("with the phase option the beat moves to the tap by at most 10 % of tempo, then is steady")
  func tapPhase() {
    let rig = LiveRig()
    rig.submit(.tapPhase(true))
    rig.submit(.start)
    rig.run(to: 57_600)
    // Taps every 24 000 frames, 2 400 frames (50 ms) after the beats.
    for index in 0..<4 {
      rig.run(to: 57_600 + 24_000 * Int64(index) + 2_400)
      let time = MonotonicTime(nanoseconds: rig.engine.now.value * 1_000_000_000 / 48_000)
      rig.submit(.tap(at: time, series: 1))
    }
    rig.run(seconds: 6)
    let frames = rig.beats.map(\.frame)
    let intervals = zip(frames.dropFirst(), frames).map { $0 - $1 }
    // 24 000 / 0.9 = 26 666.7, 24 000 / 1.1 = 21 818.2
    #expect(intervals.allSatisfy { (21_818...26_667).contains($0) })
    #expect(intervals.suffix(4).allSatisfy { $0 == 24_000 })
    // The beats now lie on the taps: 60 000 + k x 24 000, within a frame or two of rounding.
    let phase = ((frames.last ?? 0) - 60_000) % 24_000
    #expect(min(phase, 24_000 - phase) <= 2)
  }

  @Test(
    "whatever is asked in whatever order, each request has one answer and both agree in the end",
    arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
  func anything(seed: UInt64) {
    var word = seed
    func next(_ bound: UInt64) -> UInt64 {
      word = word &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (word >> 33) % bound
    }
    let rig = LiveRig(state: OutputTests.ports(), library: Shelf.evening)
    var commands = AnswerTests.commands.filter { $0 != .quit }
    commands += [
      .preset(.name("waltz")), .preset(.name("bell")), .preset(.name("climb")),
      .preset(.name("quiet")), .setlist(.name("gig")), .loadMap(name: "song"),
      .section(.name("verse")), .start, .start, .stop, .continue,
    ]
    var requests: [UInt32] = []
    for _ in 0..<300 {
      rig.run(to: rig.engine.now.value + Int64(next(30_000)))
      requests.append(rig.submit(commands[Int(next(UInt64(commands.count)))]))
    }
    rig.run(seconds: 30)
    var answers: [UInt32: Int] = [:]
    for output in rig.outputs {
      switch output {
      case .accepted(let request), .effective(let request, _), .refused(let request, _):
        answers[request, default: 0] += 1
      default: break
      }
    }
    #expect(requests.allSatisfy { answers[$0] == 1 })
    // At the slowest tempo a beat takes 12 s.
    let heard = rig.beats.count
    rig.run(seconds: 13)
    #expect(rig.state.isRunning == (rig.beats.count > heard))
    #expect(rig.conductor.pending.count == 0)
    #expect(rig.conductor.sounds.atBar.isEmpty)
    if rig.state.isRunning, case nil = rig.state.map {
      #expect(rig.tempos.last?.thousandths == rig.state.tempo.thousandths)
    }
    rig.submit(.stop)
    rig.run(seconds: 1)
    let rest = rig.beats.count
    rig.run(seconds: 13)
    #expect(rig.beats.count == rest)
  }
}
