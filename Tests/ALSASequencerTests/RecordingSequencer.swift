import ThreadCrossing

@testable import ALSASequencer

/// The sequencer library's stand-in: writes down what is asked and fails where it is told to.
final class RecordingSequencer: SequencerLibrary, @unchecked Sendable {
  struct Output: Equatable {
    var message: MIDIMessage
    var port: UInt8
    var destination: SequencerAddress
    var queueNanoseconds: Int64?
  }

  /// What has reached the kernel.
  var sent: [Output] = []
  /// What waits in the library's buffer.
  var buffered: [Output] = []
  var calls: [String] = []
  var openResult: Int32 = 128
  /// Newer libraries give the number of bytes handed over, older ones 0.
  var drainResult: Int32 = 0
  var outputResult: Int32 = 28
  var connectResults: [SequencerConnection: Int32] = [:]
  var directory: [SequencerPort] = []
  var connections: Set<SequencerConnection> = []
  var incoming: [Result<SequencerEvent, SequencerCode>] = []
  var queueNow: Int64 = 0
  var nextPort: Int32 = 0

  func open(clientName: String) -> Int32 {
    calls.append("open \(clientName)")
    return openResult
  }

  func close() { calls.append("close") }

  func createPort(
    name: String, direction: SequencerDirection, stampQueue: Int32?
  ) -> Int32 {
    calls.append("createPort \(name)")
    defer { nextPort += 1 }
    return nextPort
  }

  func setStampQueue(_ queue: Int32?, of port: UInt8) -> Int32 {
    calls.append("stamp \(port) \(queue.map { "\($0)" } ?? "off")")
    return 0
  }

  func deletePort(_ port: UInt8) -> Int32 {
    calls.append("deletePort \(port)")
    return 0
  }

  func output(
    _ message: MIDIMessage, from port: UInt8, to destination: SequencerAddress,
    at time: SequencerQueueTime?
  ) -> Int32 {
    guard outputResult >= 0 else { return outputResult }
    buffered.append(
      Output(
        message: message, port: port, destination: destination,
        queueNanoseconds: time?.nanoseconds))
    return outputResult
  }

  func outputDirect(
    _ message: MIDIMessage, from port: UInt8, to destination: SequencerAddress
  ) -> Int32 {
    guard outputResult >= 0 else { return outputResult }
    sent.append(
      Output(message: message, port: port, destination: destination, queueNanoseconds: nil))
    return outputResult
  }

  func drain() -> Int32 {
    guard drainResult >= 0 else { return drainResult }
    sent += buffered
    buffered = []
    return drainResult
  }

  func dropOutput() { buffered = [] }

  func removeQueued(from port: UInt8, atOrAfter time: SequencerQueueTime) -> Int32 {
    calls.append("removeQueued \(port)")
    sent.removeAll { $0.port == port && ($0.queueNanoseconds ?? -1) >= time.nanoseconds }
    return 0
  }

  func input() -> Result<SequencerEvent, SequencerCode>? {
    incoming.isEmpty ? nil : incoming.removeFirst()
  }

  var descriptor: Int32 { -1 }

  func connect(_ connection: SequencerConnection) -> Int32 {
    let result = connectResults[connection] ?? (connections.contains(connection) ? -16 : 0)
    if result >= 0 { connections.insert(connection) }
    calls.append("connect \(connection.from) \(connection.to)")
    return result
  }

  func disconnect(_ connection: SequencerConnection) -> Int32 {
    connections.remove(connection) == nil ? -2 : 0
  }

  func ports() -> [SequencerPort] { directory }

  func receivers(of port: SequencerAddress) -> [SequencerAddress] {
    connections.filter { $0.from == port }.map(\.to).sorted {
      ($0.client, $0.port) < ($1.client, $1.port)
    }
  }

  func createQueue(name: String) -> Int32 { 3 }
  func setQueueResolution(_ queue: Int32, hertz: UInt32) -> Int32 { Int32(hertz) }
  func startQueue(_ queue: Int32) -> Int32 { 0 }
  func freeQueue(_ queue: Int32) -> Int32 { 0 }
  func queueTime(_ queue: Int32) -> Int64 { queueNow }
}
