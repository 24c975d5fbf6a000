internal import ALSAAudio
internal import CLinux
internal import Conductor
internal import MetronomeModel
internal import MusicalTime
internal import OSCProtocol
internal import OSCService
internal import OSCWire
internal import RealtimeEngine
internal import RealtimeHost
internal import ScoreFormats
internal import ThreadCrossing

/// A calibration on its way.
struct RunningCalibration {
  var order: CalibrationOrder
  var request: UInt32
  var hasBegun = false
  var outcomes: [CalibrationRun.Outcome] = []
}

extension ListenRig {
  func calibrate(_ order: CalibrationOrder, _ request: UInt32) throws(Refusal) {
    guard !isBusy else {
      throw Refusal(
        .state, "a take or a calibration is running: /tactus/take/stop or /tactus/calibrate/cancel")
    }
    guard !control.conductor.state.isRunning else {
      throw Refusal(
        .state, "the metronome plays: its clicks would be taken for sweeps; stop it first")
    }
    let status = control.audioStatus()
    guard status.state == .playing, let configuration = status.configuration else {
      throw Refusal(
        .state,
        "no sound comes out ('\(settings.device)' is \(status.state)): there is nothing to measure")
    }
    let input = AudioRoute.End(
      device: settings.capture.device, card: "", rate: 0, periodFrames: 0, channels: 0)
    let route = AudioRoute(output: end(of: settings.device, configuration), input: input)
    if !order.isForced {
      if route.isOneHeadset {
        throw Refusal(
          .state,
          "'\(input.device)' is the microphone of the headset that plays: using it switches the "
            + "headset to its hands-free profile, with another latency; name another --capture, or force it"
        )
      }
      if route.isMonitor {
        throw Refusal(
          .state,
          "'\(input.device)' is what the output plays, by wire: the way through the air is not in it; "
            + "name a microphone with --capture, or force it")
      }
      if input.device == "none" {
        throw Refusal(.state, "--capture none hears nothing: name a microphone with --capture")
      }
    }
    let playing = control.queues.status
    let run = CalibrationRun(
      order: order, queue: overlay.open(), playback: control.clock,
      rendered: { playing.load().frame.value })
    do throws(Refusal) { _ = try start { run.run($0) } } catch {
      overlay.close()
      throw error
    }
    calibration = RunningCalibration(order: order, request: request)
    work = .calibrating
    publishState()
  }

  func cancelCalibration(_ request: UInt32) throws(Refusal) {
    guard calibration != nil else { throw Refusal(.state, "no calibration is running") }
    interruptCalibration("it was cancelled")
    accept(request)
  }

  func interruptCalibration(_ reason: String) {
    guard let calibration else { return }
    thread?.cancel()
    // Sweeps that wait are not heard any more.
    overlay.close()
    answer(calibration, .failure(Refusal(.state, "the calibration ended: \(reason)")))
  }

  func hear(calibration report: ListenThread.Report) {
    guard var running = calibration else { return }
    switch report {
    case .ready:
      // Asked for is what begins; the result comes by itself.
      if running.request != 0 { accept(running.request) }
      running.request = 0
      running.hasBegun = true
      calibration = running
    case .progress(let done, let total, let words):
      control.gateway?.server.announce(
        OSCMessage(
          "/tactus/calibrate/progress", .int32(Int32(clamping: done)),
          .int32(Int32(clamping: total)), .string(words)))
    case .note(let text): control.say(text, isWarning: true)
    case .refused(let reason): answer(running, .failure(Refusal(.state, reason)))
    case .measured(let outcomes): conclude(running, outcomes)
    case .finished:
      overlay.close()
      calibration = nil
      work = .idle
      publishState()
    case .began: break
    }
  }

  private func answer(_ running: RunningCalibration, _ result: Result<String, Refusal>) {
    switch result {
    case .success(let text): control.say(text)
    case .failure(let refusal):
      if running.request != 0 {
        refuse(running.request, refusal)
      } else {
        control.say(refusal.reason, isWarning: true)
      }
      control.gateway?.server.announce(
        OSCMessage("/tactus/calibrate/failed", .string(refusal.reason)))
    }
    calibration?.request = 0
  }

  /// Several opens have the median of their results, if they agree.
  private func conclude(_ running: RunningCalibration, _ outcomes: [CalibrationRun.Outcome]) {
    guard let last = outcomes.last else { return }
    let trips = outcomes.compactMap(\.roundTripMilliseconds).sorted()
    var headline = ListenRig.headline(last.answer)
    var advice = last.answer.advice
    let spread = trips.count > 1 ? (trips.last ?? 0) - (trips.first ?? 0) : nil
    var isUsable = trips.count == running.order.opens && !trips.isEmpty
    if let spread, spread > CalibrationOrder.widestSpread {
      isUsable = false
      headline = "not aligned: \(trips.count) opens lie \(ListenRig.text(spread)) ms apart"
      advice = "The latency is another at each open of this device: calibrate after it was opened."
    }
    let roundTrip = trips.isEmpty ? 0 : trips[trips.count / 2]
    if isUsable {
      let verdict = outcomes.contains { $0.answer.verdict == "yellow" } ? "yellow" : "green"
      let output = control.audioStatus().configuration.map { end(of: settings.device, $0) }
      let input = end(of: settings.capture.device, last.input)
      let record = CalibrationRecord(
        route: AudioRoute(output: output ?? input, input: input),
        roundTripMilliseconds: roundTrip,
        inputMilliseconds: running.order.inputShare(ofRoundTrip: roundTrip),
        madMilliseconds: last.answer.madMilliseconds, spreadMilliseconds: spread, verdict: verdict,
        accepted: last.answer.accepted, count: last.answer.count, isCable: running.order.isCable,
        measuredAt: clinux_wall_nanoseconds() / 1_000_000_000, machine: "")
      use(record)
      keep(record)
    }
    answer(running, .success(advice.isEmpty ? headline : "\(headline). \(advice)"))
    control.gateway?.server.announce(
      OSCMessage(
        "/tactus/calibrate/result", .string(headline), .string(advice),
        .string(isUsable ? last.answer.verdict : "red"), .float(Float(roundTrip)),
        .float(Float(latency.inForce?.inputMilliseconds ?? 0)),
        .float(Float(last.answer.madMilliseconds)), .int32(Int32(clamping: last.answer.accepted)),
        .int32(Int32(clamping: last.answer.count)), .float(Float(spread ?? 0)),
        .float(Float(last.answer.driftPPM))))
  }

  static func headline(_ answer: CalibrationAnswer) -> String {
    let sweeps = "\(answer.accepted) of \(answer.count) sweeps agree"
    return switch answer.verdict {
    case "green": "aligned: \(sweeps) (green)"
    case "yellow": "aligned, with care: \(sweeps) (yellow)"
    default: "not aligned: \(sweeps) (red)"
    }
  }
}
