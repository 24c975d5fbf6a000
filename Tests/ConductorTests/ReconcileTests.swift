import MetronomeModel
import MusicalTime
import RealtimeEngine
import ThreadCrossing
import Testing

@testable import Conductor

/// Whatever facts are lost, the engine's status makes the state true.
///
/// At 48 kHz and 120 a minute a beat is 24 000 frames, the lead-in 9 600.
@Suite("The Conductor reconciles with the engine")
struct ReconcileTests {
  /// What the state must say, read from the status alone.
  private func expectTruth(_ rig: LiveRig, _ note: Comment) {
    let status = rig.queues.status.load()
    #expect(rig.state.transport == TransportState(status.transport), note)
    #expect(rig.state.bar == Int(status.bar >= 0 ? status.bar + 1 : status.bar), note)
    #expect(rig.state.beat == Int(status.beat) + 1, note)
    if !status.isGliding { #expect(rig.state.tempo == status.tempo, note) }
    #expect(rig.state.quarterThousandths == status.quarterThousandths, note)
    #expect((rig.state.ramp == nil) == (status.ramp == .none), note)
    #expect((rig.state.timerMinutes != nil) == status.hasTimer, note)
    #expect(rig.state.meter == status.meter, note)
  }

  @Test("after any subset of facts is lost one reconcile makes transport, place and tempo true")
  func anySubset() throws {
    let waltz = try Meter(text: "3/4")
    let dotted = try #require(NoteValue(text: "1/4."))
    let commands: [ControlCommand] = [
      .start, .stop, .continue, .toggle, .tempo(90, unit: nil, when: .beat),
      .tempo(200, unit: nil, when: .bar), .tempo(72, unit: dotted, when: .now),
      .meter(waltz), .meter(.common), .rewind, .locate(bar: 5, beat: 2), .push(true), .push(false),
      .trainer(from: 100, to: 140, step: 20, share: .barsPerLevel(1)), .trainerEnd(.stop),
      .glide(from: 100, to: 160, length: .seconds(2), when: .beat), .cancelRamp, .countIn(bars: 1),
      .countIn(bars: 0), .timer(minutes: 1), .cancelTimer, .pitch(.strong, semitones: 3), .panic,
    ]
    for seed: UInt64 in 0..<40 {
      var random = SplitMix(seed: seed)
      let rig = LiveRig()
      rig.loses = { _ in random.next() % 3 == 0 }
      var requests: [UInt32] = []
      for _ in 0..<40 {
        rig.reconciles = false
        for _ in 0..<Int(random.next() % 4) {
          requests.append(rig.submit(commands[Int(random.next() % UInt64(commands.count))]))
        }
        rig.run(seconds: Double(random.next() % 3_000) / 1_000)
        rig.reconciles = true
        rig.run(seconds: 0)
        expectTruth(rig, "seed \(seed)")
      }
      rig.run(seconds: 1)
      expectTruth(rig, "seed \(seed), at the end")
      #expect(rig.conductor.pending.count == 0, "seed \(seed)")
      for request in requests { #expect(rig.answerCount(request) == 1, "seed \(seed)") }
    }
  }

  @Test("a queue that overflowed leaves nothing wrong: stop, start and continue act again")
  func overflow() {
    let rig = LiveRig(eventCapacity: 64)
    rig.submit(.trainerEnd(.stop))
    rig.submit(.trainer(from: 900, to: 999, step: 1, share: .barsPerLevel(1)))
    rig.submit(.start)
    // 100 levels of a bar of at most 4 x 60 / 900 = 0.267 s: over within 27 s. Nobody listens.
    rig.pause(seconds: 32)
    rig.run(seconds: 0)
    #expect(rig.queues.events.refused > 0)
    expectTruth(rig, "after the pause")
    #expect(rig.state.transport == .stopped)
    #expect(rig.state.ramp == nil)
    let start = rig.submit(.start)
    rig.run(seconds: 0.5)
    #expect(rig.effective(start) != nil)
    #expect(rig.state.transport == .rolling)
    rig.submit(.stop)
    rig.run(seconds: 0.1)
    #expect(rig.state.transport == .stopped)
    let resume = rig.submit(.continue)
    rig.run(seconds: 0.5)
    #expect(rig.effective(resume) != nil)
  }

  @Test("a timer that ended unheard is over, and the transport stopped")
  func timer() {
    let rig = LiveRig(eventCapacity: 64)
    rig.submit(.tempo(999, unit: nil, when: .beat))
    rig.submit(.timer(minutes: 1))
    rig.submit(.start)
    rig.pause(seconds: 75)
    rig.run(seconds: 0)
    #expect(rig.state.timerMinutes == nil)
    #expect(rig.state.transport == .stopped)
    #expect(rig.outputs.contains { if case .timerEnded = $0 { true } else { false } })
  }

  @Test("the transport is told stopped at the frame of a scheduled stop, not before")
  func scheduledStop() {
    let rig = LiveRig()
    rig.submit(.trainerEnd(.stop))
    rig.submit(.trainer(from: 120, to: 121, step: 1, share: .barsPerLevel(1)))
    rig.submit(.start)
    // Two bars: 4 x 24 000, then 4 x 48 000 x 60 / 121 = 95 206.6 from 9 600 on: 200 806.6.
    rig.run(to: 200_800)
    #expect(rig.events.contains { if case .stopped = $0 { true } else { false } })
    #expect(rig.state.transport == .rolling)
    rig.run(to: 200_808)
    #expect(rig.state.transport == .stopped)
  }

  @Test("a Start between the announcement of an end and its frame starts when the music has ended")
  func startBeforeScheduledStop() {
    let rig = LiveRig()
    rig.submit(.trainerEnd(.stop))
    rig.submit(.trainer(from: 120, to: 121, step: 1, share: .barsPerLevel(1)))
    rig.submit(.start)
    rig.run(to: 199_000)
    #expect(rig.events.contains { if case .stopped = $0 { true } else { false } })
    let start = rig.submit(.start)
    rig.run(to: 230_000)
    // The end at 200 807 and the lead-in of 9 600.
    #expect(rig.effective(start) == 210_407)
    #expect(rig.state.transport == .rolling)
    #expect(rig.beats.last?.bar == 1)
  }

  @Test("what does not fit into the engine's queue as a whole changes nothing and is refused")
  func fullQueue() {
    let rig = LiveRig()
    rig.run(seconds: 0.1)
    let before = rig.state
    rig.conductor.engineRoom = 0
    let volume = rig.submit(.volume(decibels: -3))
    let tempo = rig.submit(.tempo(66, unit: nil, when: .beat))
    #expect(rig.refusal(volume)?.code == .engine)
    #expect(rig.refusal(tempo)?.code == .engine)
    #expect(rig.state == before)
    // A Stop has a lane of its own.
    let stop = rig.submit(.stop)
    #expect(rig.refusal(stop) == nil)
    rig.run(seconds: 0.1)
    #expect(rig.answerCount(stop) == 1)
  }

  @Test("a Stop that passed a waiting Start voids it, and the Start is answered so")
  func overtaken() {
    let rig = LiveRig()
    rig.run(seconds: 0.1)
    // More tagged levels than the engine holds: the queue waits with them.
    let tag = FrameIndex(rig.engine.now.value + 96_000)
    for _ in 0..<6 {
      for _ in 0..<100 { rig.submit(.volume(decibels: -6), notBefore: tag) }
      rig.run(seconds: 0.01)
    }
    let start = rig.submit(.start)
    rig.run(seconds: 0.1)
    #expect(rig.answerCount(start) == 0)
    let stop = rig.submit(.stop)
    rig.run(seconds: 0.1)
    #expect(rig.answerCount(stop) == 1)
    #expect(rig.state.transport == .stopped)
    rig.run(seconds: 3)
    #expect(rig.refusal(start)?.code == .state)
    #expect(rig.state.transport == .stopped)
    #expect(rig.beats.isEmpty)
  }

  @Test("the end of a mute, a timer and a ramp is told as its start was")
  func ends() {
    let rig = LiveRig()
    func reported(_ command: ControlCommand) -> [StateKey] {
      let count = rig.outputs.count
      rig.submit(command)
      rig.run(seconds: 0.1)
      return rig.outputs.dropFirst(count).compactMap {
        if case .changed(let key) = $0 { key } else { nil }
      }
    }
    #expect(reported(.muteBars(.random(percentHundredths: 3_000, seed: 7))).contains(.barMuting))
    #expect(reported(.muteBars(.off)).contains(.barMuting))
    #expect(rig.state.barMuting == .off)
    #expect(reported(.muteBars(.growing(play: 2, maximum: 3))).contains(.barMuting))
    #expect(rig.state.barMuting == .growing(play: 2, maximum: 3))
    #expect(reported(.timer(minutes: 1)).contains(.timer))
    #expect(reported(.cancelTimer).contains(.timer))
    #expect(rig.state.timerMinutes == nil)
    let ramp = ControlCommand.trainer(from: 80, to: 120, step: 5, share: .barsPerLevel(1))
    #expect(reported(ramp).contains(.ramp))
    #expect(reported(.cancelRamp).contains(.ramp))
    #expect(rig.state.ramp == nil)
  }

  @Test("a preset of few words answers with its bar line, and a fader moved before it wins")
  func boundary() {
    let rig = LiveRig()
    rig.submit(.start)
    rig.run(to: 30_000)
    var preset = Preset()
    preset.volumeDecibels = -30
    let answer = rig.apply(preset)
    rig.run(to: 40_000)
    // Bar 2 begins at 9 600 + 4 x 24 000.
    #expect(rig.effective(answer) == 105_600)
    rig.submit(.volume(decibels: -3))
    rig.run(to: 130_000)
    #expect(rig.state.volumeDecibels == -3)
  }

  @Test("a tempo without a unit keeps the unit after a trainer broke off a glide")
  func unitAfterGlide() throws {
    let rig = LiveRig()
    let dotted = try #require(NoteValue(text: "1/4."))
    rig.submit(.tempo(60, unit: dotted, when: .beat))
    rig.submit(.start)
    rig.run(seconds: 1)
    rig.submit(.glide(from: 60, to: 90, length: .seconds(20), when: .beat))
    rig.run(seconds: 5)
    rig.submit(.trainer(from: 70, to: 80, step: 5, share: .barsPerLevel(4)))
    // The glide is broken off at once; the trainer waits for its bar line.
    rig.run(seconds: 0.2)
    #expect(rig.state.tempo.unit == dotted)
    rig.submit(.tempo(72, unit: nil, when: .now))
    rig.run(seconds: 1)
    // 72 dotted quarters are 108 quarters.
    #expect(rig.state.tempo == Tempo(72, unit: dotted))
    #expect(rig.state.quarterThousandths == 108_000)
  }

  @Test("the horizon is the longest lead that anybody asked for, a preset's shorter one included")
  func longestLead() {
    let rig = LiveRig()
    rig.requestLead(milliseconds: 1_500)
    var preset = Preset()
    preset.horizonMilliseconds = 100
    rig.apply(preset)
    // A beat of 40 a minute is 72 000 frames.
    rig.submit(.tempo(40, unit: nil, when: .beat))
    rig.submit(.start)
    rig.run(to: 100_000)
    // 9 600 + 2 x 72 000 is 1.1 s ahead.
    #expect(rig.beats.last?.frame == 153_600)
  }

  @Test("a tempo that would wait for over 2 s lands at once, and the answer says so")
  func slowFader() throws {
    let rig = LiveRig()
    rig.submit(.tempo(5, unit: nil, when: .beat))
    rig.submit(.start)
    // A beat of 5 a minute is 12 s: 576 000 frames.
    rig.run(to: 48_000)
    let change = rig.submit(.tempo(120, unit: nil, when: .beat))
    rig.run(to: 200_000)
    // The next pulse that is not announced: one is 24 000 frames, and 9 600 + 2 x 24 000 = 57 600
    // lies beyond the 4 800 of the horizon.
    #expect(rig.effective(change) == 57_600)
    #expect(rig.state.tempo == .quarters(120))
    // 22 of the 24 pulses of the beat at 1 000 frames each: 57 600 + 22 000.
    #expect(rig.beats.dropFirst().first?.frame == 79_600)
  }

  @Test("sounds that are refused come back to their owner and the state says what plays")
  func soundFlood() {
    let rig = LiveRig()
    rig.run(seconds: 0.1)
    var requests: [UInt32] = []
    for index in 0..<300 {
      requests.append(
        rig.submit(.pitch(.strong, semitones: Double(index % 24))))
    }
    rig.run(seconds: 0.1)
    for request in requests {
      #expect(rig.answerCount(request) == 1)
      if let refusal = rig.refusal(request) { #expect(refusal.code == .engine) }
    }
    // The one that plays stays; every other bank is given back.
    rig.run(seconds: 1)
    #expect(rig.banks.count == 1)
    #expect(rig.state.sounds == rig.conductor.sounds.inForce)
  }
}

/// A seeded source of numbers.
struct SplitMix {
  private var state: UInt64
  init(seed: UInt64) { state = seed }
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
