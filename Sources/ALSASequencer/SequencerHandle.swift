/// Our client of the sequencer: opens it, makes ports, and says what failed in words.
///
/// - Thread: control, but for `send` and `flush`, which are the MIDI thread's.
public final class SequencerHandle: Sendable {
  public let library: any SequencerLibrary
  public let client: UInt8
  public let name: String

  /// - Throws: where the kernel has no sequencer, or it may not be opened.
  public init(
    name: String = "Tactus", library: any SequencerLibrary = SystemSequencer()
  ) throws(SequencerError) {
    let result = library.open(clientName: name)
    guard result >= 0 else {
      throw SequencerError(call: "snd_seq_open", code: -result, subject: "MIDI sequencer")
    }
    self.library = library
    self.name = name
    client = UInt8(truncatingIfNeeded: result)
  }

  /// - Returns: the port's number within the client.
  public func createPort(
    _ port: String, direction: SequencerDirection, stampQueue: Int32? = nil
  ) throws(SequencerError) -> UInt8 {
    let result = library.createPort(name: port, direction: direction, stampQueue: stampQueue)
    guard result >= 0 else {
      throw SequencerError(
        call: "snd_seq_create_port", code: -result, subject: "MIDI port '\(name):\(port)'")
    }
    return UInt8(truncatingIfNeeded: result)
  }

  public func deletePort(_ port: UInt8) { _ = library.deletePort(port) }

  /// Puts a message to all that are connected into the buffer.
  ///
  /// A message to one receiver goes past the buffer: a receiver that is gone makes its call fail,
  /// and in the buffer it would hold up all that stand behind it.
  ///
  /// - Returns: false where the system did not take it.
  func send(
    _ message: MIDIMessage, from port: UInt8, to destination: MIDIDestination,
    at time: SequencerQueueTime? = nil
  ) -> Bool {
    if destination == .subscribers || time != nil {
      return library.output(message, from: port, to: destination, at: time) >= 0
    }
    let flushed = flush()
    let result = library.outputDirect(message, from: port, to: destination)
    return flushed && result >= 0
  }

  /// Hands what is buffered to the kernel; any result from 0 up is success.
  ///
  /// - Returns: false where the system refused, and then the buffer is emptied, so that it cannot
  ///   hold up what comes.
  func flush() -> Bool {
    if library.drain() >= 0 { return true }
    library.dropOutput()
    return false
  }

  /// Sends a message to all that are connected, at once: for programs without a clock of ours.
  ///
  /// - Thread: any one
  /// - Returns: false where the system did not take it.
  public func sendNow(_ message: MIDIMessage, from port: UInt8) -> Bool {
    send(message, from: port, to: .subscribers) && flush()
  }

  public func close() { library.close() }
}
