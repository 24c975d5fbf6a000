/// Cuts a TCP stream into packets and wraps packets for it, in either framing.
///
/// OSC 1.0 puts the size before each packet (32 bits, big-endian); OSC 1.1 uses SLIP with an END at
/// both sides (RFC 1055). The first byte tells them apart: END is 0xC0, and a size below 64 KB
/// begins with 0.
///
/// - Thread: any
public struct OSCStreamFraming: Sendable {
  public enum Kind: Sendable, Equatable {
    case sizePrefix, slip
  }

  public enum Failure: Error, Equatable, Sendable {
    /// The size before a packet, or the bytes since the last END, passed the limit.
    case frameTooLong(Int)
    /// The first byte belongs to neither framing.
    case unknownFraming(UInt8)
  }

  /// nil until the first byte has come.
  public private(set) var kind: Kind?
  private var pending: [UInt8] = []
  private var isEscaped = false
  private var remaining: Int?

  private static let end: UInt8 = 0xC0
  private static let escape: UInt8 = 0xDB
  private static let escapedEnd: UInt8 = 0xDC
  private static let escapedEscape: UInt8 = 0xDD

  public init(kind: Kind? = nil) { self.kind = kind }

  /// Takes what arrived and answers the packets that are whole.
  public mutating func take(_ bytes: some Collection<UInt8>) throws(Failure) -> [[UInt8]] {
    if kind == nil, let first = bytes.first {
      switch first {
      case OSCStreamFraming.end: kind = .slip
      // SLIP senders of RFC 1055's first form send no END before the first packet.
      case UInt8(ascii: "/"), UInt8(ascii: "#"): kind = .slip
      case 0: kind = .sizePrefix
      default: throw .unknownFraming(first)
      }
    }
    var packets: [[UInt8]] = []
    for byte in bytes {
      if kind == .slip {
        try takeSLIP(byte, &packets)
      } else {
        try takeSized(byte, &packets)
      }
    }
    return packets
  }

  private mutating func takeSLIP(
    _ byte: UInt8, _ packets: inout [[UInt8]]
  ) throws(Failure) {
    switch (byte, isEscaped) {
    case (OSCStreamFraming.end, _):
      isEscaped = false
      guard !pending.isEmpty else { return }
      packets.append(pending)
      pending.removeAll(keepingCapacity: pending.capacity <= 4096)
      return
    case (OSCStreamFraming.escape, false):
      isEscaped = true
      return
    case (OSCStreamFraming.escapedEnd, true): pending.append(OSCStreamFraming.end)
    case (OSCStreamFraming.escapedEscape, true): pending.append(OSCStreamFraming.escape)
    default: pending.append(byte)
    }
    isEscaped = false
    guard pending.count <= OSCPacketLimits.bytes else { throw .frameTooLong(pending.count) }
  }

  private mutating func takeSized(
    _ byte: UInt8, _ packets: inout [[UInt8]]
  ) throws(Failure) {
    pending.append(byte)
    if let size = remaining {
      guard pending.count == size else { return }
      packets.append(pending)
      pending.removeAll(keepingCapacity: pending.capacity <= 4096)
      remaining = nil
    } else if pending.count == 4 {
      let size = pending.reduce(0) { $0 << 8 | Int($1) }
      guard size <= OSCPacketLimits.bytes else { throw .frameTooLong(size) }
      pending.removeAll(keepingCapacity: true)
      // A size of 0 is no packet; some senders keep a connection alive with it.
      remaining = size == 0 ? nil : size
    }
  }

  /// The bytes on the wire for one packet, in the framing that the peer uses.
  public func frame(_ packet: [UInt8]) -> [UInt8] {
    guard kind == .slip else {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(packet.count + 4)
      OSCPacketWriter.append(UInt32(truncatingIfNeeded: packet.count), to: &bytes)
      return bytes + packet
    }
    var bytes: [UInt8] = [OSCStreamFraming.end]
    bytes.reserveCapacity(packet.count + 16)
    for byte in packet {
      switch byte {
      case OSCStreamFraming.end:
        bytes += [OSCStreamFraming.escape, OSCStreamFraming.escapedEnd]
      case OSCStreamFraming.escape:
        bytes += [OSCStreamFraming.escape, OSCStreamFraming.escapedEscape]
      default: bytes.append(byte)
      }
    }
    bytes.append(OSCStreamFraming.end)
    return bytes
  }
}
