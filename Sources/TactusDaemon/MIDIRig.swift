internal import ALSASequencer
internal import MetronomeModel
internal import MusicalTime
internal import OSCProtocol
internal import OSCWire
internal import RealtimeEngine
internal import RealtimeHost
internal import ThreadCrossing

/// The daemon's MIDI side: clock ports, their connections, and what is said of them.
///
/// - Thread: control
final class MIDIRig {
  let output: MIDIClockOutput
  private var connector: PortConnector?
  private var connectorHandle: SequencerHandle?
  /// By port, as far as they were reported.
  private var positionsOmitted: [String: Int64] = [:]

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
    do throws(SequencerError) {
      // Making a connection may open a device: it must not hold up the client that sends.
      let own = try SequencerHandle(name: "Tactus connections")
      connectorHandle = own
      connector = try PortConnector(handle: own, ownClient: handle.client)
    } catch {
      say("MIDI connections are not kept: \(error)", true)
    }
    for port in ports { connect(port) }
  }

  /// Port Clock makes faults on purpose from now on.
  func inject(_ text: String, say: (String, Bool) -> Void) {
    guard let faults = try? ClockPerturbation(text), let name = output.portNames.first else {
      return
    }
    do throws(MIDIPortError) {
      try output.perturb(name, faults)
      say("MIDI port '\(name)' makes faults on purpose: \(text)", true)
    } catch { say("\(error)", true) }
  }

  var descriptors: [Int32] { connector.map { [$0.descriptor] } ?? [] }

  /// An input of ours, where our clock must not come back in.
  func watch(input name: String, at address: SequencerAddress) {
    connector?.watch(input: name, at: address)
  }

  /// The leader of our input, connected whenever it is there.
  func follow(_ source: FollowSource, into address: SequencerAddress) {
    let patterns: [String] = if case .named(let name) = source { [name] } else { [] }
    connector?.connect(MIDIRig.followInput, at: address, to: patterns, receives: true)
  }

  /// How messages name our input, apart from a clock port that may have its name.
  private static let followInput = "Sync (input)"

  var summary: String {
    let count = output.portNames.count
    return "\(count) port\(count == 1 ? "" : "s")"
  }

  func service(say: (String, Bool) -> Void) {
    output.service()
    for name in output.portNames {
      let omitted = output.counters(of: name)?.songPositionsOmitted ?? 0
      // A port that was made anew counts from 0.
      let reported = positionsOmitted.updateValue(omitted, forKey: name) ?? 0
      guard omitted > reported else { continue }
      say(
        "MIDI port '\(name)' sends no song position: the place is past MIDI beat "
          + "\(MIDIMessage.lastSongPosition), the last one that can be named", true)
    }
    for report in connector?.service() ?? [] {
      switch report {
      case .connected(let port, _, let address, _):
        // Whether it was ever here before is nothing to a receiver that has missed the start.
        output.reconnected(port, to: address)
        say(report.description, false)
      case .lost, .waiting, .failed, .sharedReceiver, .echo:
        say(report.description, true)
      }
    }
  }

  /// A setting that the Conductor has accepted and noted in its state.
  func configure(
    port name: String, in state: MetronomeState, say: (String, Bool) -> Void
  ) {
    guard let configuration = state.midiPorts.first(where: { $0.name == name }) else { return }
    do throws(MIDIPortError) {
      try output.configure(configuration)
    } catch {
      say("\(error)", true)
    }
    connect(configuration)
  }

  /// Makes the ports those of a preset; what stays is not interrupted.
  func apply(_ ports: [MIDIPortConfiguration], say: (String, Bool) -> Void) {
    for name in output.portNames where !ports.contains(where: { $0.name == name }) {
      connector?.forget(name)
    }
    for error in output.apply(ports) { say("\(error)", true) }
    for port in ports { connect(port) }
  }

  private func connect(_ port: MIDIPortConfiguration) {
    guard let address = output.address(of: port.name) else { return }
    connector?.connect(port.name, at: address, to: port.connections)
  }

  var statistics: [OSCMessage] {
    let status = output.status
    var messages = [
      OSCMessage("/tactus/stats/midi/path", .string("\(status.path)")),
      OSCMessage("/tactus/stats/midi/lateness", .int64(status.largestWakeLateness)),
      OSCMessage("/tactus/stats/midi/pagefaults", .int64(status.pageFaults)),
    ]
    for name in output.portNames {
      guard let counters = output.counters(of: name) else { continue }
      let figures: [(String, Int64)] = [
        ("pulses", counters.pulses), ("late", counters.latePulses),
        ("dropped", counters.droppedPulses), ("refused", counters.refused),
        ("omitted", counters.songPositionsOmitted),
        ("lateness", counters.largestLateness),
      ]
      messages += figures.map {
        OSCMessage("/tactus/stats/midi/\(name)/\($0.0)", .int64($0.1))
      }
    }
    return messages
  }

  /// FC and notes off leave every port before this returns.
  func stop() {
    output.stop()
    connectorHandle?.close()
    output.handle.close()
  }
}
