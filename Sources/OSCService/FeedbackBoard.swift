internal import OSCProtocol
internal import OSCWire

/// The newest published value of every address.
///
/// - Thread: control
struct FeedbackBoard {
  struct Slot {
    let address: String
    /// nil until it was published.
    var arguments: [OSCValue]?
    /// The message's bytes, written once for all subscribers.
    var bytes: [UInt8] = []
  }

  /// More addresses than the table and a few dozen ports have.
  static let maximumSlots = 2_048

  private(set) var slots: [Slot] = []
  private var indexByAddress: [String: Int] = [:]
  /// Addresses with a port's name as they are written, by how they read in lower case.
  private var portAddresses: [String: String] = [:]

  /// The slot of an address that a client sends to. A port that a client invents makes none: each
  /// would cost memory for every subscriber.
  mutating func slot(of address: String, in row: OSCAddressRow) -> Int? {
    row.path.contains("<port>") ? indexByAddress[address] : slot(for: address)
  }

  /// The slot of an address, made where it is new.
  private mutating func slot(for address: String) -> Int? {
    if let index = indexByAddress[address] { return index }
    guard slots.count < FeedbackBoard.maximumSlots else { return nil }
    indexByAddress[address] = slots.count
    if address.hasPrefix(FeedbackBoard.portPrefix) { portAddresses[address.lowercased()] = address }
    slots.append(Slot(address: address))
    return slots.count - 1
  }

  /// - Returns: the slot, where the value is another than before.
  mutating func publish(_ address: String, _ arguments: [OSCValue]) -> Int? {
    guard let index = slot(for: address), slots[index].arguments != arguments else { return nil }
    slots[index].arguments = arguments
    slots[index].bytes = OSCPacketWriter.bytes(OSCMessage(address, arguments))
    return index
  }

  func arguments(of address: String) -> [OSCValue]? {
    indexByAddress[address].flatMap { slots[$0].arguments }
  }

  private static let portPrefix = "/tactus/midi/"

  /// The address as the port's name is written: controllers write addresses in lower case.
  func spelled(_ address: String) -> String {
    guard indexByAddress[address] == nil, address.hasPrefix(FeedbackBoard.portPrefix) else {
      return address
    }
    return portAddresses[address.lowercased()] ?? address
  }

  /// Addresses with a name in the middle, for wildcards.
  var namedAddresses: [String] {
    slots.lazy.map(\.address).filter { $0.hasPrefix(FeedbackBoard.portPrefix) }
  }

  /// Everything in bundles that fit into a datagram: one, unless there are hundreds of ports.
  func snapshot() -> [[UInt8]] {
    var bundles: [[UInt8]] = []
    var elements: [[UInt8]] = []
    var size = 16
    for slot in slots where slot.arguments != nil {
      if size + slot.bytes.count + 4 > 60_000 {
        bundles.append(OSCPacketWriter.bundle(.immediately, elements))
        elements = []
        size = 16
      }
      elements.append(slot.bytes)
      size += slot.bytes.count + 4
    }
    bundles.append(OSCPacketWriter.bundle(.immediately, elements))
    return bundles
  }
}
