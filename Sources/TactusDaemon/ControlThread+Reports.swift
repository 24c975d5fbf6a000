internal import ALSAAudio
internal import ALSASequencer
internal import CLinux
internal import Conductor
internal import MetronomeModel
internal import MusicalTime
internal import BeatOutputs
internal import OSCProtocol
internal import OSCService
internal import OSCWire
internal import RealtimeEngine
internal import ThreadCrossing

extension ControlThread {
  /// What `info` answers.
  func information() -> [OSCMessage] {
    let audio = audioStatus()
    var messages = [
      OSCMessage("/tactus/info/version", .string(Daemon.version)),
      OSCMessage("/tactus/info/rate", .int32(Int32(clamping: audio.framesPerSecond))),
      OSCMessage("/tactus/info/audio", .string("\(audio.state)")),
      OSCMessage("/tactus/info/realtime", .int32(audio.isRealtime ? 1 : 0)),
    ]
    if let configuration = audio.configuration {
      messages.append(OSCMessage("/tactus/info/device", .string(configuration.summary)))
    }
    if let page = gateway?.server.published("/tactus/page") {
      messages.append(OSCMessage("/tactus/info/page", page))
    }
    if let midi {
      messages.append(
        OSCMessage("/tactus/info/midi", midi.output.portNames.map { .string($0) }))
    }
    return messages
  }

  /// What `stats` answers.
  func statistics() -> [OSCMessage] {
    let audio = audioStatus()
    var figures: [(String, Int64)] = [
      ("xruns", Int64(audio.xruns)), ("missing", Int64(audio.missingFrames)),
      ("losses", Int64(audio.losses)), ("jitter", Int64(audio.jitterNanoseconds)),
      ("uncertainty", audio.uncertaintyNanoseconds), ("periods", Int64(audio.periods)),
      ("pagefaults", audio.pageFaults), ("resident", clinux_resident_kilobytes()),
      (
        "queues",
        Int64(
          queues.events.refused + queues.clockEvents.refused + queues.commands.refused
            + queues.urgentCommands.refused)
      ),
    ]
    if let server = gateway?.server {
      let counters = server.counters
      figures += [
        ("osc/packets", Int64(counters.packets)), ("osc/messages", Int64(counters.messages)),
        ("osc/malformed", Int64(counters.malformed)), ("osc/refused", Int64(counters.refused)),
        ("osc/forbidden", Int64(counters.forbidden)), ("osc/overrate", Int64(counters.overRate)),
        ("osc/sent", Int64(counters.sent)), ("osc/subscribers", Int64(server.subscriberCount)),
      ]
    }
    figures += [
      ("state/saves", Int64(stateKeeper.saves)), ("state/failures", Int64(stateKeeper.failures)),
      ("words/lost", Int64(line.lost)), ("work/refused", Int64(workshop.refused)),
      ("beats/overdue", Int64(beats?.overdue ?? 0)),
    ]
    if let lamps = beats?.status {
      figures += [
        ("lamps/sent", Int64(lamps.sent)), ("lamps/dropped", Int64(lamps.dropped)),
        ("lamps/lateness", lamps.worstLateness),
      ]
    }
    var messages = figures.map { OSCMessage("/tactus/stats/\($0.0)", .int64($0.1)) }
    messages.append(OSCMessage("/tactus/stats/drift", .float(Float(audio.driftPPM))))
    return messages + (midi?.statistics ?? [])
  }

}
