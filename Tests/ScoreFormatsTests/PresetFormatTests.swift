import MetronomeModel
import MusicalTime
import Testing

@testable import ScoreFormats

@Suite("Presets")
struct PresetFormatTests {
  func read(_ text: String) throws -> Preset {
    try PresetFormat.read(Array(text.utf8), file: "p.json")
  }

  func failure(_ text: String) -> String {
    do {
      _ = try PresetFormat.read(Array(text.utf8), file: "p.json")
      return "accepted"
    } catch { return error.description }
  }

  /// A preset in which everything is set, none of it to its default.
  static var full: Preset {
    var preset = Preset()
    preset.title = "All \u{E9}"
    preset.tempo = Tempo(72.125, unit: NoteValue(4, dotted: true)!)
    preset.meter = try? Meter(text: "2+2+3/8")
    preset.pattern = AccentPattern([.strong, .soft, .normal, .silent, .normal, .soft, .soft])
    preset.subdivision = 4
    preset.subdivisionLevel = .normal
    preset.swing = .percentHundredths(5_833)
    preset.layer = 5
    preset.volumeDecibels = -12.5
    preset.sounds[.strong] = .init(
      name: "bell.wav", decibels: -.infinity, semitones: -2.5, channels: [1, 4],
      keepsLeadingSilence: true)
    preset.sounds[.sync] = .init(channels: [3])
    preset.beatSounds = ["one.wav", nil, "three.wav"]
    preset.analogSync = 24
    preset.isMuted = true
    preset.mutedLevels = [.soft, .normal]
    preset.soloLevel = .on(.strong)
    preset.barMuting = .random(percentHundredths: 3_050, seed: .max)
    preset.ramp = .on(
      .trainer(
        SpeedTrainer(
          unchecked: Tempo(60)!, to: Tempo(120.5)!, stepThousandths: 2_500,
          share: .totalMilliseconds(96_500), end: .return)))
    preset.countIn = 2
    preset.isCountInMuted = true
    preset.timer = .on(.init(minutes: 7.5, stops: false))
    preset.movesPhaseByTaps = true
    preset.tapLimitSeconds = 3.5
    preset.audioOffsetMilliseconds = 12.25
    preset.beatOffsetMilliseconds = -20
    preset.horizonMilliseconds = 250
    preset.setlist = .on("friday")
    preset.trainerEnd = .loop
    preset.follow = FollowSource(text: "Digitakt")
    preset.linkMode = .lead
    preset.sharesLinkPlaying = true
    preset.linkQuantum = .quarters(3.5)
    preset.map = .off
    preset.midiPorts = [
      MIDIPortConfiguration(
        name: "Clock", connections: ["Drum*:MIDI 1", "*"], clock: .always, transport: false,
        songPosition: false, offsetMilliseconds: -12.5, startLeadMilliseconds: 2,
        songPositionWaitMilliseconds: 30, continueAsStart: true, pulsesBeforeStart: 96,
        startAtCountIn: true, repositionOnJump: true, reconnect: .startAtBar,
        beatNotes: MIDIBeatNotes(
          isOn: true, channel: 3, strong: .init(note: 1, velocity: 2),
          normal: .init(note: 3, velocity: 4), soft: .init(note: 5, velocity: 0),
          lengthMilliseconds: 12)),
      MIDIPortConfiguration(name: "Second"),
    ]
    preset.mappings = [
      .init(trigger: .note(60, channel: 10), action: .tap),
      .init(
        trigger: .controller(20, channel: nil),
        action: MIDIAction(command: "tempo", words: [.spread(from: 60, to: 180.5)])),
      .init(
        trigger: .program(3, channel: 1),
        action: MIDIAction(
          command: "preset", words: [.argument(.text("a")), .argument(.number(1.5))])),
      .init(
        trigger: .program(nil, channel: nil), action: MIDIAction(command: "preset", words: [.value])
      ),
      .init(trigger: .resume, action: MIDIAction(command: "continue")),
      .init(trigger: .key(109, device: "Air*"), action: MIDIAction(command: "toggle")),
      .init(
        trigger: .key(104, device: nil), action: MIDIAction(command: "tempo/push", isHeld: true)),
    ]
    preset.feedback = [
      FeedbackTarget(host: "tablet.local", port: 9_000, topics: [.beat, .state])
    ]
    preset.beatTargets = [
      BeatTarget(host: "a", port: 1, profile: .gate(address: "/g", milliseconds: 20)),
      BeatTarget(
        host: "b", port: 65_535, profile: .phase(address: "/p", perSecond: 50),
        offsetMilliseconds: -15, includesMutedBars: true, leastAccent: .normal),
      BeatTarget(host: "c", port: 2, profile: .perBeat(address: "/b/{beat}", milliseconds: 5)),
      BeatTarget(
        host: "e", port: 4, profile: .notes(address: "/n", channel: 16, milliseconds: 30)),
      BeatTarget(
        host: "d", port: 3,
        profile: .template(address: "/t", arguments: [.text("{bar}"), .number(1)])),
    ]
    return preset
  }

