/// Turns bytes from anywhere into an OSC packet or an error; it never traps and takes memory in
/// proportion to the bytes only.
///
/// Source: the OSC 1.0 specification, and the types that OSC 1.1 adds to the required ones.
///
/// - Thread: any
public enum OSCPacketReader {
  public static func packet(_ bytes: [UInt8]) throws(OSCPacketError) -> OSCPacket {
    try packet(bytes.span)
  }

  public static func packet(_ bytes: Span<UInt8>) throws(OSCPacketError) -> OSCPacket {
    guard bytes.count > 0 else { throw .empty }
    guard bytes.count <= OSCPacketLimits.bytes else { throw .tooLong(bytes.count) }
    guard bytes.count % 4 == 0 else { throw .misaligned(bytes.count) }
    var budget = OSCPacketLimits.messages
    return try element(bytes, from: 0, to: bytes.count, depth: 0, budget: &budget)
  }

  private static func element(
    _ bytes: Span<UInt8>, from start: Int, to end: Int, depth: Int, budget: inout Int
  ) throws(OSCPacketError) -> OSCPacket {
    // Empty bundles count too: they would be the cheapest way to fill memory.
    budget -= 1
    guard budget >= 0 else { throw .tooMany }
    switch bytes[start] {
    case UInt8(ascii: "/"):
      return .message(try message(bytes, from: start, to: end))
    case UInt8(ascii: "#"):
      return try bundle(bytes, from: start, to: end, depth: depth, budget: &budget)
    default:
      throw .notAPacket
    }
  }

  private static func bundle(
    _ bytes: Span<UInt8>, from start: Int, to end: Int, depth: Int, budget: inout Int
  ) throws(OSCPacketError) -> OSCPacket {
    guard depth < OSCPacketLimits.depth else { throw .nestedTooDeep }
    var cursor = start
    guard try string(bytes, &cursor, to: end) == "#bundle" else { throw .notAPacket }
    let tag = OSCTimetag(rawValue: try word64(bytes, &cursor, to: end))
    var elements: [OSCPacket] = []
    while cursor < end {
      let size = Int64(Int32(bitPattern: try word(bytes, &cursor, to: end)))
      guard size > 0, size % 4 == 0, size <= Int64(end - cursor) else {
        throw .badElementSize(size)
      }
      let next = cursor + Int(size)
      elements.append(
        try element(bytes, from: cursor, to: next, depth: depth + 1, budget: &budget))
      cursor = next
    }
    return .bundle(tag, elements)
  }

  private static func message(
    _ bytes: Span<UInt8>, from start: Int, to end: Int
  ) throws(OSCPacketError) -> OSCMessage {
    var cursor = start
    let address = try string(bytes, &cursor, to: end)
    // Senders from before OSC 1.0 leave the type tags out where there is no argument.
    guard cursor < end else { return OSCMessage(address, []) }
    let tags = [UInt8](try string(bytes, &cursor, to: end).utf8)
    guard tags.first == UInt8(ascii: ",") else { throw .badTypeTags }
    var index = 1
    var budget = OSCPacketLimits.arguments
    let arguments = try values(
      bytes, &cursor, to: end, tags: tags, &index, depth: 0, budget: &budget)
    guard index == tags.count else { throw .badTypeTags }
    return OSCMessage(address, arguments)
  }

  /// Reads values until the tags end or a bracket closes, which is left to the caller.
  private static func values(
    _ bytes: Span<UInt8>, _ cursor: inout Int, to end: Int, tags: [UInt8], _ index: inout Int,
    depth: Int, budget: inout Int
  ) throws(OSCPacketError) -> [OSCValue] {
    guard depth <= OSCPacketLimits.depth else { throw .nestedTooDeep }
    var found: [OSCValue] = []
    while index < tags.count, tags[index] != UInt8(ascii: "]") {
      budget -= 1
      guard budget >= 0 else { throw .tooMany }
      let tag = tags[index]
      index += 1
      if tag == UInt8(ascii: "[") {
        let inner = try values(
          bytes, &cursor, to: end, tags: tags, &index, depth: depth + 1, budget: &budget)
        guard index < tags.count else { throw .badTypeTags }
        index += 1
        found.append(.array(inner))
      } else {
        found.append(try value(tag, bytes, &cursor, to: end))
      }
    }
    return found
  }

  private static func value(
    _ tag: UInt8, _ bytes: Span<UInt8>, _ cursor: inout Int, to end: Int
  ) throws(OSCPacketError) -> OSCValue {
    switch Character(Unicode.Scalar(tag)) {
    case "i": .int32(Int32(bitPattern: try word(bytes, &cursor, to: end)))
    case "f": .float(Float(bitPattern: try word(bytes, &cursor, to: end)))
    case "s": .string(try string(bytes, &cursor, to: end))
    case "S": .symbol(try string(bytes, &cursor, to: end))
    case "b": .blob(try blob(bytes, &cursor, to: end))
    case "h": .int64(Int64(bitPattern: try word64(bytes, &cursor, to: end)))
    case "t": .timetag(OSCTimetag(rawValue: try word64(bytes, &cursor, to: end)))
    case "d": .double(Double(bitPattern: try word64(bytes, &cursor, to: end)))
    case "c": .character(try word(bytes, &cursor, to: end))
    case "r": .colour(try word(bytes, &cursor, to: end))
    case "m": .midi(try word(bytes, &cursor, to: end))
    case "T": .true
    case "F": .false
    case "N": .null
    case "I": .impulse
    case let unknown: throw .unknownType(unknown)
    }
  }

  private static func word(
    _ bytes: Span<UInt8>, _ cursor: inout Int, to end: Int
  ) throws(OSCPacketError) -> UInt32 {
    guard end - cursor >= 4 else { throw .truncated(at: cursor) }
    var value: UInt32 = 0
    for offset in 0..<4 { value = value << 8 | UInt32(bytes[cursor + offset]) }
    cursor += 4
    return value
  }

  private static func word64(
    _ bytes: Span<UInt8>, _ cursor: inout Int, to end: Int
  ) throws(OSCPacketError) -> UInt64 {
    let high = try word(bytes, &cursor, to: end)
    return UInt64(high) << 32 | UInt64(try word(bytes, &cursor, to: end))
  }

  private static func string(
    _ bytes: Span<UInt8>, _ cursor: inout Int, to end: Int
  ) throws(OSCPacketError) -> String {
    var stop = cursor
    while stop < end, bytes[stop] != 0 { stop += 1 }
    guard stop < end else { throw .unterminatedString(at: cursor) }
    var content: [UInt8] = []
    content.reserveCapacity(stop - cursor)
    for index in cursor..<stop { content.append(bytes[index]) }
    // One to four zeros follow; every element's end is aligned, so they lie within it.
    cursor = min(stop + 4 - (stop % 4), end)
    return String(decoding: content, as: UTF8.self)
  }

  private static func blob(
    _ bytes: Span<UInt8>, _ cursor: inout Int, to end: Int
  ) throws(OSCPacketError) -> [UInt8] {
    let size = Int64(Int32(bitPattern: try word(bytes, &cursor, to: end)))
    let padded = (size + 3) / 4 * 4
    guard size >= 0, padded <= Int64(end - cursor) else { throw .badBlobSize(size) }
    var content: [UInt8] = []
    content.reserveCapacity(Int(size))
    for index in cursor..<cursor + Int(size) { content.append(bytes[index]) }
    cursor += Int(padded)
    return content
  }
}
