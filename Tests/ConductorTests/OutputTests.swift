import MetronomeModel
import MusicalTime
import RealtimeEngine
import Testing

@testable import Conductor

@Suite("Levels, sounds, outputs")
struct OutputTests {
  static func gain(_ rig: Rig) -> Float? {
    for action in rig.actions {
      switch action {
      case .masterGain(let gain): return gain
      case .levelGain(_, let gain): return gain
      default: break
      }
    }
    return nil
  }

  @Test("the volume is -90 to 0 dB or silence, as a linear gain")
  func volume() {
    let table: [(Double, Float?)] = [
      (0, 1), (-20, 0.1), (-90, 3.162_277_7e-5), (-.infinity, 0), (0.001, nil), (-90.001, nil),
      (.nan, nil), (.infinity, nil),
    ]
    for (decibels, gain) in table {
      var rig = Rig()
      let outcome = rig.submit(.volume(decibels: decibels))
      #expect(outcome == (gain == nil ? .refused(.value) : .effective(FrameIndex(1_000))))
      #expect(Self.gain(rig) == gain)
      // Without an explicit volume it is -12 dB.
      #expect(rig.state.volumeDecibels == (gain == nil ? -12 : decibels))
    }
  }

  @Test(
    "levels of the accents are gains, those of other sounds make a new bank",
    arguments: ControlCommand.SoundTarget.allCases)
  func levels(target: ControlCommand.SoundTarget) {
    var rig = Rig()
    #expect(rig.submit(.level(target, decibels: -20)) == .effective(FrameIndex(1_000)))
    #expect(rig.state.sounds[target].decibels == -20)
    let isAccent = [.strong, .normal, .soft].contains(target)
    #expect((Self.gain(rig) == 0.1) == isAccent)
    #expect(rig.sent.contains { $0.hasPrefix("sounds") } == !isAccent)
    #expect(rig.changed.contains(.level(target)))
    #expect(rig.submit(.level(target, decibels: 1)) == .refused(.value))
    // The engine's gain and the bank's are never both applied.
    #expect(rig.state.sounds.forBank[target].decibels == (isAccent ? 0 : -20))
  }

  @Test("a sound is prepared before it is played; the answer waits for it")
  func sounds() {
    var rig = Rig()
    #expect(rig.submit(.sound(.strong, name: "bell")) == .effective(FrameIndex(1_000)))
    #expect(rig.state.sounds[.strong].name == "bell")
    #expect(rig.changed == [.sound(.strong)])
    #expect(rig.sent.count == 1)
    rig.receive(.retiredSounds(7))
    #expect(rig.outputs.contains { if case .releaseSounds(7) = $0 { true } else { false } })
  }