  @Test("a preset in which everything is set comes back the same")
  func roundTrip() throws {
    #expect(try read(PresetFormat.write(Self.full)) == Self.full)
    #expect(try read(PresetFormat.write(Preset())) == Preset())
  }

  @Test("every form of ramp, muting and timer comes back the same")
  func forms() throws {
    let tempos = (Tempo(120)!, Tempo(80)!)
    let ramps: [Preset.Setting<Preset.Ramp>] =
      [.off]
      + [.totalMilliseconds(300_000), .millisecondsPerLevel(1_500), .barsPerLevel(4)].map {
        .on(
          .trainer(
            SpeedTrainer(
              unchecked: tempos.0, to: tempos.1, stepThousandths: 1, share: $0, end: .loop)))
      }
      + [.seconds(96.0 / 13), .bars(4)].map {
        .on(.glide(GlideRamp(unchecked: tempos.0, to: tempos.1, length: $0), when: .bar))
      }
    for ramp in ramps {
      var preset = Preset()
      preset.ramp = ramp
      #expect(try read(PresetFormat.write(preset)) == preset)
    }
    for muting in [
      BarMuting.off, .cycle(play: 3, mute: 1), .growing(play: 2, maximum: 4),
      .random(percentHundredths: 0, seed: 0),
    ] {
      var preset = Preset()
      preset.barMuting = muting
      preset.timer = .off
      preset.soloLevel = .off
      preset.volumeDecibels = -.infinity
      preset.swing = .triplet
      preset.map = .on("song")
      preset.setlist = .off
      #expect(try read(PresetFormat.write(preset)) == preset)
    }
  }

