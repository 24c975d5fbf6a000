internal import ALSAAudio
internal import CLinux
internal import Conductor
internal import Glibc
internal import MetronomeModel
internal import MusicalTime
internal import OSCProtocol
internal import OSCService
internal import OSCWire
internal import RealtimeEngine
internal import RealtimeHost
internal import ScoreFormats
internal import SoundFiles
internal import TakeRecorder
internal import ThreadCrossing

/// A take on its way.
struct RunningTake {
  /// Who is to be told that it has begun, and that it is complete.
  var startRequest: UInt32?
  var stopRequest: UInt32?
  var name = ""
  var isDiscarded = false
  /// Whether the metronome was started for it, and stops with it.
  var startsMetronome: Bool
  var layers: [String]
  var notebook: TakeNotebook?
  var input: ListenThread.ReadyInput?
  var zero: Int64 = 0
  var sentChanges = 0
  var sentAt = MonotonicTime.distantPast
  /// It ends by itself a while after the music.
  var endsAt: MonotonicTime?
}

extension ListenRig {
  /// Nanoseconds that a take goes on after the music has stopped: the last note rings out.
  static let ringOut: Int64 = 3_000_000_000

  func startTake(_ name: String?, _ layers: [String], _ request: UInt32) throws(Refusal) {
    guard !isBusy else {
      throw Refusal(
        .state,
        calibration != nil
          ? "a calibration is running: wait for it, or /tactus/calibrate/cancel"
          : "a take is being recorded or played already: /tactus/take/stop ends it")
    }
    guard layers.isEmpty || !control.conductor.state.isRunning else {
      throw Refusal(.state, "layers begin at bar 1: stop the metronome first")
    }
    let run = TakeRun(folder: settings.takes, name: name, sample: settings.sample)
    _ = try start { run.run($0) }
    take = RunningTake(
      startRequest: request, startsMetronome: !control.conductor.state.isRunning, layers: layers)
    work = .opening
    if !layers.isEmpty { try openLayers(layers) }
    if case .stale(let reason) = latency.routes.standing {
      notice(request, "the measured latency may be stale (\(reason)): calibrate before the take")
    } else if latency.inForce == nil {
      notice(
        request, "the latency has not been measured: the take is late by it; 'tactus calibrate'")
    }
    publishState()
  }

  func notice(_ request: UInt32, _ text: String) {
    if request == 0 { control.say(text) } else { control.gateway?.notice(request, text) }
  }

  func stopTake(_ request: UInt32, isDiscarded: Bool) throws(Refusal) {
    if take == nil, layers != nil {
      endLayers()
      control.submit(.stop)
      return accept(request)
    }
    guard var take, work != .finishing else {
      throw Refusal(.state, "no take is being recorded: /tactus/take/start begins one")
    }
    take.stopRequest = request
    take.isDiscarded = isDiscarded
    self.take = take
    finishTake()
  }

  func finishTake() {
    guard let take, work == .recording || work == .opening else { return }
    if take.startsMetronome, control.conductor.state.isRunning {
      // It stops at the first frame not yet rendered, of which the take will not hear any more.
      let frame = takeFrame(control.queues.status.load().frame, take)
      if let frame { self.take?.notebook?.stop(at: frame) }
      control.submit(.stop)
    }
    sendSheet(force: true)
    // An order that finds no room would keep the take for ever.
    if work == .opening || thread?.send(take.isDiscarded ? .discard : .finish) != true {
      thread?.cancel()
    }
    work = .finishing
    publishState()
  }

  /// What the listening thread says about a take.
  func hear(take report: ListenThread.Report) {
    switch report {
    case .ready(let input): begin(input)
    case .began(let name):
      take?.name = name
      if let request = take?.startRequest { accept(request) }
      take?.startRequest = nil
      control.say("recording take '\(name)'")
      if take?.startsMetronome == true, work == .recording { control.submit(.start) }
      publishState()
    case .refused(let reason):
      let refusal = Refusal(.storage, reason)
      refuse(take?.startRequest ?? 0, refusal)
      take?.startRequest = nil
    case .note(let text): control.say(text, isWarning: true)
    case .finished(let finish): complete(finish)
    case .progress, .measured: break
    }
  }

  private func begin(_ input: ListenThread.ReadyInput) {
    guard work == .opening, take != nil else { return }
    let rate = input.configuration.framesPerSecond
    let now = MonotonicClock.now()
    let zero = Int64(input.clock.load().exactFrame(at: now).rounded())
    let state = control.conductor.state
    var notebook = TakeNotebook(
      rate: rate, channels: input.channels, tempo: state.tempo, meter: state.meter)
    let inputEnd = end(of: settings.capture.device, input.configuration)
    let output = control.audioStatus().configuration.map { end(of: settings.device, $0) }
    latency.inputEnd = inputEnd
    if let output {
      report(latency.routes.handle(.seen(AudioRoute(output: output, input: inputEnd))))
    }
    let record = latency.inForce
    let standing = latency.routes.standing
    notebook.amend { sheet in
      sheet.route = "\(output?.description ?? settings.device) -> \(inputEnd)"
      sheet.recordedAt = clinux_wall_nanoseconds() / 1_000_000_000
      sheet.latencyFrames = record.map { $0.roundTripMilliseconds * Double(rate) / 1_000 }
      if let record { sheet.latencyVerdict = standing == .valid ? record.verdict : "yellow" }
      if case .stale(let reason) = standing {
        sheet.routeChanges.append(TakeSheet.RouteChange(frame: 0, route: reason))
      }
      for (level, target) in ListenRig.clickTargets {
        let name = state.sounds[target].name ?? BuiltInSound.wood.rawValue
        // The sound of a file is learnt from the take.
        if BuiltInSound(rawValue: name) != nil { sheet.click[level] = name }
      }
    }
    take?.notebook = notebook
    take?.input = input
    take?.zero = zero
    take?.sentChanges = notebook.changes
    work = .recording
    let beginning = ListenThread.Beginning(zero: zero, sheet: notebook.sheet)
    if thread?.send(.begin(beginning)) != true { thread?.cancel() }
  }

