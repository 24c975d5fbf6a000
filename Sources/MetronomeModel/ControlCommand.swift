public import MusicalTime

/// A request of a person or a program, decoded and within the limits that need no knowledge of the
/// running state; the Conductor judges the rest.
///
/// Every way in (OSC, MIDI, key devices, command line, presets) speaks these.
///
/// - Thread: any
public enum ControlCommand: Equatable, Sendable {
  // Transport
  case start
  case stop
  case `continue`
  case toggle
  case panic
  case rewind
  /// 1-based bar and beat, as people count.
  case locate(bar: Int, beat: Int)

  // Tempo
  /// `unit` nil keeps the unit in force.
  case tempo(Double, unit: NoteValue?, when: ChangeBoundary)
  case nudge(Double)
  case doubleTempo
  case halfTempo
  case push(Bool)
  case pull(Bool)
  case resumeTempo
  case tap(at: MonotonicTime, series: UInt64)
  case tapPhase(Bool)
  case tapLimit(seconds: Double)
  case tapUnit(TapUnit)

  // Ramps
  case trainer(from: Double, to: Double, step: Double, share: SpeedTrainer.Share)
  case trainerEnd(SpeedTrainer.End)
  case glide(from: Double, to: Double, length: GlideRamp.Length, when: ChangeBoundary)
  case cancelRamp

  // Meter and clicks
  case meter(Meter)
  case pattern(String)
  case meterAndPattern(Meter, String)
  case subdivision(Int)
  case subdivisionLevel(Accent)
  case swing(Swing)
  /// 0 turns the layer off.
  case layer(Int)

  // Mutes
  case mute(Bool)
  case toggleMute
  case muteBars(BarMuting)
  case muteLevel(Accent, Bool)
  /// nil ends the solo.
  case soloLevel(Accent?)

  // Levels and sounds
  /// Decibels; `-.infinity` is silence.
  case volume(decibels: Double)
  case level(SoundTarget, decibels: Double)
  case sound(SoundTarget, name: String)
  /// A sound for each beat of the bar, such as a spoken count; `-` or an empty name is the level's own.
  case beatSounds([String])
  case pitch(SoundTarget, semitones: Double)
  /// Output channels of a sound, 1-based.
  case route(SoundTarget, channels: [Int])
  /// Pulses a quarter of the analog sync output (0, 1, 2, 4, 24, 48) and its 1-based channel.
  case analogSync(perQuarter: Int, channel: Int?)

  // Count-in and timer
  case countIn(bars: Int)
  case countInMute(Bool)
  case timer(minutes: Double)
  case timerStops(Bool)
  case cancelTimer

  // Presets, setlists and songs
  case preset(NameOrNumber)
  case nextPreset
  case previousPreset
  case savePreset(name: String)
  case setlist(NameOrNumber)
  /// Leaves the setlist; the values stay.
  case endSetlist
  /// Forgets which preset was loaded; the values stay.
  case endPreset
  case loadMap(name: String)
  case clearMap
  case section(NameOrNumber)

  // Outputs
  case audioOffset(milliseconds: Double)
  case beatOffset(milliseconds: Double)
  case midi(port: String, MIDIPortSetting)
  /// The next note, controller, program or key is bound to this action.
  case learn(action: String, seconds: Int)
  case cancelLearning
  case follow(FollowSource)

  // Ableton Link
  case link(LinkMode)
  /// Whether start and stop are shared.
  case linkSync(Bool)
  case linkQuantum(LinkQuantum)
  /// The tempo of the session that is followed, exact, from now on.
  case sessionTempo(Tempo)

  /// What was learned for a trigger, as it is written, or for all.
  case forget(trigger: String)

  // Takes and calibrations
  case listen(ListenRequest)

  case quit

  /// A sound that has a level of its own.
  public enum SoundTarget: String, Equatable, Sendable, CaseIterable {
    case strong, normal, soft, subdivision, layer, countin, timer, sync

    /// What is heard as a click: all but the pulses for gear.
    public static let clicks: [SoundTarget] = allCases.filter { $0 != .sync }
  }

  /// What may be set on a MIDI clock port while it runs.
  public enum MIDIPortSetting: Equatable, Sendable {
    case offset(milliseconds: Double)
    case clock(MIDIClockMode)
    case connect(name: String)
    case disconnect(name: String)
    case transport(Bool)
    case songPosition(Bool)
    case beatNotes(Bool)
  }
}

/// When a MIDI clock port sends pulses.
public enum MIDIClockMode: String, Equatable, Sendable, CaseIterable {
  case off, rolling, always
}

/// How people name a preset, a setlist or a section.
public enum NameOrNumber: Equatable, Sendable {
  case name(String)
  /// 1-based.
  case number(Int)

  /// Whether a text could also be meant as a number.
  public var isDigits: Bool {
    guard case .name(let text) = self else { return false }
    return (1...4).contains(text.utf8.count)
      && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }

  /// What is meant where these are the names: a text is a name first, and a number where nothing
  /// has that name and it is digits alone; some apps send nothing but texts.
  public func resolved(among names: @autoclosure () -> [String]) -> NameOrNumber {
    guard isDigits, case .name(let text) = self, let number = Int(text), !names().contains(text)
    else { return self }
    return .number(number)
  }
}
