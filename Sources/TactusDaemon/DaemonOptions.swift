public import ALSAAudio
public import MetronomeModel
public import MusicalTime
public import TakeRecorder

/// What the daemon was asked for on its command line.
///
/// - Thread: any
public struct DaemonOptions: Equatable, Sendable {
  public var meter: Meter?
  public var tempo: Tempo?
  public var pattern: String?
  public var subdivision: Int?
  public var swing: Swing?
  public var sound: String?
  public var volumeDecibels: Double?
  public var countInBars: Int?
  public var autostart = false
  public var preset: String?
  public var folder: String?
  public var shippedPresets: String?

  public var output = PCMRequest()
  public var capture = CaptureRequest()
  public var takeSample = TakeEncoding.Sample.pcm24
  /// nil: no OSC at all; 0: any free port.
  public var oscPort: Int? = Limits.oscPort
  public var allowed: [String] = []
  public var observers: [String] = []
  public var admins: [String] = []
  public var feedback: [String] = []
  public var beatTargets: [String] = []
  /// How often each beat is announced.
  public var beatCopies = 1
  /// Nil: the shortest.
  public var beatLeadMilliseconds: Double?
  public var follow = FollowSource.off
  /// Whether the daemon is announced on the network, and the page and OSCQuery are served.
  public var isDiscoverable = true
  /// HTTP and WebSocket; nil: neither the page nor OSCQuery, 0: any free port.
  public var webPort: Int? = Limits.webPort
  public var usesMIDI = true
  /// Faults that port Clock makes on purpose.
  public var injectedFaults: String?
  public var midiPorts: [MIDIPortConfiguration] = [MIDIPortConfiguration(name: "Clock")]
  public var locksMemory = true
  public var isQuiet = false

  /// A meter or a tempo on the command line starts at once.
  public var startsAtOnce: Bool { autostart || meter != nil || tempo != nil }

  /// What was typed of the music, as a preset.
  public var typedPreset: Preset {
    var typed = Preset()
    typed.tempo = tempo
    typed.meter = meter
    if let pattern {
      typed.meter = meter ?? .common
      typed.pattern = try? AccentPattern(text: pattern, for: meter ?? .common)
    }
    typed.subdivision = subdivision
    typed.swing = swing
    typed.volumeDecibels = volumeDecibels
    typed.countIn = countInBars
    if let sound {
      for target in ControlCommand.SoundTarget.clicks { typed.sounds[target] = .init(name: sound) }
    }
    return typed
  }

  public init() {}
}
