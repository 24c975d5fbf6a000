internal import ALSASequencer
internal import MetronomeModel
internal import MusicalTime
internal import RealtimeEngine
internal import RealtimeHost
internal import ThreadCrossing

/// The daemon's MIDI side: clock ports, their connections, and what is said of them.
///
/// - Thread: control
final class MIDIRig {
  let output: MIDIClockOutput

  /// Opens the sequencer and starts the clock's thread.
  ///
  /// - Throws: where there is no sequencer; the metronome plays on without MIDI.
  init(
    ports: [MIDIPortConfiguration], queues: EngineQueues, clock: LatestValue<FrameClock>,
    wakeUp: WakeUp, say: (String, Bool) -> Void
  ) throws(SequencerError) {
    let handle = try SequencerHandle()
    output = MIDIClockOutput(
      handle: handle, facts: queues.clockEvents, clock: clock, wakeUp: wakeUp)
    for error in output.apply(ports) { say("\(error)", true) }
    do throws(RealtimeThread.Failure) {
      try output.start()
      if let warning = output.grant?.warning(thread: "MIDI") { say(warning, true) }
    } catch {
      say("\(error)", true)
    }
  }

  var descriptors: [Int32] { [] }

  var summary: String {
    let count = output.portNames.count
    return "\(count) port\(count == 1 ? "" : "s")"
  }

  func service(now: MonotonicTime, say: (String, Bool) -> Void) {
    output.service()
  }

  /// A setting that the Conductor has accepted and noted in its state.
  func set(
    _ setting: ControlCommand.MIDIPortSetting, port name: String, in state: MetronomeState,
    say: (String, Bool) -> Void
  ) {
    guard let configuration = state.midiPorts.first(where: { $0.name == name }) else { return }
    do throws(MIDIPortError) {
      try output.configure(configuration)
    } catch {
      say("\(error)", true)
    }
  }

  /// FC and notes off leave every port before this returns.
  func stop() {
    output.stop()
    output.handle.close()
  }
}
