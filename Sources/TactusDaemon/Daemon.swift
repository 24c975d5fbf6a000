internal import ALSAAudio
internal import ALSASequencer
internal import CLinux
internal import CommandLineOptions
internal import Conductor
internal import Glibc
internal import MetronomeModel
internal import MusicalTime
internal import BeatOutputs
internal import OSCProtocol
internal import OSCService
internal import OptionTables
internal import OSCWire
internal import RealtimeEngine
internal import RealtimeHost
internal import ScoreFormats
internal import SoundFiles
internal import TakeRecorder

/// The daemon from its command line to its exit status.
///
/// - Thread: the process's first thread, which becomes the control thread.
public enum Daemon {
  public static let version = ProgramVersion.text

  /// - Parameter arguments: without the program's name.
  /// - Returns: the exit status.
  public static func main(_ arguments: [String]) -> Int32 {
    let options: DaemonOptions
    do throws(OptionError) {
      let parsed = try OptionParser.tactusd.parse(arguments)
      if parsed.has("help") {
        print(OptionParser.tactusd.helpText(width: Int(clinux_terminal_columns(1))), terminator: "")
        return 0
      }
      if parsed.has("version") {
        print("tactusd \(version)")
        return 0
      }
      options = try DaemonOptions(parsed)
    } catch {
      complain("\(error)")
      return 2
    }
    return run(options)
  }

  static func complain(_ text: String) {
    var line = "tactusd: \(text)\n"
    line.withUTF8 { bytes in _ = unsafe write(2, bytes.baseAddress, bytes.count) }
  }

