internal import CLiblo

/// Turns messages into bytes through liblo, and messages into bundles.
///
/// This is the one place that calls liblo. Nothing from outside reaches liblo: its 0.31 receives
/// IPv4 only, keeps bundles of the future in a queue of its own without a bound, and matches
/// patterns in exponential time.
///
/// - Thread: any
public enum OSCPacketWriter {
  /// The bytes of one message; empty where liblo has no memory left.
  ///
  /// Arrays are written flat, colours as 32-bit integers and empty blobs not at all: liblo has none
  /// of the three, and nothing that is sent has one.
  public static func bytes(_ message: OSCMessage) -> [UInt8] {
    guard let native = unsafe lo_message_new() else { return [] }
    defer { unsafe lo_message_free(native) }
    for value in message.arguments { unsafe add(value, to: native) }
    let size = unsafe lo_message_length(native, message.address)
    guard size > 0, size <= OSCPacketLimits.bytes else { return [] }
    return unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      var written = size
      unsafe lo_message_serialise(native, message.address, buffer.baseAddress, &written)
      count = written
    }
  }

  /// The bytes of a bundle of messages already written.
  public static func bundle(_ timetag: OSCTimetag, _ elements: [[UInt8]]) -> [UInt8] {
    var bytes = Array("#bundle\0".utf8)
    bytes.reserveCapacity(16 + elements.reduce(0) { $0 + $1.count + 4 })
    append(timetag.rawValue, to: &bytes)
    for element in elements {
      append(UInt32(truncatingIfNeeded: element.count), to: &bytes)
      bytes += element
    }
    return bytes
  }

  public static func bundle(_ timetag: OSCTimetag, _ messages: [OSCMessage]) -> [UInt8] {
    bundle(timetag, messages.map { self.bytes($0) })
  }

  /// The bytes of any packet, nested bundles included.
  public static func bytes(_ packet: OSCPacket) -> [UInt8] {
    switch packet {
    case .message(let message): bytes(message)
    case .bundle(let tag, let elements): bundle(tag, elements.map { self.bytes($0) })
    }
  }

  static func append(_ value: some FixedWidthInteger, to bytes: inout [UInt8]) {
    unsafe withUnsafeBytes(of: value.bigEndian) { unsafe bytes.append(contentsOf: $0) }
  }

  private static func add(_ value: OSCValue, to native: lo_message) {
    switch value {
    case .int32(let value): unsafe lo_message_add_int32(native, value)
    case .float(let value): unsafe lo_message_add_float(native, value)
    case .string(let text): unsafe lo_message_add_string(native, text)
    case .symbol(let text): unsafe lo_message_add_symbol(native, text)
    case .blob(let bytes): unsafe addBlob(bytes, to: native)
    case .int64(let value): unsafe lo_message_add_int64(native, value)
    case .timetag(let tag):
      unsafe lo_message_add_timetag(
        native,
        lo_timetag(
          sec: UInt32(truncatingIfNeeded: tag.rawValue >> 32),
          frac: UInt32(truncatingIfNeeded: tag.rawValue)))
    case .double(let value): unsafe lo_message_add_double(native, value)
    case .character(let value):
      unsafe lo_message_add_char(native, CChar(truncatingIfNeeded: value))
    case .colour(let value): unsafe lo_message_add_int32(native, Int32(bitPattern: value))
    case .midi(let value): unsafe addMIDI(value, to: native)
    case .true: unsafe lo_message_add_true(native)
    case .false: unsafe lo_message_add_false(native)
    case .null: unsafe lo_message_add_nil(native)
    case .impulse: unsafe lo_message_add_infinitum(native)
    case .array(let values): for value in values { unsafe add(value, to: native) }
    }
  }

  private static func addBlob(_ bytes: [UInt8], to native: lo_message) {
    guard !bytes.isEmpty,
      let blob = unsafe lo_blob_new(Int32(truncatingIfNeeded: bytes.count), bytes)
    else { return }
    unsafe lo_message_add_blob(native, blob)
    unsafe lo_blob_free(blob)
  }

  private static func addMIDI(_ value: UInt32, to native: lo_message) {
    let bytes: [UInt8] = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    unsafe bytes.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      unsafe lo_message_add_midi(native, UnsafeMutablePointer(mutating: base))
    }
  }
}