  @Test("a sound that cannot be made is refused, and the sounds stay what they were")
  func soundFails() {
    var conductor = Conductor(rate: 48_000)
    let now = ControlInstant(time: MonotonicTime(nanoseconds: 0), frame: FrameIndex(0))
    let before = conductor.state
    let outputs = conductor.submit(.sound(.strong, name: "nothing"), request: 4, now: now)
    for case .prepareSounds(_, let ticket) in outputs {
      let answers = conductor.soundsFailed(reason: "no sound 'nothing'", ticket: ticket)
      #expect(
        answers.contains {
          if case .refused(4, let refusal) = $0 { refusal.code == .storage } else { false }
        })
      #expect(conductor.state == before)
      // Answered once: a late bank is given back.
      let bank = SoundBankReference(identifier: 3, slots: nil, beats: nil, beatCount: 0)
      let late = conductor.soundsPrepared(bank, ticket: ticket)
      #expect(late.contains { if case .releaseSounds(3) = $0 { true } else { false } })
      return
    }
    Issue.record("nothing to prepare")
  }

  @Test(
    "sound names stay in their folder",
    arguments: ["", "../x", ".hidden", "a/b", String(repeating: "a", count: 129)])
  func names(name: String) {
    var rig = Rig()
    #expect(rig.submit(.sound(.strong, name: name)) == .refused(.name))
    #expect(rig.actions.isEmpty)
  }

  @Test("pitch is -24 to 24 semitones, channels 1 to 64, sync a known rate")
  func ranges() {
    var rig = Rig()
    let fine = Rig.Outcome.effective(FrameIndex(1_000))
    for (semitones, isLegal) in [(24.0, true), (-24, true), (24.01, false), (.nan, false)] {
      #expect(
        rig.submit(.pitch(.soft, semitones: semitones)) == (isLegal ? fine : .refused(.value)))
    }
    for (channels, isLegal) in [([1, 64], true), ([0], false), ([65], false), ([], false)] {
      #expect(
        rig.submit(.route(.soft, channels: channels)) == (isLegal ? fine : .refused(.value)))
    }
    rig.submit(.route(.normal, channels: [2, 1, 2]))
    #expect(rig.state.sounds[.normal].channels == [1, 2])
    for rate in [0, 1, 2, 4, 24, 48] {
      #expect(rig.submit(.analogSync(perQuarter: rate, channel: nil)) == fine)
    }
    for rate in [-1, 3, 12, 49, 256] {
      #expect(rig.submit(.analogSync(perQuarter: rate, channel: nil)) == .refused(.value))
    }
    #expect(rig.submit(.analogSync(perQuarter: 24, channel: 4)) == fine)
    #expect(rig.state.sounds[.sync].channels == [4])
    #expect(rig.submit(.analogSync(perQuarter: 24, channel: 65)) == .refused(.value))
  }

  // MARK: horizon and lead-in

  static func plan(early: Double, startLead: Double = 1, asked: Double = 0) -> AnnouncePlan {
    AnnouncePlan(
      earlyMilliseconds: early, startLeadMilliseconds: startLead,
      requestedLeadMilliseconds: asked, rate: 48_000)
  }

  @Test("C is 20 ms and the largest early offset; the horizon is at least 100 ms, C and the lead")
  func horizon() {
    // 48 frames a millisecond
    let table: [(early: Double, asked: Double, commit: Int64, horizon: Int64)] = [
      (0, 0, 20, 100), (80, 0, 100, 100), (80.5, 0, 101, 101), (300, 0, 320, 320),
      (0, 250, 20, 250), (300, 250, 320, 320), (0, 5_000, 20, 2_000),
    ]
    for row in table {
      let plan = Self.plan(early: row.early, asked: row.asked)
      let isHalf = row.early == 80.5
      #expect(plan.commit.value == row.commit * 48 - (isHalf ? 24 : 0))
      #expect(plan.horizon.value == row.horizon * 48 - (isHalf ? 24 : 0))
    }
  }

  @Test("lead-in is 200 ms, or the largest early offset, FA's lead and 20 ms where that is more")
  func leadIn() {
    #expect(Self.plan(early: 0).leadIn.value == 200 * 48)
    #expect(Self.plan(early: 179).leadIn.value == 200 * 48)
    #expect(Self.plan(early: 180).leadIn.value == 201 * 48)
    #expect(Self.plan(early: 300, startLead: 100).leadIn.value == 420 * 48)
  }

  static func ports() -> MetronomeState {
    var state = MetronomeState()
    state.midiPorts = [MIDIPortConfiguration(name: "Clock"), MIDIPortConfiguration(name: "Drums")]
    return state
  }

  @Test("an early offset moves horizon and lead-in at once, and back again")
  func offsets() {
    var rig = Rig(state: Self.ports())
    rig.submit(.midi(port: "Drums", .offset(milliseconds: -300)))
    #expect(rig.actions.count == 2)
    guard case .announce(let horizon, let commit) = rig.actions.first,
      case .leadIn(let leadIn) = rig.actions.last
    else {
      Issue.record("\(rig.sent)")
      return
    }
    #expect(commit.value == 320 * 48)
    #expect(horizon.value == 320 * 48)
    #expect(leadIn.value == 321 * 48)
    rig.submit(.beatOffset(milliseconds: -10))
    #expect(rig.actions.isEmpty)
    rig.submit(.midi(port: "Drums", .offset(milliseconds: 500)))
    guard case .announce(_, let smaller) = rig.actions.first else {
      Issue.record("\(rig.sent)")
      return
    }
    #expect(smaller.value == 30 * 48)
    rig.outputs = rig.conductor.requestLead(milliseconds: 500)
    #expect(rig.actions.count == 1)
    rig.outputs = rig.conductor.requestLead(milliseconds: 500)
    #expect(rig.actions.isEmpty)
  }

  @Test(
    "MIDI and beats move by -300 to 500 ms, audio by 0 to 500 ms",
    arguments: [
      (-300, true, false), (500, true, true), (0, true, true), (-300.1, false, false),
      (500.1, false, false), (-0.1, true, false), (.nan, false, false),
    ] as [(Double, Bool, Bool)])
  func offsetRanges(milliseconds: Double, isEventOffset: Bool, isAudioOffset: Bool) {
    var rig = Rig(state: Self.ports())
    let events = isEventOffset ? Rig.Outcome.accepted : .refused(.value)
    #expect(rig.submit(.beatOffset(milliseconds: milliseconds)) == events)
    #expect(rig.submit(.midi(port: "Clock", .offset(milliseconds: milliseconds))) == events)
    #expect(
      rig.submit(.audioOffset(milliseconds: milliseconds))
        == (isAudioOffset ? .effective(FrameIndex(1_000)) : .refused(.value)))
    if isAudioOffset {
      #expect(
        rig.sent.contains("audioOffset(MusicalTime.FrameCount(value: \(Int64(milliseconds * 48))))")
      )
    }
  }

  @Test("pulses run freely as long as any port's clock is always on")
  func freeClock() {
    var rig = Rig(state: Self.ports())
    rig.submit(.midi(port: "Clock", .clock(.always)))
    #expect(rig.sent == ["freeClock(true)"])
    rig.submit(.midi(port: "Drums", .clock(.always)))
    #expect(rig.sent.isEmpty)
    rig.submit(.midi(port: "Clock", .clock(.off)))
    #expect(rig.sent.isEmpty)
    rig.submit(.midi(port: "Drums", .clock(.rolling)))
    #expect(rig.sent == ["freeClock(false)"])
  }

  @Test("port settings are passed on, stored, and refused for a port that is not there")
  func ports() {
    var rig = Rig(state: Self.ports())
    #expect(rig.submit(.midi(port: "drums", .connect(name: "TR-8"))) == .accepted)
    #expect(rig.state.midiPorts[1].connections == ["TR-8"])
    #expect(
      rig.outputs.contains {
        if case .midi("Drums", .connect(name: "TR-8")) = $0 { true } else { false }
      })
    rig.submit(.midi(port: "Drums", .disconnect(name: "TR-8")))
    #expect(rig.state.midiPorts[1].connections.isEmpty)
    rig.submit(.midi(port: "Clock", .transport(false)))
    rig.submit(.midi(port: "Clock", .songPosition(false)))
    rig.submit(.midi(port: "Clock", .beatNotes(true)))
    #expect(!rig.state.midiPorts[0].transport)
    #expect(!rig.state.midiPorts[0].songPosition)
    #expect(rig.state.midiPorts[0].beatNotes.isOn)
    #expect(rig.changed.contains(.midi(port: "Clock")))
    #expect(rig.submit(.midi(port: "Lights", .clock(.off))) == .refused(.name))
    #expect(rig.reason.contains("'Clock', 'Drums'"))
  }
}
