/// The calls of the sequencer library that are used, one to one: the only way to it.
///
/// Results are as the library gives them: negative is an errno, and anything from 0 up is success,
/// whatever it counts. Nothing is decided here; a recording stand-in takes its place in tests.
///
/// - Thread: `output`, `outputDirect`, `drain` and `dropOutput` on the MIDI thread while it runs;
///   `input` on the control thread; the rest on the control thread.
public protocol SequencerLibrary: AnyObject, Sendable {
  /// - Returns: the client's number.
  func open(clientName: String) -> Int32
  func close()
  /// - Parameter stampQueue: the queue whose real time stamps what arrives.
  /// - Returns: the port's number.
  func createPort(name: String, direction: SequencerDirection, stampQueue: Int32?) -> Int32
  func deletePort(_ port: UInt8) -> Int32
  /// What arrives at a port is stamped with this queue's real time from now on; nil stamps nothing.
  func setStampQueue(_ queue: Int32?, of port: UInt8) -> Int32

  /// Puts a message into the library's buffer.
  ///
  /// - Parameter time: nil is unqueued, at once when drained.
  func output(
    _ message: MIDIMessage, from port: UInt8, to destination: SequencerAddress,
    at time: SequencerQueueTime?
  ) -> Int32
  /// Hands one message to the kernel at once, past the buffer.
  func outputDirect(
    _ message: MIDIMessage, from port: UInt8, to destination: SequencerAddress
  ) -> Int32
  /// Hands the buffer to the kernel.
  func drain() -> Int32
  /// Empties the buffer.
  func dropOutput()
  /// Takes back what one port has queued for `time` or later.
  func removeQueued(from port: UInt8, atOrAfter time: SequencerQueueTime) -> Int32

  /// The next event that waits; nil where there is none. An overrun shows as its errno.
  func input() -> Result<SequencerEvent, SequencerCode>?
  /// For poll; -1 where there is none.
  var descriptor: Int32 { get }

  func connect(_ connection: SequencerConnection) -> Int32
  func disconnect(_ connection: SequencerConnection) -> Int32
  /// Every port of every client.
  func ports() -> [SequencerPort]
  /// Who is connected from a port.
  func receivers(of port: SequencerAddress) -> [SequencerAddress]

  /// - Returns: the queue's number.
  func createQueue(name: String) -> Int32
  /// - Returns: the resolution that the timer has afterwards, in Hz.
  func setQueueResolution(_ queue: Int32, hertz: UInt32) -> Int32
  func startQueue(_ queue: Int32) -> Int32
  func freeQueue(_ queue: Int32) -> Int32
  /// The queue's real time in nanoseconds, or a negative errno.
  func queueTime(_ queue: Int32) -> Int64
}

public enum SequencerDirection: Sendable {
  case output, input
}

/// A negative result of the library.
public struct SequencerCode: Error, Equatable, Sendable {
  public var code: Int32
  public init(_ code: Int32) { self.code = code }
}

/// An instant on a kernel queue.
public struct SequencerQueueTime: Equatable, Sendable, BitwiseCopyable {
  public var queue: Int32
  public var nanoseconds: Int64

  public init(queue: Int32, nanoseconds: Int64) {
    self.queue = queue
    self.nanoseconds = nanoseconds
  }
}

/// A call that failed, with what to do about it.
public struct SequencerError: Error, Equatable, Sendable, CustomStringConvertible {
  public var call: String
  /// Positive errno.
  public var code: Int32
  public var subject: String

  /// ENOENT and ENODEV mean at open that the kernel has no sequencer loaded.
  public var description: String {
    let reason = "\(subject): \(call) failed (errno \(code))"
    switch (call, code) {
    case ("snd_seq_open", 2), ("snd_seq_open", 19):
      return reason + "; the kernel has no sequencer: run 'modprobe snd-seq'"
    case ("snd_seq_open", 13):
      return reason + "; /dev/snd/seq is not allowed: add the user to group audio"
    case ("snd_seq_connect", 1):
      return reason + "; the port does not take connections"
    case ("snd_seq_connect", 16):
      return reason + "; the two are connected already, or another program holds the device"
    default:
      return reason
    }
  }

  public init(call: String, code: Int32, subject: String) {
    self.call = call
    self.code = code
    self.subject = subject
  }
}
