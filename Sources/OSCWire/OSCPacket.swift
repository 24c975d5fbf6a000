/// A message: an address and its arguments.
///
/// - Thread: any
public struct OSCMessage: Equatable, Sendable {
  public var address: String
  public var arguments: [OSCValue]

  public init(_ address: String, _ arguments: [OSCValue] = []) {
    self.address = address
    self.arguments = arguments
  }

  public init(_ address: String, _ arguments: OSCValue...) {
    self.init(address, arguments)
  }
}

extension OSCMessage {
  /// About how many bytes it takes while it waits.
  package var weight: Int { 64 + address.utf8.count + arguments.reduce(0) { $0 + $1.weight } }
}

extension OSCValue {
  fileprivate var weight: Int {
    switch self {
    case .string(let text), .symbol(let text): 32 + text.utf8.count
    case .blob(let bytes): 32 + bytes.count
    case .array(let values): values.reduce(32) { $0 + $1.weight }
    default: 32
    }
  }
}

extension OSCMessage: CustomStringConvertible {
  public var description: String {
    ([address] + arguments.map(\.display)).joined(separator: " ")
  }
}

/// What one datagram or one stream frame holds.
public indirect enum OSCPacket: Equatable, Sendable {
  case message(OSCMessage)
  case bundle(OSCTimetag, [OSCPacket])

  /// Every message in order, with the time tag of the bundle nearest around it.
  public var messages: [(message: OSCMessage, timetag: OSCTimetag)] {
    var found: [(message: OSCMessage, timetag: OSCTimetag)] = []
    collect(into: &found, timetag: .immediately)
    return found
  }

  private func collect(
    into found: inout [(message: OSCMessage, timetag: OSCTimetag)], timetag: OSCTimetag
  ) {
    switch self {
    case .message(let message):
      found.append((message, timetag))
    case .bundle(let tag, let elements):
      for element in elements { element.collect(into: &found, timetag: tag) }
    }
  }
}

/// Why bytes are no OSC packet.
public enum OSCPacketError: Error, Equatable, Sendable, CustomStringConvertible {
  case empty
  case tooLong(Int)
  case misaligned(Int)
  case notAPacket
  case unterminatedString(at: Int)
  case truncated(at: Int)
  case badTypeTags
  case unknownType(Character)
  case badBlobSize(Int64)
  case badElementSize(Int64)
  case nestedTooDeep
  case tooMany

  public var description: String {
    switch self {
    case .empty: "the packet is empty"
    case .tooLong(let count):
      "the packet has \(count) bytes: at most \(OSCPacketLimits.bytes) are taken"
    case .misaligned(let count): "the packet has \(count) bytes: OSC needs a multiple of 4"
    case .notAPacket: "the packet starts neither with '/' nor with '#bundle'"
    case .unterminatedString(let offset): "the string at byte \(offset) has no end"
    case .truncated(let offset): "the packet ends at byte \(offset) in the middle of an argument"
    case .badTypeTags: "the type tags have an unmatched bracket or no comma"
    case .unknownType(let tag):
      "the type tag '\(tag)' is unknown: i f s b h t d S c r m T F N I [ ]"
    case .badBlobSize(let size): "a blob of \(size) bytes does not fit into the packet"
    case .badElementSize(let size): "a bundle element of \(size) bytes does not fit"
    case .nestedTooDeep: "bundles or arrays are nested more than \(OSCPacketLimits.depth) deep"
    case .tooMany:
      "more than \(OSCPacketLimits.messages) messages or \(OSCPacketLimits.arguments) arguments"
    }
  }
}

/// Bounds of what is taken from outside.
public enum OSCPacketLimits {
  /// Bytes of a packet: a datagram cannot be longer, a stream frame may not be.
  public static let bytes = 65_536
  /// Bundles within bundles, arrays within arrays.
  public static let depth = 8
  /// Messages in one packet.
  public static let messages = 512
  /// Arguments of one message.
  public static let arguments = 256
}
