import Synchronization

@testable import ALSASequencer

/// The sequencer library as the kernel is: it takes everything and allocates nothing.
final class SilentSequencer: SequencerLibrary, Sendable {
  let clocks = Atomic<Int>(0)
  let stops = Atomic<Int>(0)

  func open(clientName: String) -> Int32 { 128 }
  func close() {}
  func createPort(name: String, direction: SequencerDirection, stampQueue: Int32?) -> Int32 { 0 }
  func deletePort(_ port: UInt8) -> Int32 { 0 }
  func setStampQueue(_ queue: Int32?, of port: UInt8) -> Int32 { 0 }

  func output(
    _ message: MIDIMessage, from port: UInt8, to destination: SequencerAddress,
    at time: SequencerQueueTime?
  ) -> Int32 {
    switch message {
    case .clock: clocks.wrappingAdd(1, ordering: .relaxed)
    case .stop: stops.wrappingAdd(1, ordering: .relaxed)
    default: break
    }
    return 28
  }

  func outputDirect(
    _ message: MIDIMessage, from port: UInt8, to destination: SequencerAddress
  ) -> Int32 { 28 }
  func drain() -> Int32 { 0 }
  func dropOutput() {}
  func removeQueued(from port: UInt8, atOrAfter time: SequencerQueueTime) -> Int32 { 0 }
  func input() -> Result<SequencerEvent, SequencerCode>? { nil }
  var descriptor: Int32 { -1 }
  func connect(_ connection: SequencerConnection) -> Int32 { 0 }
  func disconnect(_ connection: SequencerConnection) -> Int32 { 0 }
  func ports() -> [SequencerPort] { [] }
  func receivers(of port: SequencerAddress) -> [SequencerAddress] { [] }
  func createQueue(name: String) -> Int32 { 0 }
  func setQueueResolution(_ queue: Int32, hertz: UInt32) -> Int32 { Int32(hertz) }
  func startQueue(_ queue: Int32) -> Int32 { 0 }
  func freeQueue(_ queue: Int32) -> Int32 { 0 }
  func queueTime(_ queue: Int32) -> Int64 { 0 }
}
