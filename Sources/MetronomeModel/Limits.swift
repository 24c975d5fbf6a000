/// Every legal range, once, with its unit.
public enum Limits {
  /// Quarter notes a minute.
  public static let quarterTempo: ClosedRange<Double> = 5...999
  /// Clicks a beat.
  public static let subdivision: ClosedRange<Int> = 1...9
  /// Clicks of a layer a bar; 0 is off.
  public static let layer: ClosedRange<Int> = 2...16
  /// Per cent of a pair.
  public static let swingPercent: ClosedRange<Double> = 50...75
  /// Bars before bar 1.
  public static let countInBars: ClosedRange<Int> = 0...16
  /// Minutes of a practice timer.
  public static let timerMinutes: ClosedRange<Double> = 1...180
  /// Decibels, of the level and of each accent; below it is silence.
  public static let gainDecibels: ClosedRange<Double> = -90...0
  /// Milliseconds by which MIDI and beat events may be moved.
  public static let eventOffsetMilliseconds: ClosedRange<Double> = -300...500
  /// Milliseconds by which the clicks may be moved.
  public static let audioOffsetMilliseconds: ClosedRange<Double> = 0...500
  /// Milliseconds from FA to its F8.
  public static let startLeadMilliseconds: ClosedRange<Double> = 1...100
  /// Milliseconds from F2 to FB at the least.
  public static let songPositionWaitMilliseconds: ClosedRange<Double> = 0...500
  /// Milliseconds of a beat note.
  public static let noteMilliseconds: ClosedRange<Double> = 1...5_000
  /// Clock pulses before FA, up to two bars of 32 quarter notes.
  public static let pulsesBeforeStart: ClosedRange<Int> = 0...1_536
  /// Seconds of a ramp: up to three hours.
  public static let rampSeconds: ClosedRange<Double> = 0.1...10_800
  /// Bars of a ramp, of a level, of a section, or of muting.
  public static let bars: ClosedRange<Int> = 1...9_999
  /// Per cent of bars muted at random.
  public static let mutePercent: ClosedRange<Double> = 0...100
  /// Seconds after which a new series of taps begins.
  public static let tapLimitSeconds: ClosedRange<Double> = 0.5...12
  /// Seconds in which what is to be learned must be played.
  public static let learnSeconds: ClosedRange<Int> = 1...600
  /// Sample rates a second.
  public static let sampleRates: [Int] = [44_100, 48_000, 88_200, 96_000, 192_000]
  /// Milliseconds from the command to beat one at the least.
  public static let leadInMilliseconds: Int64 = 200
  /// Milliseconds by which events are made known ahead, unless a longer lead is asked for.
  public static let horizonMilliseconds: Int64 = 100
  public static let longestHorizonMilliseconds: Int64 = 2_000
  /// Milliseconds before a beat at which a change can still land on it, without early offsets.
  public static let commitMilliseconds: Int64 = 20
  /// Decibels of full scale at start.
  public static let defaultLevelDecibels: Double = -12
  /// Decibels of full scale that the sum never passes.
  public static let ceilingDecibels: Double = -1
  /// Beats a minute of a nudge that names none, in the tempo's unit.
  public static let nudge: Double = 1
  /// Beats a minute of a trainer's step that names none, in the tempo's unit.
  public static let trainerStep: Double = 5
  /// Quarters after which the phase of an Ableton Link session begins anew.
  public static let linkQuarters: ClosedRange<Double> = 0.25...64
  public static let oscPort: Int = 9_700
  /// The port of the page for browsers and of OSCQuery, unless another is asked for.
  public static let webPort: Int = 9_780
  /// Beats of the bar that may have a sound of their own.
  public static let beatSounds: ClosedRange<Int> = 0...16
  /// Bytes of the name of a preset, setlist, map, sound or take.
  public static let nameBytes: Int = 128
  /// Presets in the user's folder.
  public static let savedPresets: Int = 200
  /// Semitones by which a sound is raised or lowered.
  public static let semitones: ClosedRange<Double> = -24...24
  /// Output channels of a card, counted from 1.
  public static let outputChannels: ClosedRange<Int> = 1...64
  /// Pulses a quarter of the analog sync output; 0 is off.
  public static let analogSyncPerQuarter: [Int] = [0, 1, 2, 4, 24, 48]
  /// Seconds of a click read from a sound file.
  public static let soundSeconds: Double = 10
  /// Channels of a click read from a sound file.
  public static let soundChannels: ClosedRange<Int> = 1...2
  /// Frames a second of a sound file.
  public static let soundRate: ClosedRange<Int> = 4_000...384_000
  /// Bytes of all the sounds of one bank, prepared at the output's rate.
  public static let soundBankBytes: Int = 64 << 20
}
