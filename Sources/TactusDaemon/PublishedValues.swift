internal import Conductor
internal import MetronomeModel
internal import MusicalTime
internal import BeatOutputs
internal import OSCProtocol
internal import OSCWire
internal import SoundFiles

/// The values of the state as OSC clients see them: addresses and arguments.
///
/// A value is sent in the form in which it can be sent back.
///
/// - Thread: control
enum PublishedValues {
  /// The messages of one value.
  static func messages(of key: StateKey, in state: MetronomeState) -> [OSCMessage] {
    switch key {
    case .transport:
      return [
        message("transport", .string(state.transport.rawValue)), position(state),
      ]
    case .tempo:
      return [
        message(
          "tempo", .float(Float(state.tempo.value)), .string(state.tempo.unit.description)),
        quarterTempo(state.quarterThousandths),
      ]
    case .previousTempo: return []
    case .push: return [flag("tempo/push", state.isPushed)]
    case .pull: return [flag("tempo/pull", state.isPulled)]
    case .tapPhase: return [flag("tap/phase", state.movesPhaseByTaps)]
    case .tapUnit: return [message("tap/unit", .string("\(state.tapUnit)"))]
    case .tapLimit:
      return [message("tap/limit", .float(Float(state.tapLimitMilliseconds) / 1000))]
    case .trainerEnd: return [message("ramp/end", .string("\(state.trainerEnd)"))]
    case .ramp:
      // A running ramp reports by itself; its end is told here: no level is left.
      guard state.ramp == nil else { return [] }
      return [
        progress(
          RampProgress(tempo: state.tempo, level: 0, levelCount: 0, fraction: 1, secondsLeft: 0))
      ]
    case .meter: return [message("meter", .string(state.meter.description))]
    case .pattern: return [message("pattern", .string(state.pattern.description))]
    case .subdivision: return [message("subdivision", .int32(Int32(state.subdivision.count)))]
    case .subdivisionLevel:
      return [message("subdivision/level", .string(state.subdivision.level.name))]
    case .swing: return [message("swing", .float(Float(state.subdivision.swing.percent)))]
    case .layer: return [message("layer", .int32(Int32(clamping: state.layer)))]
    case .mute: return [flag("mute", state.isMuted)]
    case .barMuting: return barMuting(state.barMuting)
    case .muteLevel(let level):
      guard level != .silent else { return [] }
      return [flag("mute/\(level.name)", state.mutedLevels.contains(level))]
    case .soloLevel: return [message("solo", .string(state.soloLevel?.name ?? "none"))]
    case .countIn: return [message("countin", .int32(Int32(clamping: state.countInBars)))]
    case .countInMute: return [flag("countin/mute", state.isCountInMuted)]
    case .timer:
      let timer = message("timer", .float(Float(state.timerMinutes ?? 0)))
      // A running timer reports by itself; its end is told here.
      return state.timerMinutes == nil
        ? [timer, PublishedValues.timer(played: 0, left: 0)] : [timer]
    case .timerStops: return [flag("timer/stops", state.timerStops)]
    case .volume: return level("volume", state.volumeDecibels)
    case .level(let target):
      return level("level/\(target.rawValue)", state.sounds[target].decibels)
    case .sound(let target): return sound(target, state.sounds[target])
    case .beatSounds:
      let names = state.sounds.beatNames.map { $0 ?? "-" }
      return [
        OSCMessage("/tactus/sound/beats", (names.isEmpty ? ["-"] : names).map { .string($0) })
      ]
    case .analogSync:
      return [message("analogsync", .int32(Int32(clamping: state.sounds.syncPerQuarter)))]
    case .preset: return [message("preset", .string(state.preset ?? ""))]
    case .setlist: return [message("setlist", .string(state.setlist ?? ""))]
    case .map: return []
    case .section: return [message("section", .int32(Int32(clamping: (state.section ?? -1) + 1)))]
    case .audioOffset:
      return [message("offset/audio", .float(Float(state.audioOffsetMilliseconds)))]
    case .follow: return [message("follow", .string("\(state.follow)"))]
    case .link: return [message("link", .string(state.linkMode.rawValue))]
    case .linkSync: return [flag("link/sync", state.sharesLinkPlaying)]
    case .linkQuantum: return [message("link/quantum", .string("\(state.linkQuantum)"))]
    case .beatOffset:
      return [message("offset/beats", .float(Float(state.beatOffsetMilliseconds)))]
    case .midi(let name):
      return state.midiPorts.first { $0.name == name }.map(midi) ?? []
    }
  }

