internal import ALSAAudio
internal import Conductor
internal import MetronomeModel
internal import MusicalTime
internal import OSCProtocol
internal import OSCService
internal import OSCWire
internal import RealtimeEngine
internal import RealtimeHost
internal import ScoreFormats
internal import TakeRecorder
internal import ThreadCrossing

/// What the daemon hears: takes, layers, calibrations, and whether the latency in force is still true.
///
/// Nothing here exists in the daemon's memory until it is asked for, but for the results of earlier
/// calibrations.
///
/// - Thread: control
final class ListenRig {
  /// What was asked for on the command line.
  struct Settings: Sendable {
    var capture = CaptureRequest()
    var sample = TakeEncoding.Sample.pcm24
    /// Of the output.
    var device = "default"
    var takes: TakeFolder
    var results: CalibrationStore
  }

  enum Work: Equatable {
    case idle
    /// The input is being opened.
    case opening
    case recording
    /// The files are being completed.
    case finishing
    case calibrating
  }

  unowned let control: ControlThread
  let settings: Settings
  let overlay: OverlayDesk
  let opener: any CaptureOpener
  var work = Work.idle
  var thread: ListenThread?
  var take: RunningTake?
  var calibration: RunningCalibration?
  var layers: LayerPlayer?
  var layersEndAt: MonotonicTime?
  /// Who waits for layers alone.
  var playRequest: UInt32?
  var latency = LatencyBook()
  private var levelAt = MonotonicTime.distantPast
  private var routeAt = MonotonicTime.distantPast
  private var losses = 0

  init(
    control: ControlThread, settings: Settings, overlay: OverlayDesk,
    opener: any CaptureOpener = ALSACaptureOpener()
  ) {
    self.control = control
    self.settings = settings
    self.overlay = overlay
    self.opener = opener
    readResults()
    publishState()
    publishLatency()
  }

  var isBusy: Bool { work != .idle || layers != nil }

  /// What the microphone is asked for.
  func perform(_ wanted: ListenRequest, _ request: UInt32) {
    do throws(Refusal) {
      switch wanted {
      case .startTake(let name, let layers): try startTake(name, layers, request)
      case .stopTake: try stopTake(request, isDiscarded: false)
      case .discardTake: try stopTake(request, isDiscarded: true)
      case .playTakes(let names): try play(names, request)
      case .calibrate(let order): try calibrate(order, request)
      case .cancelCalibration: try cancelCalibration(request)
      case .forgetCalibration(let number): try forget(number, request)
      }
    } catch { refuse(request, error) }
  }

  func refuse(_ request: UInt32, _ refusal: Refusal) {
    if request == 0 {
      control.say(refusal.reason, isWarning: true)
    } else {
      control.gateway?.refused(request, refusal)
    }
  }

  func accept(_ request: UInt32) { control.gateway?.accepted(request) }

  /// A fact of the engine.
  func tell(_ event: EngineEvent) {
    switch event {
    case .beat(let beat): note(beat)
    case .started(let start):
      layers?.begin(at: start.frame.value + control.conductor.audioOffset.value)
      if calibration != nil { interruptCalibration("the metronome was started") }
      endRestartedTake()
    case .continued:
      if calibration != nil { interruptCalibration("the metronome was started") }
      endRestartedTake()
    case .stopped(let stop):
      note(stop)
      // Known ahead, it is heard to its end.
      if !stop.isScheduled {
        endLayers()
      } else if layers != nil {
        layersEndAt = control.clock.load().time(of: stop.frame)
      }
    default: break
    }
  }

  /// Reports of threads, meters and routes; in every turn.
  func service(now: MonotonicTime) {
    serveThread()
    serveLayers(now)
    overlay.service()
    watchRoute(now)
    guard work != .idle, now.nanoseconds(since: levelAt) >= 100_000_000 else { return }
    levelAt = now
    serveTake(now)
  }

  private func serveThread() {
    guard let thread else { return }
    while let report = thread.take() {
      if calibration != nil { hear(calibration: report) } else { hear(take: report) }
      if case .finished = report {
        self.thread = nil
        return
      }
    }
  }

  func start(_ body: @escaping @Sendable (ListenThread) -> Void) throws(Refusal) -> ListenThread {
    var wanted = settings.capture
    wanted.framesPerSecond = Int(control.conductor.rate)
    let thread = ListenThread(wanted, news: control.wakeUp, opener: opener)
    do throws(RealtimeThread.Failure) { try thread.start(body) } catch {
      throw Refusal(.engine, "\(error)")
    }
    self.thread = thread
    return thread
  }

  /// What is being recorded is completed before the program ends.
  func stop() {
    thread?.cancel()
    endLayers()
  }

  // MARK: Routes

  /// Twice a second, whatever events came or did not.
  private func watchRoute(_ now: MonotonicTime) {
    // What was measured earlier is to be in force with the first beat.
    let isWaiting = latency.inForce == nil && (!latency.isRead || !latency.records.isEmpty)
    guard isWaiting || now.nanoseconds(since: routeAt) >= 500_000_000 else { return }
    routeAt = now
    let status = control.audioStatus()
    if status.losses > losses {
      losses = status.losses
      report(latency.routes.handle(.returned))
    }
    let output = status.configuration.map { end(of: settings.device, $0) }
    if let known = latency.routes.measured, let output {
      // The input is only seen while it is open.
      report(
        latency.routes.handle(
          .seen(AudioRoute(output: output, input: latency.inputEnd ?? known.input))))
    } else if output == nil {
      report(latency.routes.handle(.seen(nil)))
    } else if let output {
      adopt(output)
    }
    applyLatency()
  }

  func end(of device: String, _ configuration: PCMConfiguration) -> AudioRoute.End {
    AudioRoute.End(
      device: device, card: SoundCard.named(in: device) ?? "",
      rate: configuration.framesPerSecond, periodFrames: configuration.periodFrames,
      channels: configuration.channelCount)
  }

  func report(_ standing: RouteGuard.Standing?) {
    guard let standing else { return }
    if case .stale(let reason) = standing {
      control.say(
        "the measured latency may be stale: \(reason); calibrate again before the next take",
        isWarning: true)
      if take != nil { noteRouteChange(reason) }
    }
    publishLatency()
  }
}

extension ListenRig {
  /// For the living line.
  var statusNote: String? {
    switch work {
    case .idle: break
    case .opening, .recording, .finishing: return "take \(take?.name ?? "")"
    case .calibrating: return "calibrating"
    }
    if layers != nil { return "playing takes" }
    if case .stale = latency.routes.standing { return "latency stale" }
    return nil
  }
}
