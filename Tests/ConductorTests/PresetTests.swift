import MetronomeModel
import MusicalTime
import RealtimeEngine
import Synchronization
import Testing

@testable import Conductor

@Suite("Presets, setlists, songs")
struct PresetTests {
  @Test("a preset sets what it names and leaves the rest")
  func applies() {
    var rig = Rig(library: Shelf.evening)
    rig.submit(.layer(5))
    #expect(rig.submit(.preset(.name("waltz"))) == .effective(FrameIndex(1_000)))
    #expect(rig.state.preset == "waltz")
    #expect(rig.state.tempo == .quarters(180))
    #expect(rig.state.meter == Shelf.three)
    #expect(rig.state.pattern.description == "Xxx")
    #expect(rig.state.subdivision == Subdivision(unchecked: 2, level: .soft, swing: .triplet))
    #expect(rig.state.barMuting == .cycle(play: 3, mute: 1))
    #expect(rig.state.isMuted)
    #expect(rig.state.volumeDecibels == -20)
    #expect(rig.state.countInBars == 1)
    #expect(rig.state.layer == 5)
    #expect(rig.sent.contains("mute(true)"))
    #expect(rig.sent.contains("masterGain(0.1)"))
    #expect(rig.changed.contains(.preset))
    #expect(
      rig.outputs.contains { if case .presetApplied = $0 { true } else { false } })
  }

  @Test("while rolling all of it lands on the next bar line, and the music does not stop")
  func atTheBarLine() {
    let rig = LiveRig(library: Shelf.evening)
    rig.submit(.start)
    rig.run(to: 60_000)
    let load = rig.submit(.preset(.name("waltz")))
    rig.run(to: 250_000)
    // Bar 2 begins at 9 600 + 4 x 24 000 = 105 600; at 180 a beat is 16 000 frames.
    #expect(rig.effective(load) == 105_600)
    let expected: [Int64] = [
      9_600, 33_600, 57_600, 81_600, 105_600, 121_600, 137_600, 153_600,
    ]
    #expect(Array(rig.beats.map(\.frame).prefix(8)) == expected)
    #expect(rig.beats.map(\.beat).prefix(8) == [1, 2, 3, 4, 1, 2, 3, 1])
    let flags = rig.events.compactMap { event -> Bool? in
      if case .beat(let beat) = event { beat.flags.contains(.mute) } else { nil }
    }
    #expect(flags.prefix(4) == [false, false, false, false])
    #expect(flags[5])
    // Nothing of it reached the engine before the bar line.
    for case .engine(let command) in rig.outputs {
      switch command.action {
      case .mute(true), .masterGain:
        #expect(
          command.notBefore == FrameIndex(105_600) || command.notBefore == .distantPast)
      default: break
      }
    }
    #expect(rig.state.transport == .rolling)
  }

  @Test("a fader moved before the bar line wins over the preset")
  func laterCommand() {
    let rig = LiveRig(library: Shelf.evening)
    rig.submit(.start)
    rig.run(to: 60_000)
    let preset = rig.submit(.preset(.name("quiet")))
    rig.run(to: 70_000)
    let fader = rig.submit(.volume(decibels: -20))
    rig.run(to: 120_000)
    // Bar 2 begins at 9 600 + 4 x 24 000; the fader acts at once.
    #expect(rig.effective(preset) == 105_600)
    #expect(rig.effective(fader) == 70_000)
    #expect(rig.state.volumeDecibels == -20)
    let gains = rig.outputs.compactMap { output -> EngineCommand.Boundary? in
      guard case .engine(let command) = output, case .masterGain = command.action else {
        return nil
      }
      return command.boundary
    }
    // The engine drops what waits for the bar line when the fader comes.
    #expect(gains.suffix(2) == [.bar, .frame])
  }

  @Test("a preset cancels a ramp and says so, whether it names a tempo or not")
  func cancelsRamp() {
    for name in ["slow", "quiet"] {
      let rig = LiveRig(library: Shelf.evening)
      rig.submit(.trainer(from: 100, to: 140, step: 10, share: .barsPerLevel(1)))
      rig.submit(.start)
      rig.run(to: 150_000)
      rig.submit(.preset(.name(name)))
      #expect(rig.state.ramp == nil)
      let notices = rig.outputs.compactMap { output -> String? in
        if case .notice(_, let text) = output { text } else { nil }
      }
      #expect(notices.last?.contains("'\(name)'") == true)
      rig.run(seconds: 20)
      // Where the trainer was: 9 600 + 4 x 28 800 = 124 800 is the first bar line, at 110.
      #expect(rig.state.tempo == .quarters(name == "slow" ? 60 : 110))
    }
  }

  @Test("a preset's trainer begins at the next bar and ends as the preset says")
  func ramp() {
    let rig = LiveRig(library: Shelf.evening)
    rig.submit(.start)
    rig.run(to: 60_000)
    rig.submit(.preset(.name("climb")))
    rig.run(seconds: 20)
    #expect(rig.state.ramp?.name == "trainer")
    let loops = rig.events.filter {
      if case .trainer(let trainer) = $0 { trainer.kind == .looped } else { false }
    }
    // 4 beats at 100, 120 and 140 last 2.4, 2 and 12/7 s: 6.1 s a round.
    #expect(loops.count == 2 || loops.count == 3)
  }

  @Test("what cannot be applied as a whole is refused as a whole")
  func whole() {
    var rig = Rig(library: Shelf.evening)
    rig.submit(.trainer(from: 100, to: 140, step: 10, share: .barsPerLevel(1)))
    let before = rig.state
    #expect(rig.submit(.preset(.name("broken"))) == .refused(.name))
    #expect(rig.state == before)
    #expect(rig.actions.isEmpty)
  }

  @Test(
    "a preset made in code is checked like any other",
    arguments: [
      Shelf.preset { $0.volumeDecibels = .nan }, Shelf.preset { $0.tapLimitSeconds = .nan },
      Shelf.preset { $0.timer = .on(Preset.Timer(minutes: .infinity)) },
      Shelf.preset { $0.subdivision = 300 }, Shelf.preset { $0.countIn = -1 },
      Shelf.preset { $0.audioOffsetMilliseconds = -1 }, Shelf.preset { $0.layer = 99 },
      Shelf.preset { $0.barMuting = .cycle(play: 0, mute: 1) },
      Shelf.preset { $0.analogSync = 3 }, Shelf.preset { $0.horizonMilliseconds = 1e9 },
      Shelf.preset {
        $0.meter = Shelf.three
        $0.pattern = .standard(for: .common)
      },
      Shelf.preset {
        $0.ramp = .on(
          .trainer(
            SpeedTrainer(
              unchecked: .quarters(100), to: .quarters(120), stepThousandths: 0,
              share: .barsPerLevel(1), end: .hold)))
      },
    ])
  func checked(preset: Preset) {
    let now = ControlInstant(time: MonotonicTime(nanoseconds: 0), frame: FrameIndex(0))
    var conductor = Conductor(rate: 48_000)
    let before = conductor.state
    let outputs = conductor.apply(preset, request: 5, now: now)
    #expect(outputs.count == 1)
    for case .refused(5, let refusal) in outputs { #expect(refusal.code == .value) }
    #expect(conductor.state == before)
  }

  @Test("sounds of a preset wait for the bar line, as do their levels")
  func sounds() {
    let rig = LiveRig(library: Shelf.evening)
    rig.submit(.start)
    rig.run(to: 60_000)
    rig.submit(.preset(.name("bell")))
    rig.run(to: 120_000)
    let late = rig.outputs.compactMap { output -> String? in
      guard case .engine(let command) = output, command.boundary == .bar else { return nil }
      return "\(command.action)"
    }
    #expect(late.contains { $0.hasPrefix("sounds") })
    #expect(late.contains { $0.hasPrefix("levelGain(MetronomeModel.Accent.strong, 0.1)") })
    #expect(rig.state.sounds[.strong].name == "bell")
    #expect(rig.conductor.sounds.atBar.isEmpty)
    #expect(rig.conductor.pending.count == 0)
  }

  @Test("next and previous go round all presets; numbers count from 1")
  func steps() {
    var rig = Rig(library: Shelf.evening)
    rig.submit(.nextPreset)
    #expect(rig.state.preset == "waltz")
    rig.submit(.nextPreset)
    #expect(rig.state.preset == "slow")
    rig.submit(.previousPreset)
    rig.submit(.previousPreset)
    #expect(rig.state.preset == "bell")
    rig.submit(.preset(.number(3)))
    #expect(rig.state.preset == "quiet")
    for number in [0, -1, 7, Int.max, Int.min] {
      #expect(rig.submit(.preset(.number(number))) == .refused(.name))
    }
    #expect(rig.state.preset == "quiet")
  }

  @Test("next and previous pass over what cannot be loaded, and say so")
  func passesOver() {
    var rig = Rig(library: Shelf.evening)
    rig.submit(.preset(.name("climb")))
    // "broken" names a song that is not there.
    #expect(rig.submit(.preset(.name("broken"))) == .refused(.name))
    rig.submit(.nextPreset)
    #expect(rig.state.preset == "bell")
    #expect(rig.notices.contains { $0.contains("'broken' was skipped: no such map") })
    rig.submit(.previousPreset)
    #expect(rig.state.preset == "climb")
    let broken = Setlist.Entry(preset: "broken")
    let slow = Setlist.Entry(preset: "slow")
    rig = Rig(
      library: Shelf(
        presets: Shelf.evening.presets,
        setlists: ["gig": Setlist(entries: [slow, broken, Setlist.Entry(preset: "bell"), broken])]))
    rig.submit(.setlist(.name("gig")))
    rig.submit(.nextPreset)
    #expect(rig.state.setlistEntry == 2)
    #expect(rig.submit(.nextPreset) == .refused(.name))
    #expect(rig.state.setlistEntry == 2)
    rig.submit(.previousPreset)
    #expect(rig.state.preset == "slow")
  }

  @Test("a setlist begins with its first entry and ends with its last")
  func setlist() {
    var rig = Rig(library: Shelf.evening)
    #expect(rig.submit(.setlist(.name("gig"))) == .effective(FrameIndex(1_000)))
    #expect(rig.state.setlist == "gig")
    #expect(rig.state.setlistEntry == 0)
    #expect(rig.state.preset == "slow")
    #expect(rig.submit(.previousPreset) == .refused(.state))
    rig.submit(.nextPreset)
    #expect(rig.state.preset == "waltz")
    rig.submit(.nextPreset)
    #expect(rig.state.map == "song")
    #expect(rig.submit(.nextPreset) == .refused(.state))
    #expect(rig.state.setlistEntry == 2)
    // In a setlist a number counts in it, and a title is a name.
    rig.submit(.preset(.number(1)))
    #expect(rig.state.preset == "slow")
    rig.submit(.preset(.name("Dance")))
    #expect(rig.state.preset == "waltz")
    #expect(rig.submit(.preset(.number(4))) == .refused(.name))
    #expect(rig.submit(.setlist(.name("none"))) == .refused(.name))
    #expect(rig.state.setlist == "gig")
  }

  @Test("what is saved brings the state back")
  func save() throws {
    let shelf = Shelf.evening
    var rig = Rig(library: shelf)
    rig.submit(.preset(.name("waltz")))
    rig.submit(.timer(minutes: 5))
    rig.submit(.muteLevel(.soft, true))
    rig.submit(.pattern("X.-"))
    #expect(rig.submit(.savePreset(name: "mine")) == .accepted)
    #expect(rig.state.preset == "mine")
    let saved = try #require(shelf.saved.withLock { $0["mine"] })
    var other = Rig()
    let now = ControlInstant(time: MonotonicTime(nanoseconds: 0), frame: FrameIndex(0))
    _ = other.conductor.apply(saved, now: now)
    var expected = rig.state
    expected.preset = nil
    expected.previousTempo = other.state.previousTempo
    expected.patterns = other.state.patterns
    #expect(other.state == expected)
    #expect(rig.submit(.savePreset(name: "full")) == .refused(.storage))
    #expect(rig.state.preset == "mine")
  }

  @Test("a saved preset keeps what presets have set and does not touch the setlist")
  func savesAll() throws {
    let mapping = MIDIMapping.Rule(trigger: .note(36, channel: nil), action: .tap)
    let target = FeedbackTarget(host: "10.0.0.1", port: 9000, topics: [.beat])
    let shelf = Shelf(
      presets: [
        (
          "full",
          Shelf.preset {
            $0.title = "Full"
            $0.mappings = [mapping]
            $0.feedback = [target]
            $0.horizonMilliseconds = 400
          }
        ), ("plain", Shelf.preset { $0.tempo = .quarters(90) }),
      ], setlists: ["gig": Setlist(entries: [.init(preset: "full"), .init(preset: "plain")])])
    var rig = Rig(library: shelf)
    rig.submit(.setlist(.name("gig")))
    rig.submit(.nextPreset)
    rig.submit(.trainerEnd(.loop))
    rig.submit(.savePreset(name: "mine"))
    let saved = try #require(shelf.saved.withLock { $0["mine"] })
    #expect(saved.mappings == [mapping] && saved.feedback == [target])
    #expect(saved.horizonMilliseconds == 400 && saved.setlist == nil && saved.title == nil)
    #expect(saved.trainerEnd == .loop && saved.tempo == .quarters(90))
    // Loaded again it leaves the setlist as it is.
    let now = ControlInstant(time: MonotonicTime(nanoseconds: 0), frame: FrameIndex(0))
    _ = rig.conductor.apply(saved, now: now)
    #expect(rig.state.setlist == "gig" && rig.state.setlistEntry == 1)
  }

  @Test("a digit is a label where a section has it, a number is a number")
  func labels() throws {
    let song = TempoMap(sections: [
      .init(label: "10", bars: 1), .init(label: "1", bars: 1), .init(label: "Verse 1/2", bars: 1),
    ])
    var rig = Rig(library: Shelf(maps: ["song": song]))
    rig.submit(.loadMap(name: "song"))
    for (wanted, section) in [
      (NameOrNumber.name("1"), 1), (.number(1), 0), (.name("10"), 0), (.name("3"), 2),
      (.name("Verse 1/2"), 2),
    ] {
      rig.submit(.section(wanted))
      #expect(rig.state.section == section, "\(wanted)")
    }
  }

  @Test("what is laid over a preset wins, and a typed tempo ends its trainer")
  func overlay() {
    let preset = Shelf.preset {
      $0.tempo = .quarters(100)
      $0.meter = .common
      $0.pattern = AccentPattern.standard(for: .common)
      $0.volumeDecibels = -12
      $0.countIn = 1
      $0.sounds[.strong] = .init(name: "beep", decibels: -3)
      $0.ramp = .on(
        .trainer(
          SpeedTrainer(
            unchecked: .quarters(100), to: .quarters(140), stepThousandths: 20_000,
            share: .barsPerLevel(1), end: .loop)))
    }
    let typed = Shelf.preset {
      $0.tempo = .quarters(150)
      $0.meter = Shelf.three
      $0.volumeDecibels = -20
      $0.sounds[.strong] = .init(name: "bell")
    }
    let both = preset.overlaid(by: typed)
    #expect(both.tempo == .quarters(150) && both.meter == Shelf.three && both.pattern == nil)
    #expect(both.volumeDecibels == -20 && both.countIn == 1 && both.ramp == .off)
    #expect(both.sounds[.strong] == .init(name: "bell", decibels: -3))
    #expect(preset.overlaid(by: Preset()) == preset)
  }

  @Test("without a library presets are refused with a reason")
  func noLibrary() {
    var rig = Rig()
    for command in [
      ControlCommand.preset(.number(1)), .nextPreset, .savePreset(name: "a"), .loadMap(name: "a"),
      .setlist(.number(1)),
    ] {
      #expect(rig.submit(command) == .refused(.storage))
    }
    #expect(rig.submit(.section(.number(1))) == .refused(.state))
    #expect(rig.submit(.clearMap) == .accepted)
  }

  @Test("a song plays its sections in order, with repeats, and the state follows")
  func song() {
    let rig = LiveRig(library: Shelf.evening)
    rig.submit(.loadMap(name: "song"))
    rig.submit(.start)
    rig.run(to: 100_000)
    #expect(rig.state.section == 0)
    // 1 bar of 4 x 24 000, 2 x 2 bars of 3 x 16 000, 1 bar of 4 x 48 000.
    rig.run(to: 9_600 + 96_000 + 100_000)
    #expect(rig.state.section == 1)
    #expect(rig.state.meter == Shelf.three)
    rig.run(to: 9_600 + 96_000 + 192_000 + 50_000)
    #expect(rig.state.section == 2)
    let frames = rig.beats.map(\.frame)
    #expect(frames.count > 17)
    #expect(frames[4] == 105_600)
    #expect(frames[16] == 105_600 + 12 * 16_000)
    rig.run(seconds: 6)
    #expect(rig.state.transport == .stopped)
  }

  @Test("a section is jumped to by label or number at the bar line; unknown ones are refused")
  func section() {
    let rig = LiveRig(library: Shelf.evening)
    #expect(rig.conductor.sectionNames.isEmpty)
    rig.submit(.loadMap(name: "song"))
    #expect(rig.conductor.sectionNames == ["intro", "verse", "end"])
    rig.submit(.start)
    rig.run(to: 60_000)
    let jump = rig.submit(.section(.name("end")))
    rig.run(to: 110_000)
    #expect(rig.effective(jump) == 105_600)
    #expect(rig.state.section == 2)
    for wanted in [NameOrNumber.name("coda"), .number(0), .number(4), .number(.min)] {
      let refused = rig.submit(.section(wanted))
      #expect(rig.refusal(refused)?.code == .name)
    }
  }

  @Test("a song is kept until the engine lets go of it")
  func retired() {
    let rig = LiveRig(library: Shelf.evening)
    for _ in 0..<5 {
      rig.submit(.loadMap(name: "song"))
      rig.run(seconds: 0.1)
    }
    #expect(rig.conductor.songs.prepared.count == 1)
    rig.submit(.clearMap)
    rig.run(seconds: 0.1)
    #expect(rig.conductor.songs.prepared.isEmpty)
    #expect(rig.state.map == nil)
  }
}
