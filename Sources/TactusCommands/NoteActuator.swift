import ALSASequencer
import Companion
import MetronomeModel

/// A MIDI note on each beat: General MIDI's wood blocks on channel 10.
///
/// - Thread: companion
final class NoteActuator: Actuator {
  let name: String
  private let handle: SequencerHandle
  private let port: UInt8
  private let connector: PortConnector
  private var sounding: UInt8?

  /// - Parameter receiver: `Client`, `Client:Port`; connected again whenever it returns.
  init(_ receiver: String) throws(ActuatorError) {
    name = "MIDI note to '\(receiver)'"
    do throws(SequencerError) {
      handle = try SequencerHandle(name: "Tactus Companion")
      port = try handle.createPort("Beat", direction: .output)
      connector = try PortConnector(
        handle: SequencerHandle(name: "Tactus Companion connections"), ownClient: handle.client)
    } catch {
      throw ActuatorError(name: name, code: error.code, help: "load the driver: modprobe snd-seq")
    }
    connector.connect(
      "Beat", at: SequencerAddress(client: handle.client, port: port), to: [receiver])
    _ = connector.service()
  }

  func fire(_ firing: BeatSchedule.Firing) -> String? {
    _ = connector.service()
    let note: UInt8 = firing.beat.accent == .strong ? 76 : 77
    let loudest: Double = firing.beat.accent == .soft ? 60 : 110
    sounding = note
    let velocity = UInt8(max(1, loudest * firing.strength))
    return handle.sendNow(.noteOn(channel: 9, note: note, velocity: velocity), from: port)
      ? nil : "\(name) could not be sent"
  }

  func rest() {
    guard let note = sounding else { return }
    sounding = nil
    _ = handle.sendNow(.noteOff(channel: 9, note: note), from: port)
  }
}
