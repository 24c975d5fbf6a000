internal import Conductor
internal import MetronomeModel
internal import MusicalTime
internal import RealtimeEngine
internal import RealtimeHost
internal import ScoreFormats
internal import TakeRecorder
internal import ThreadCrossing

/// Earlier takes that sound beside the clicks.
extension ListenRig {
  func play(_ names: [String], _ request: UInt32) throws(Refusal) {
    guard !isBusy else {
      throw Refusal(
        .state, "a take is being recorded or played already: /tactus/take/stop ends it")
    }
    guard !control.conductor.state.isRunning else {
      throw Refusal(.state, "takes begin at bar 1: stop the metronome first")
    }
    try openLayers(names)
    playRequest = request
    publishState()
  }

  func openLayers(_ names: [String]) throws(Refusal) {
    let status = control.queues.status
    let player = LayerPlayer(
      names, folder: settings.takes, rate: Int(control.conductor.rate), queue: overlay.open(),
      news: control.wakeUp, rendered: { status.load().frame.value })
    do throws(RealtimeThread.Failure) { try player.start() } catch {
      overlay.close()
      throw Refusal(.engine, "\(error)")
    }
    layers = player
  }

  func serveLayers(_ now: MonotonicTime) {
    if let layersEndAt, layersEndAt <= now { endLayers() }
    while let report = layers?.take() {
      switch report {
      case .ready(let sheet): if playRequest != nil { begin(sheet) }
      case .refused(let reason):
        endLayers()
        if let request = playRequest {
          playRequest = nil
          refuse(request, Refusal(.name, reason))
        } else {
          control.say(reason, isWarning: true)
          if let request = take?.startRequest { refuse(request, Refusal(.name, reason)) }
          take?.startRequest = nil
          take?.isDiscarded = true
          finishTake()
        }
      case .over:
        // What was handed over is still to be heard; beside a recording the music goes on.
        break
      }
    }
  }

  /// The metronome plays what the take was recorded to, from its bar 1.
  private func begin(_ sheet: TakeSheet) {
    guard let request = playRequest, let first = sheet.tempo.first else { return }
    playRequest = nil
    let pattern = first.pattern ?? .standard(for: first.meter)
    control.submit(.meterAndPattern(first.meter, pattern.description))
    control.submit(.tempo(first.tempo.value, unit: first.tempo.unit, when: .now))
    if sheet.tempo.count > 1 {
      notice(request, "the tempo changes within the take: the clicks keep its first one")
    }
    control.submit(.start)
    accept(request)
    publishState()
  }

  func endLayers() {
    guard let layers else { return }
    layers.end()
    overlay.close()
    self.layers = nil
    layersEndAt = nil
    publishState()
  }
}
