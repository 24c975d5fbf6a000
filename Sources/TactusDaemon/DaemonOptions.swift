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
  /// Where the last state is kept; nil: in the usual place.
  public var stateFolder: String?
  public var keepsState = true
  /// Whether the start brings nothing back.
  public var isFresh = false
  public var shippedPresets: String?

  public var output = PCMRequest()
  public var keepAwake = KeepAwake.off
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
  public var linkMode = LinkMode.off
  /// Whether a mode was typed, off included: it wins over a kept one.
  public var namesLinkMode = false
  public var sharesLinkPlaying = false
  public var linkQuantum = LinkQuantum.bar
  /// Whether the daemon is announced on the network, and the page and OSCQuery are served.
  public var isDiscoverable = true
  /// HTTP and WebSocket; nil: neither the page nor OSCQuery, 0: any free port.
  public var webPort: Int? = Limits.webPort
  public var usesMIDI = true
  /// Faults that port Clock makes on purpose.
  public var injectedFaults: String?
  public var midiPorts: [MIDIPortConfiguration] = [MIDIPortConfiguration(name: "Clock")]
  /// What was typed of port Clock.
  var typedOfClock: Set<String> = []
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
    if namesLinkMode {
      typed.linkMode = linkMode
      typed.sharesLinkPlaying = sharesLinkPlaying
      typed.linkQuantum = linkQuantum
    }
    if follow != .off { typed.follow = follow }
    if let sound {
      for target in ControlCommand.SoundTarget.clicks { typed.sounds[target] = .init(name: sound) }
    }
    return typed
  }

  /// The ports of the command line and, beneath them, those that were kept.
  public func ports(above kept: [MIDIPortConfiguration]) -> [MIDIPortConfiguration] {
    var ports = midiPorts
    if let typed = ports.first, var clock = kept.first(where: { $0.name == typed.name }) {
      if typedOfClock.contains("midi-connect") { clock.connections = typed.connections }
      if typedOfClock.contains("midi-clock") { clock.clock = typed.clock }
      if typedOfClock.contains("midi-offset") {
        clock.offsetMilliseconds = typed.offsetMilliseconds
      }
      ports[0] = clock
    }
    return ports + kept.filter { old in !ports.contains { $0.name == old.name } }
  }

  public init() {}
}