  private static let clickTargets: [(TakeSheet.ClickLevel, ControlCommand.SoundTarget)] = [
    (.strong, .strong), (.normal, .normal), (.soft, .soft), (.subdivision, .subdivision),
  ]

  private func complete(_ finish: ListenThread.Finish) {
    let stopped = take
    if let request = stopped?.startRequest {
      refuse(request, Refusal(.state, "the take was ended before it began"))
    }
    if stopped?.layers.isEmpty == false { endLayers() }
    take = nil
    work = .idle
    if !finish.name.isEmpty {
      let seconds = Double(finish.frames) / Double(max(finish.rate, 1))
      var text = "take '\(finish.name)': \(ListenRig.text(seconds)) s"
      if finish.isDiscarded { text = "take '\(finish.name)' was discarded" }
      if finish.gapFrames > 0 { text += ", \(finish.gapFrames) frames lost (silence)" }
      if finish.clipped > 0 { text += ", \(finish.clipped) samples clipped" }
      if let problem = finish.problem {
        text += "; it ended: \(problem)"
        control.gateway?.server.announce(
          OSCMessage("/tactus/take/ended", .string(finish.name), .string(problem)))
      }
      control.say(text, isWarning: finish.problem != nil)
    }
    if let request = stopped?.stopRequest {
      if let problem = finish.problem {
        refuse(request, Refusal(.storage, problem))
      } else {
        accept(request)
      }
    }
    publishState()
  }

  // MARK: What is played beside it

  /// Where in the take a frame of the sample clock was played.
  private func takeFrame(_ frame: FrameIndex, _ take: RunningTake) -> Double? {
    guard let input = take.input else { return nil }
    let played = frame + control.conductor.audioOffset
    return input.clock.load().exactFrame(at: control.clock.load().time(of: played))
      - Double(take.zero)
  }

  func note(_ beat: BeatEvent) {
    guard let take, work == .recording, let frame = takeFrame(beat.frame, take) else { return }
    let state = control.conductor.state
    let exact = state.tempo.quarterThousandths
    let tempo =
      abs(exact - beat.quarterThousandths) <= 1
      ? state.tempo : Tempo(unchecked: beat.quarterThousandths, unit: .quarter)
    self.take?.notebook?.take(
      TakeNotebook.Beat(
        frame: frame, isCountIn: beat.flags.contains(.countIn), beat: Int(beat.beat),
        meter: state.meter, tempo: tempo, subdivision: state.subdivision, pattern: state.pattern,
        isMuted: !beat.flags.isDisjoint(with: [.mutedBar, .mute])))
  }

  func note(_ stop: StopEvent) {
    guard let take, work == .recording, let frame = takeFrame(stop.frame, take) else { return }
    self.take?.notebook?.stop(at: frame)
    guard take.notebook?.hasBegun == true else { return }
    let heard = control.clock.load().time(of: stop.frame)
    self.take?.endsAt = heard.advanced(byNanoseconds: ListenRig.ringOut)
  }

  /// A take has one bar 1.
  func endRestartedTake() {
    if take?.notebook?.sheet.stopFrame != nil { finishTake() }
  }

  func noteRouteChange(_ reason: String) {
    guard let take, let input = take.input else { return }
    let frame = Int64(input.clock.load().exactFrame(at: MonotonicClock.now())) - take.zero
    self.take?.notebook?.amend {
      $0.routeChanges.append(TakeSheet.RouteChange(frame: max(frame, 0), route: reason))
    }
  }

  /// Level meter, side file, end after the music: ten times a second.
  func serveTake(_ now: MonotonicTime) {
    guard let take, work == .recording, let thread else { return }
    let level = thread.level.load()
    control.gateway?.publish(
      OSCMessage(
        "/tactus/take/level", .float(Float(ListenRig.decibels(level.peak))),
        .int32(Int32(clamping: level.clipped)),
        .float(
          Float(level.frames) / Float(take.input?.configuration.framesPerSecond ?? 48_000))))
    if now.nanoseconds(since: take.sentAt) >= 1_000_000_000 { sendSheet(force: false) }
    if let endsAt = take.endsAt, endsAt <= now { finishTake() }
  }

  private func sendSheet(force: Bool) {
    guard let notebook = take?.notebook, notebook.changes != take?.sentChanges || force else {
      return
    }
    // Where it finds no room, the next second brings it.
    guard thread?.send(.sheet(notebook.sheet)) == true else { return }
    take?.sentChanges = notebook.changes
    take?.sentAt = MonotonicClock.now()
  }

  /// Of full scale, to -90.
  static func decibels(_ peak: Float) -> Double {
    peak > 0 ? max(-90, 20 * log10(Double(peak))) : -90
  }

  func publishState() {
    let word =
      switch work {
      case .idle: layers != nil ? "playing" : "idle"
      case .opening: "opening"
      case .recording: "recording"
      case .finishing: "finishing"
      case .calibrating: "calibrating"
      }
    control.gateway?.publish(
      OSCMessage("/tactus/take", .string(word), .string(take?.name ?? "")))
  }
}