  /// Every value there is, for the first publication.
  static func everything(_ state: MetronomeState) -> [OSCMessage] {
    var keys: [StateKey] = [
      .transport, .tempo, .push, .pull, .tapPhase, .tapLimit, .tapUnit, .trainerEnd, .meter,
      .pattern, .subdivision, .subdivisionLevel, .swing, .layer, .mute, .barMuting, .soloLevel,
      .muteLevel(.strong), .muteLevel(.normal), .muteLevel(.soft), .countIn, .countInMute, .timer,
      .timerStops, .volume, .beatSounds, .analogSync, .preset, .setlist, .section, .audioOffset,
      .beatOffset, .follow, .link, .linkSync, .linkQuantum,
    ]
    for target in ControlCommand.SoundTarget.allCases {
      keys += [.level(target), .sound(target)]
    }
    keys += state.midiPorts.map { .midi(port: $0.name) }
    return keys.flatMap { messages(of: $0, in: state) }
  }

  static func position(_ state: MetronomeState) -> OSCMessage {
    message("position", .int32(Int32(clamping: state.bar)), .int32(Int32(clamping: state.beat)))
  }

  static func quarterTempo(_ thousandths: Int32) -> OSCMessage {
    message("tempo/quarter", .float(Float(thousandths) / 1000))
  }

  static func timer(played: Double, left: Double) -> OSCMessage {
    message("timer/progress", .float(Float(played)), .float(Float(left)))
  }

  /// Others in the session, its tempo, and the milliseconds by which our beats are early against it.
  static func linkStatus(peers: Int, tempo: Double, offsetMilliseconds: Double) -> OSCMessage {
    message(
      "link/status", .int32(Int32(clamping: peers)), .float(Float(tempo)),
      .float(Float(offsetMilliseconds)))
  }

  static func progress(_ progress: RampProgress) -> OSCMessage {
    message(
      "ramp/progress", .float(Float(progress.tempo.value)), .int32(Int32(clamping: progress.level)),
      .int32(Int32(clamping: progress.levelCount)), .float(Float(progress.fraction)),
      .float(Float(progress.secondsLeft)))
  }

  private static func barMuting(_ muting: BarMuting) -> [OSCMessage] {
    // One of the three is in force at most; the others are told as ended: nothing is muted.
    var cycle: (play: Int32, mute: Int32) = (1, 0)
    var growing: (play: Int32, maximum: Int32) = (1, 0)
    var random: (percent: Float, seed: Int32) = (0, 1)
    switch muting {
    case .off: break
    case .cycle(let play, let mute): cycle = (play, mute)
    case .random(let hundredths, let seed):
      random = (Float(hundredths) / 100, Int32(clamping: seed))
    case .growing(let play, let maximum): growing = (play, maximum)
    }
    return [
      message("mute/bars", .int32(cycle.play), .int32(cycle.mute)),
      message("mute/random", .float(random.percent), .int32(random.seed)),
      message("mute/growing", .int32(growing.play), .int32(growing.maximum)),
    ]
  }

  private static func level(_ path: String, _ decibels: Double) -> [OSCMessage] {
    [
      message(path, .float(Float(FaderLaw.fader(decibels: decibels)))),
      message(
        "\(path)/db", .float(Float(max(decibels, Limits.gainDecibels.lowerBound)))),
    ]
  }

  private static func sound(
    _ target: ControlCommand.SoundTarget, _ choice: SoundSettings.Choice
  ) -> [OSCMessage] {
    let channels = choice.channels.isEmpty ? [1, 2] : choice.channels
    return [
      message("sound/\(target.rawValue)", .string(choice.name ?? BuiltInSound.wood.rawValue)),
      message("pitch/\(target.rawValue)", .float(Float(choice.semitones))),
      OSCMessage(
        "/tactus/route/\(target.rawValue)", channels.map { .int32(Int32(clamping: $0)) }),
    ]
  }

  private static func midi(_ port: MIDIPortConfiguration) -> [OSCMessage] {
    let path = "midi/\(port.name)"
    return [
      message("\(path)/offset", .float(Float(port.offsetMilliseconds))),
      message("\(path)/clock", .string(port.clock.rawValue)),
      flag("\(path)/transport", port.transport),
      flag("\(path)/songposition", port.songPosition),
      flag("\(path)/notes", port.beatNotes.isOn),
    ]
  }

  private static func flag(_ path: String, _ isOn: Bool) -> OSCMessage {
    message(path, .int32(isOn ? 1 : 0))
  }

  private static func message(_ path: String, _ arguments: OSCValue...) -> OSCMessage {
    OSCMessage("/tactus/\(path)", arguments)
  }
}