  private static func run(_ options: DaemonOptions) -> Int32 {
    LockedMemory.useOneArena()
    // Opens what is read from then on without waiting.
    _ = clinux_resident_kilobytes()
    let server: OSCServer?
    do throws(OSCServerError) {
      server = try openOSC(options)
    } catch {
      complain("\(error)")
      return 3
    }
    let signals = clinux_signal_descriptor()
    let wakeUp = WakeUp()
    let noticeBoard = NoticeBoard(wakeUp: wakeUp)
    if options.locksMemory, let warning = LockedMemory.lock().warning {
      noticeBoard.put(warning, isWarning: true)
    }

    let device = PreparedDevice(request: options.output)
    let rate = Int64(device.configuration.framesPerSecond)
    let kept = StateAtStart(ProgramPlace.state(options), isFresh: options.isFresh)
    let restored = kept.restored(beneath: options)
    let ports = restored?.settings.midiPorts ?? options.midiPorts
    let state = initialState(options, ports)
    let queues = EngineQueues()
    let engine = Engine(
      queues: queues, rate: rate, tempo: state.tempo,
      gain: Gain.linear(decibels: state.volumeDecibels))
    let midiWakeUp = options.usesMIDI ? WakeUp() : nil
    let overlay = OverlayDesk()
    let source = EngineSource(
      engine: engine, queues: queues, controlWakeUp: wakeUp, midiWakeUp: midiWakeUp,
      keepAwake: options.keepAwake, overlay: overlay)
    let audio = AudioOutput(source: source, device: device) { notice in
      noticeBoard.put(notice.description, isWarning: notice.isWarning)
    }

    let folders = ProgramPlace.folders(user: options.folder, shipped: options.shippedPresets)
    let library = FolderLibrary(
      presets: PresetStore(userFolder: folders.presets, shippedFolders: folders.shippedPresets),
      setlists: SetlistStore(
        userFolder: folders.setlists, shippedFolders: folders.shippedSetlists),
      songs: SongStore(userFolder: folders.maps, shippedFolders: folders.shippedMaps))
    let control = ControlThread(
      conductor: Conductor(rate: rate, state: state), queues: queues,
      clock: audio.clock, wakeUp: wakeUp, library: library,
      sounds: SoundKeeper(folder: SoundFolder(paths: [folders.sounds])),
      signals: signals, noticeBoard: noticeBoard, isQuiet: options.isQuiet,
      audioStatus: { audio.status() })
    if options.keepAwake == .leadIn {
      control.conductor.wakeMilliseconds = KeepAwake.leadInMilliseconds
    }
    control.deviceName = options.output.device
    control.stateStore = kept.store
    control.stateKeeper = StateKeeper(kept: kept.last)
    if !options.usesMIDI { control.unusedPorts = ports }
    if let warning = kept.warning { control.say(warning, isWarning: true) }
    control.perform(control.conductor.begin())
    if let lead = options.beatLeadMilliseconds {
      control.perform(control.conductor.requestLead(milliseconds: lead))
    }
    if let midiWakeUp {
      do throws(SequencerError) {
        control.midi = try MIDIRig(
          ports: ports, queues: queues, clock: audio.clock, wakeUp: midiWakeUp,
          say: control.say)
      } catch {
        control.say("no MIDI: \(error)", isWarning: true)
      }
    }
    do throws(RealtimeThread.Failure) {
      let grant = try audio.start()
      if let warning = grant.warning(thread: "audio") { control.say(warning, isWarning: true) }
    } catch {
      complain("\(error)")
      return 1
    }
    if let faults = options.injectedFaults { control.midi?.inject(faults, say: control.say) }
    control.inputs = InputRig(
      control: control, follows: control.conductor.state.follow,
      learned: LearnedRulesStore(folder: folders.user))
    if let server {
      control.gateway = OSCGateway(server: server, control: control)
      let beats = BeatBroadcaster(
        outlet: server, run: Int32(truncatingIfNeeded: clinux_random() & 0x7FFF_FFFF))
      beats.copies = options.beatCopies
      control.beats = beats
      control.targets.fixedBeats = options.beatTargets.compactMap { text in
        do throws(ProfileTargetError) { return try NamedTarget(text: text) } catch { return nil }
      }
      control.targets.fixedFeedback = options.feedback.compactMap { text in
        SocketAddress.split(text, defaultPort: nil).map {
          FeedbackTarget(host: $0.host, port: Int($0.port), topics: [.beat, .sub, .state])
        }
      }
      control.useTargets()
      server.readInterfaces = { [unowned control] in
        // Whoever changes an interface may hold up whoever asks for it.
        _ = control.workshop.files.submit {
          let interfaces = NetworkAccess.interfaces()
          return .done { if let interfaces { $0.gateway?.server.use(interfaces) } }
        }
      }
      control.listen = ListenRig(
        control: control, settings: listenSettings(options, folders), overlay: overlay)
      control.say("OSC on port \(server.port)")
      if options.isDiscoverable { discover(server.port, options, control) }
    }
    control.link = LinkRig(control: control)
    takePart(options, control)
    // One bundle: the music does not start before the preset has been read.
    let bundle = control.nextBundle()
    if let restored { control.restore(restored, bundle: bundle) }
    if let preset = options.preset {
      control.load(
        Int(preset).map { .number($0) } ?? .name(preset), beneath: options.typedPreset,
        bundle: bundle)
    }
    control.stateKeeper.noteChange()
    if options.startsAtOnce { control.submit(ControlCommand.start, bundle: bundle) }
    let manager = ServiceManager(process: getpid()) { name in
      unsafe getenv(name).map { unsafe String(cString: $0) }
    }
    control.serviceManager = manager
    manager.ready()
    control.run()
    manager.stopping()
    finish(control, audio: audio)
    return 0
  }

  private static func listenSettings(
    _ options: DaemonOptions, _ folders: ProgramFolders
  ) -> ListenRig.Settings {
    var settings = ListenRig.Settings(
      takes: TakeFolder(path: folders.takes), results: CalibrationStore(folder: folders.user))
    settings.capture = options.capture
    settings.sample = options.takeSample
    settings.device = options.output.device
    return settings
  }

