/// A zlib stream (RFC 1950) of stored blocks (RFC 1951, 3.2.4): valid, not smaller.
///
/// - Thread: any
public enum ZlibStored {
  /// The length of a stored block has 16 bits.
  static let longestBlock = 65_535

  public static func stream(_ bytes: [UInt8]) -> [UInt8] {
    // Deflate with a 32 KB window, no dictionary, fastest; 0x7801 is divisible by 31, as it must.
    var result: [UInt8] = [0x78, 0x01]
    var start = 0
    repeat {
      let end = min(start + longestBlock, bytes.count)
      let length = UInt16(end - start)
      result.append(end == bytes.count ? 1 : 0)
      result += littleEndian(length) + littleEndian(~length) + bytes[start..<end]
      start = end
    } while start < bytes.count
    let sum = adler32(bytes)
    return result + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: sum >> $0) }
  }

  private static func littleEndian(_ value: UInt16) -> [UInt8] {
    [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
  }

  /// The check of RFC 1950, 8.2.
  static func adler32(_ bytes: [UInt8]) -> UInt32 {
    // The largest prime below 65536.
    let modulus: UInt32 = 65_521
    var low: UInt32 = 1
    var high: UInt32 = 0
    for byte in bytes {
      low = (low + UInt32(byte)) % modulus
      high = (high + low) % modulus
    }
    return high << 16 | low
  }
}
