/// The way that sound goes: out of one device and into another. A latency belongs to one route.
///
/// - Thread: any
public struct AudioRoute: Hashable, Sendable, CustomStringConvertible {
  /// One side of a route.
  public struct End: Hashable, Sendable, CustomStringConvertible {
    /// As it was asked for.
    public var device: String
    /// The card behind it where that is known; else empty.
    public var card: String
    /// Frames a second.
    public var rate: Int
    public var periodFrames: Int
    public var channels: Int

    public init(device: String, card: String, rate: Int, periodFrames: Int, channels: Int) {
      self.device = device
      self.card = card
      self.rate = rate
      self.periodFrames = periodFrames
      self.channels = channels
    }

    public var description: String {
      let name = card.isEmpty || device.contains(card) ? device : "\(device) (\(card))"
      return "\(name) \(rate) Hz, period \(periodFrames), \(channels) ch"
    }

    /// The Bluetooth address that the device's name holds, in upper case with colons.
    public var bluetoothAddress: String? { AudioRoute.bluetoothAddress(in: device) }
  }

  public var output: End
  public var input: End

  public init(output: End, input: End) {
    self.output = output
    self.input = input
  }

  public var description: String { "\(output) -> \(input)" }

  /// Whether microphone and headphones are one Bluetooth headset: using its microphone switches it
  /// to its hands-free profile, whose latency is another.
  public var isOneHeadset: Bool {
    guard let address = output.bluetoothAddress else { return false }
    return address == input.bluetoothAddress
  }

  /// Whether the input is what the output plays, by wire: no air, no converter.
  public var isMonitor: Bool { input.device.lowercased().contains("monitor") }

  /// What differs from another route, in words; nil where nothing does.
  public func difference(from other: AudioRoute) -> String? {
    AudioRoute.difference("output", other.output, output)
      ?? AudioRoute.difference("input", other.input, input)
  }

  private static func difference(_ side: String, _ old: End, _ new: End) -> String? {
    if old.device != new.device || old.card != new.card {
      return "the \(side) is now \(new.device)\(new.card.isEmpty ? "" : " (\(new.card))")"
    }
    if old.rate != new.rate { return "the \(side) runs at \(new.rate) Hz, not \(old.rate)" }
    if old.periodFrames != new.periodFrames {
      return "the \(side)'s period is \(new.periodFrames) frames, not \(old.periodFrames)"
    }
    if old.channels != new.channels {
      return "the \(side) has \(new.channels) channels, not \(old.channels)"
    }
    return nil
  }

  /// `AA:BB:CC:DD:EE:FF`, also with underscores, anywhere in a name.
  static func bluetoothAddress(in text: String) -> String? {
    let bytes = Array(text.utf8)
    let length = 17
    guard bytes.count >= length else { return nil }
    func isHex(_ byte: UInt8) -> Bool {
      (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
    }
    for start in 0...(bytes.count - length) {
      let piece = bytes[start..<(start + length)]
      let fits = piece.enumerated().allSatisfy { index, byte in
        index % 3 == 2
          ? byte == UInt8(ascii: ":") || byte == UInt8(ascii: "_") : isHex(byte)
      }
      if fits {
        return String(decoding: piece, as: UTF8.self).uppercased()
          .split(whereSeparator: { $0 == ":" || $0 == "_" }).joined(separator: ":")
      }
    }
    return nil
  }
}