  private static func openOSC(_ options: DaemonOptions) throws(OSCServerError) -> OSCServer? {
    guard let port = options.oscPort else { return nil }
    let access = NetworkAccess(
      allow: options.allowed.compactMap { AddressNetwork($0) },
      observe: options.observers.compactMap { AddressNetwork($0) },
      admin: options.admins.compactMap { AddressNetwork($0) })
    return try OSCServer(OSCServerConfiguration(port: port, access: access))
  }

  /// Starts the process by which browsers and apps find the daemon; it ends with us.
  private static func discover(_ port: Int, _ options: DaemonOptions, _ control: ControlThread) {
    guard let program = ProgramFile.sibling("tactus-web") else {
      control.say(
        "the page, OSCQuery and the announcement are off: tactus-web is not beside this program")
      return
    }
    var arguments = [program, "--osc-port", "\(port)"]
    arguments += options.webPort.map { ["--port", "\($0)"] } ?? ["--no-serve"]
    for (option, networks) in [
      ("--allow", options.allowed), ("--observe", options.observers), ("--admin", options.admins),
    ] { arguments += networks.flatMap { [option, $0] } }
    control.child = ChildKeeper(arguments: arguments, now: MonotonicClock.now())
  }

  /// Refused where the program for it is not installed; the metronome plays without.
  private static func takePart(_ options: DaemonOptions, _ control: ControlThread) {
    control.submit(.linkQuantum(options.linkQuantum))
    control.submit(.linkSync(options.sharesLinkPlaying))
    if options.linkMode != .off { control.submit(.link(options.linkMode)) }
  }

  /// Stop reaches everyone before the lights go out.
  private static func finish(_ control: ControlThread, audio: AudioOutput<EngineSource>) {
    control.submit(.stop)
    // Long enough for one period and the messages that follow it.
    let begin = MonotonicClock.now()
    while MonotonicClock.now().nanoseconds(since: begin) < 150_000_000 {
      control.turn(waitingAtMost: 10_000_000)
    }
    // What is being saved is not lost, unless its disk does not answer.
    func waitForFiles() {
      while control.workshop.hasOpenFiles,
        MonotonicClock.now().nanoseconds(since: begin) < 3_000_000_000
      {
        control.turn(waitingAtMost: 10_000_000)
      }
    }
    control.listen?.stop()
    while control.listen?.thread != nil,
      MonotonicClock.now().nanoseconds(since: begin) < 4_000_000_000
    {
      control.turn(waitingAtMost: 10_000_000)
    }
    waitForFiles()
    control.keepState(isLast: true)
    waitForFiles()
    control.beats?.end()
    control.inputs?.stop()
    control.midi?.stop()
    audio.stop()
    // A terminal that takes nothing does not keep the program.
    let limit = MonotonicClock.now().advanced(byNanoseconds: 200_000_000)
    while !control.line.finish(), MonotonicClock.now() < limit {
      control.wakeUp.drain()
      var news = clinux_poll(descriptor: control.wakeUp.descriptor, wanted: 1, came: 0)
      _ = unsafe clinux_wait(&news, 1, 10_000_000)
    }
  }

  private static func initialState(
    _ options: DaemonOptions, _ ports: [MIDIPortConfiguration]
  ) -> MetronomeState {
    var state = MetronomeState()
    if let meter = options.meter {
      state.meter = meter
      state.pattern = AccentPattern.standard(for: meter)
    }
    if let text = options.pattern, let pattern = try? AccentPattern(text: text, for: state.meter) {
      state.pattern = pattern
    }
    if let tempo = options.tempo {
      state.tempo = tempo
      state.quarterThousandths = tempo.quarterThousandths
    }
    if let count = options.subdivision {
      state.subdivision = Subdivision(
        unchecked: UInt8(count), level: .soft, swing: options.swing ?? .straight)
    }
    if let bars = options.countInBars { state.countInBars = bars }
    if let decibels = options.volumeDecibels { state.volumeDecibels = decibels }
    if let sound = options.sound {
      for target in ControlCommand.SoundTarget.clicks {
        state.sounds[target].name = sound
      }
    }
    if options.usesMIDI {
      state.midiPorts = ports
      state.follow = options.follow
    }
    return state
  }
}
