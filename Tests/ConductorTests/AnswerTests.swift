import MetronomeModel
import MusicalTime
import RealtimeEngine
import Testing

@testable import Conductor

@Suite("Answers")
struct AnswerTests {
  static let three = Meter(
    unchecked: 3, denominator: 4, compound: false, grouped: false, groupStarts: 1)

  static let commands: [ControlCommand] = [
    .start, .stop, .continue, .toggle, .panic, .rewind, .locate(bar: 2, beat: 1),
    .tempo(100, unit: nil, when: .beat), .tempo(.nan, unit: nil, when: .now), .nudge(1),
    .doubleTempo, .halfTempo, .push(true), .push(false), .pull(true), .pull(false), .resumeTempo,
    .tap(at: MonotonicTime(nanoseconds: 1), series: 1),
    .tap(at: MonotonicTime(nanoseconds: .max), series: 1),
    .tap(at: MonotonicTime(nanoseconds: .min), series: 1), .tapPhase(true), .tapLimit(seconds: 3),
    .trainer(from: 80, to: 120, step: 5, share: .barsPerLevel(2)), .trainerEnd(.loop),
    .glide(from: 80, to: 90, length: .bars(2), when: .bar), .cancelRamp, .meter(three),
    .pattern("Xxxx"), .meterAndPattern(three, "X--"), .subdivision(3), .subdivisionLevel(.normal),
    .swing(.triplet), .layer(5), .mute(true), .toggleMute,
    .muteBars(.random(percentHundredths: 3_000, seed: 7)), .muteLevel(.soft, true),
    .soloLevel(.strong), .soloLevel(nil), .volume(decibels: -6), .level(.layer, decibels: -6),
    .level(.strong, decibels: .nan), .sound(.soft, name: "wood"), .pitch(.soft, semitones: 2),
    .route(.soft, channels: [1]), .analogSync(perQuarter: 24, channel: 2), .countIn(bars: 1),
    .countInMute(true), .timer(minutes: 5), .timerStops(false), .cancelTimer,
    .preset(.name("none")), .preset(.number(-1)), .nextPreset, .previousPreset,
    .savePreset(name: "mine"), .setlist(.name("none")), .loadMap(name: "none"), .clearMap,
    .section(.number(1)), .audioOffset(milliseconds: 3), .beatOffset(milliseconds: -3),
    .midi(port: "Clock", .clock(.always)), .midi(port: "None", .clock(.off)), .quit,
  ]

  @Test("every command gets exactly one answer, and a refused one changes nothing")
  func oneAnswer() {
    let situations: [[ControlCommand]] = [
      [], [.start], [.countIn(bars: 2), .start], [.push(true)],
      [.trainer(from: 80, to: 120, step: 5, share: .barsPerLevel(2)), .start],
      [.start, .glide(from: 80, to: 90, length: .bars(2), when: .bar)], [.start, .stop],
      [.meter(Self.three), .timer(minutes: 1)],
    ]
    var state = MetronomeState()
    state.midiPorts = [MIDIPortConfiguration(name: "Clock")]
    for situation in situations {
      for command in Self.commands {
        var rig = Rig(state: state)
        for step in situation { rig.submit(step) }
        let before = rig.state
        let outcome = rig.submit(command)
        switch outcome {
        case .accepted, .effective: break
        case .refused:
          #expect(rig.state == before, "\(command) after \(situation)")
          #expect(!rig.reason.isEmpty)
          #expect(rig.changed.isEmpty)
        case .answers(let count):
          Issue.record("\(count) answers to \(command) after \(situation)")
        }
        #expect(rig.conductor.pending.count == 0)
      }
    }
  }

  @Test("an answer is given again where another request moves the boundary that it named")
  func correctedAnswer() throws {
    let rig = LiveRig()
    rig.submit(.start)
    // Beat one at 9600, a beat every 24000 frames: bar 2 would be at 105600.
    rig.run(to: 12_000)
    let meter = rig.submit(.meter(Self.three))
    rig.run(to: 14_000)
    #expect(rig.effectives(meter) == [105_600])
    // From beat 2 at 33600 on a beat lasts 48000: bar 2 at 33600 + 3 x 48000.
    rig.submit(.tempo(60, unit: nil, when: .beat))
    rig.run(to: 200_000)
    #expect(rig.frame(bar: 2) == 177_600)
    #expect(rig.effectives(meter) == [105_600, 177_600])
  }

  @Test("a command whose every engine command is refused gets one refusal")
  func engineRefusal() {
    for reason in [RefusedEvent.Reason.rolling, .rampRuns, .noScore, .outOfRange] {
      var rig = Rig()
      rig.refusal = reason
      #expect(
        rig.submit(.mute(true)) == .refused(reason == .outOfRange ? .value : .state))
    }
  }

  @Test("nobody asks, nobody is answered")
  func silent() {
    var conductor = Conductor(rate: 48_000)
    let now = ControlInstant(time: MonotonicTime(nanoseconds: 0), frame: FrameIndex(0))
    for command in Self.commands {
      var outputs = conductor.submit(command, now: now)
      for case .engine(let command) in outputs where command.identifier != 0 {
        outputs += conductor.receive(
          .effective(EffectiveEvent(frame: FrameIndex(1), command: command.identifier)))
      }
      for output in outputs {
        switch output {
        case .accepted(let request), .effective(let request, _): #expect(request != 0)
        default: break
        }
      }
    }
  }

  @Test("identifiers are never 0 and never in use twice")
  func identifiers() {
    var conductor = Conductor(rate: 48_000)
    let now = ControlInstant(time: MonotonicTime(nanoseconds: 0), frame: FrameIndex(0))
    _ = conductor.begin()
    var seen: Set<UInt32> = []
    for _ in 0..<2_000 {
      for case .engine(let command) in conductor.submit(.toggleMute, request: 1, now: now) {
        #expect(command.identifier != 0)
        #expect(seen.insert(command.identifier).inserted)
      }
    }
  }

  @Test("an answer to a command that was never sent is ignored")
  func unknownAnswer() {
    var conductor = Conductor(rate: 48_000)
    let before = conductor.state
    let effective = EffectiveEvent(frame: FrameIndex(1), command: 99)
    #expect(conductor.receive(.effective(effective)).isEmpty)
    let refused = RefusedEvent(frame: FrameIndex(1), command: 99, reason: .rolling)
    #expect(conductor.receive(.refused(refused)).isEmpty)
    #expect(conductor.state == before)
  }

  @Test("a new engine is brought to the whole state, horizon and lead-in first")
  func begin() {
    var state = MetronomeState()
    state.tempo = .quarters(97)
    state.isMuted = true
    state.timerMinutes = 2
    state.layer = 5
    state.midiPorts = [MIDIPortConfiguration(name: "Clock", clock: .always)]
    var conductor = Conductor(rate: 48_000, state: state)
    let sent = conductor.begin().compactMap {
      if case .engine(let command) = $0 { "\(command.action)" } else { nil }
    }
    #expect(sent.first?.hasPrefix("announce") == true)
    for prefix in [
      "leadIn", "freeClock(true)", "meter", "tempo", "subdivision", "layer(count: 5", "barMuting",
      "countInMuted", "mute(true)", "audibleLevels(15)", "masterGain", "levelGain", "sync",
      "timer(milliseconds: 120000", "audioOffset",
    ] {
      #expect(sent.contains { $0.hasPrefix(prefix) }, "\(prefix)")
    }
    #expect(!sent.contains { $0.hasPrefix("start") })
  }
}
