/// How the samples of a take are written.
///
/// - Thread: any
public struct TakeEncoding: Equatable, Sendable {
  public enum Sample: String, Sendable, CaseIterable {
    case pcm24, float32

    public var bytes: Int {
      switch self {
      case .pcm24: 3
      case .float32: 4
      }
    }
  }

  public static let channelRange: ClosedRange<Int> = 1...8

  public var sample: Sample
  public var channels: Int
  /// Frames a second.
  public var rate: Int

  public init(sample: Sample, channels: Int, rate: Int) {
    self.sample = sample
    self.channels = channels
    self.rate = rate
  }

  public var frameBytes: Int { sample.bytes * channels }
}

/// The head of a take: a WAV, or RF64 (EBU Tech 3306) where the sizes pass 32 bits.
///
/// Its length never changes: a chunk of the size of `ds64` is kept free from the first second on, so
/// that the head of a growing file is replaced in place.
public struct TakeHead {
  /// Bytes before the first sample.
  public static func length(_ encoding: TakeEncoding) -> Int {
    12 + 8 + 28 + 8 + (encoding.channels > 2 ? 40 : 16) + 8
  }

  /// - Parameter frames: that the file holds.
  public static func bytes(_ encoding: TakeEncoding, frames: Int64) -> [UInt8] {
    let dataBytes = frames * Int64(encoding.frameBytes)
    let riffBytes = dataBytes + dataBytes % 2 + Int64(length(encoding)) - 8
    let isLong = riffBytes > Int64(UInt32.max)
    var head = Writer()
    head.text(isLong ? "RF64" : "RIFF")
    head.number(isLong ? Int64(UInt32.max) : riffBytes, 4)
    head.text("WAVE")
    head.text(isLong ? "ds64" : "JUNK")
    head.number(28, 4)
    head.number(isLong ? riffBytes : 0, 8)
    head.number(isLong ? dataBytes : 0, 8)
    head.number(isLong ? frames : 0, 8)
    head.number(0, 4)
    head.text("fmt ")
    let isExtensible = encoding.channels > 2
    let tag: Int64 = encoding.sample == .float32 ? 3 : 1
    head.number(isExtensible ? 40 : 16, 4)
    head.number(isExtensible ? 0xFFFE : tag, 2)
    head.number(Int64(encoding.channels), 2)
    head.number(Int64(encoding.rate), 4)
    head.number(Int64(encoding.rate * encoding.frameBytes), 4)
    head.number(Int64(encoding.frameBytes), 2)
    head.number(Int64(encoding.sample.bytes * 8), 2)
    if isExtensible {
      head.number(22, 2)
      head.number(Int64(encoding.sample.bytes * 8), 2)
      // No speaker positions: microphones are where they are.
      head.number(0, 4)
      // The tag, then the fixed part of KSDATAFORMAT_SUBTYPE.
      head.number(tag, 4)
      head.bytes += [0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
    }
    head.text("data")
    head.number(isLong ? Int64(UInt32.max) : dataBytes, 4)
    return head.bytes
  }

  private struct Writer {
    var bytes: [UInt8] = []

    mutating func text(_ text: String) { bytes += Array(text.utf8) }

    mutating func number(_ value: Int64, _ count: Int) {
      for byte in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> Int64(8 * byte))) }
    }
  }

  /// What a head of ours says; nil where it is none.
  ///
  /// - Parameter bytes: the beginning of a file, 104 bytes at least where it has them.
  public static func read(_ bytes: [UInt8]) -> TakeEncoding? {
    func number(_ at: Int, _ count: Int) -> Int {
      (0..<count).reduce(0) { $0 | Int(bytes[at + $1]) << (8 * $1) }
    }
    func isText(_ text: String, _ at: Int) -> Bool {
      bytes.count >= at + 4 && Array(bytes[at..<(at + 4)]) == Array(text.utf8)
    }
    guard bytes.count >= 80, isText("RIFF", 0) || isText("RF64", 0), isText("WAVE", 8),
      isText("JUNK", 12) || isText("ds64", 12), number(16, 4) == 28, isText("fmt ", 48)
    else { return nil }
    let channels = number(58, 2)
    let rate = number(60, 4)
    var tag = number(56, 2)
    if tag == 0xFFFE, bytes.count >= 104 { tag = number(80, 2) }
    let bits = number(70, 2)
    guard TakeEncoding.channelRange.contains(channels), (1...768_000).contains(rate) else {
      return nil
    }
    let sample: TakeEncoding.Sample
    switch (tag, bits) {
    case (1, 24): sample = .pcm24
    case (3, 32): sample = .float32
    default: return nil
    }
    let encoding = TakeEncoding(sample: sample, channels: channels, rate: rate)
    return isText("data", length(encoding) - 8) ? encoding : nil
  }
}