  @Test("the short forms mean what the long ones do")
  func shortForms() throws {
    let preset = try read(
      #"{"tempo": 99.95, "subdivision": 3, "countIn": 2, "timer": 5, "swing": 58.33}"#)
    #expect(preset.tempo == Tempo(thousandths: 99_950))
    #expect(preset.subdivision == 3 && preset.subdivisionLevel == nil)
    #expect(preset.countIn == 2 && preset.timer == .on(.init(minutes: 5)))
    #expect(preset.swing == .percentHundredths(5_833))
  }

  @Test(
    "a refusal names file, line, key, value and what is allowed",
    arguments: [
      (
        "{\n  \"tempo\": 1000\n}",
        "p.json:2:12: tempo: 1000: allowed are 5 to 999 1/4 a minute"
      ),
      (
        #"{"tempo": {"value": 2, "unit": "1/4."}}"#,
        "p.json:1:21: tempo.value: 2: allowed are 3.334 to 666 1/4. a minute"
      ),
      (#"{"tempo": "fast"}"#, "p.json:1:11: tempo: 'fast' stands where a number should stand"),
      (#"{"tmepo": 120}"#, "p.json:1:2: tmepo: unknown key: did you mean 'tempo'?"),
      (#"{"midi": [{"name": "a", "chanel": 1}]}"#, "p.json:1:25: midi[0].chanel: unknown key: "),
      (
        #"{"meter": "5/7"}"#,
        "p.json:1:11: meter: meter unit 7 is not a note value: allowed are 1, 2, 4, 8, 16 and 32"
      ),
      (
        #"{"meter": "4/4", "pattern": "Xx"}"#,
        "p.json:1:29: pattern: pattern has 2 letters but a bar of 4/4 has 4 beats: write 4 letters"
      ),
      (#"{"pattern": "Xx"}"#, "p.json:1:13: pattern: there is no meter beside it"),
      (#"{"swing": 120}"#, "p.json:1:11: swing: 120: allowed are 50 to 75 %"),
      (#"{"subdivision": 10}"#, "p.json:1:17: subdivision: 10: allowed are 1 to 9"),
      (#"{"subdivision": 1.5}"#, "p.json:1:17: subdivision: 1.5: a whole number is needed"),
      (#"{"layer": 1}"#, "p.json:1:11: layer: 1: allowed are 0 (none) and 2 to 16"),
      (#"{"volume": 3}"#, "p.json:1:12: volume: 3: allowed are -90 to 0 dB"),
      (
        #"{"trainer": {"from": 80, "to": 80, "minutes": 1}}"#,
        "p.json:1:32: trainer.to: is the same as from: a ramp needs two different tempos"
      ),
      (
        #"{"trainer": {"from": 80, "to": 90, "step": 0, "minutes": 1}}"#,
        "p.json:1:44: trainer.step: 0: a step is above 0 (0.001 at the least)"
      ),
      (
        #"{"trainer": {"from": 80, "to": 90, "seconds": 0}}"#,
        "p.json:1:47: trainer.seconds: 0: allowed are 0.1 to 10800 s"
      ),
      (
        #"{"trainer": {"from": 80, "to": 90}}"#,
        "p.json:1:13: trainer.minutes: a trainer has one of minutes, seconds"
      ),
      (#"{"timer": 181}"#, "p.json:1:11: timer: 181: allowed are 1 to 180 min"),
      (#"{"timer": "on"}"#, "p.json:1:11: timer: 'on': allowed are \"off\""),
      (
        #"{"sounds": {"strong": {"name": "../x.wav"}}}"#,
        "p.json:1:32: sounds.strong.name: name '../x.wav' begins with a dot"
      ),
      (
        #"{"sounds": {"strong": {"channels": [0]}}}"#,
        "p.json:1:36: sounds.strong.channels: 0: allowed are whole numbers 1 to 64"
      ),
      (#"{"analogSync": 3}"#, "p.json:1:16: analogSync: 3: allowed are 0, 1, 2, 4, 24, 48"),
      (
        #"{"midi": [{"name": "a", "offset": -301}]}"#,
        "p.json:1:35: midi[0].offset: -301: allowed are -300 to 500 ms"
      ),
      (
        #"{"midi": [{"name": "a"}, {"name": "a"}]}"#,
        "p.json:1:10: midi: two ports are called 'a': give each its own name"
      ),
      (#"{"midi": [{}]}"#, "p.json:1:11: midi[0].name: is missing"),
      (
        #"{"mappings": [{"key": "KEY_PAGEDWN", "command": "tap"}]}"#,
        "p.json:1:23: mappings[0].key: 'KEY_PAGEDWN': a key is a Linux key code"
      ),
      (
        #"{"mappings": [{"key": "KEY_A", "command": "volume", "from": 0, "to": 1}]}"#,
        "p.json:1:61: mappings[0].from: 'key a' has no value"
      ),
      (#"{"mappings": [{"note": 60}]}"#, "p.json:1:15: mappings[0].command: is missing"),
      (
        #"{"mappings": [{"note": 60, "key": "A", "command": "tap"}]}"#,
        "p.json:1:35: mappings[0].key: a mapping has one of note, controller, program, transport"
      ),
      (
        #"{"beats": [{"host": "a", "port": 0, "profile": "gate", "address": "/a"}]}"#,
        "p.json:1:34: beats[0].port: 0: allowed are 1 to 65535"
      ),
      (
        #"{"beats": [{"host": "a", "port": 1, "profile": "phase", "address": "/a", "length": 1}]}"#,
        "p.json:1:84: beats[0].length: belongs to gate or perBeat or notes, this is a phase"
      ),
      (
        #"{"beats": [{"host": "a", "port": 1, "profile": "gate", "address": "/a#b"}]}"#,
        "p.json:1:67: beats[0].address: '/a#b': an OSC address cannot have '#'"
      ),
      (
        #"{"beats": [{"host": "a", "port": 1, "profile": "gate", "address": "/{lamp}"}]}"#,
        "p.json:1:67: beats[0].address: '{lamp}' is unknown: allowed are {bar}"
      ),
      ("[]", "p.json:1:1: a list stands where an object { } should stand"),
      ("{", "p.json:1:2: the end of the text where a key in quotes should stand"),
    ])
  func refusals(text: String, message: String) {
    #expect(failure(text).hasPrefix(message), "\(failure(text))")
  }

  @Test("the documentation has a line for every key, and the full preset uses them all")
  func documentation() throws {
    let text = PresetFormat.documentation
    for key in PresetKeys.root {
      #expect(text.contains("| `\(key.name)` |"))
    }
    let written = PresetFormat.write(Self.full)
    for key in PresetKeys.root where key.name != "glide" {
      #expect(written.contains("\"\(key.name)\":"), "\(key.name)")
    }
  }

  @Test("a preset made of a state brings that state back")
  func ofState() throws {
    var state = MetronomeState()
    state.tempo = Tempo(93.7)!
    state.mutedLevels = [.soft]
    state.sounds[.normal].decibels = -4
    state.timerMinutes = 10
    let preset = Preset(of: state)
    #expect(try read(PresetFormat.write(preset)) == preset)
    #expect(preset.applied(to: SoundSettings()) == state.sounds)
    #expect(preset.timer == .on(.init(minutes: 10, stops: state.timerStops)))
  }
}
