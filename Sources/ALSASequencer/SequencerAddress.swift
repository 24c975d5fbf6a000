/// A port of the sequencer by its numbers, which last only as long as its client does.
///
/// - Thread: any
public typealias SequencerAddress = MIDIDestination

extension MIDIDestination: CustomStringConvertible {
  public var description: String { "\(client):\(port)" }
}

/// A port of the sequencer as another program shows it.
///
/// - Thread: control
public struct SequencerPort: Equatable, Sendable {
  public var address: SequencerAddress
  public var clientName: String
  public var portName: String
  /// Others may connect to it and write.
  public var takesInput: Bool
  /// Others may connect from it and read.
  public var givesOutput: Bool
  /// Where the hardware is plugged in, as the kernel names it; empty for a program.
  public var devicePath: String

  public init(
    address: SequencerAddress, clientName: String, portName: String, takesInput: Bool,
    givesOutput: Bool, devicePath: String = ""
  ) {
    self.address = address
    self.clientName = clientName
    self.portName = portName
    self.takesInput = takesInput
    self.givesOutput = givesOutput
    self.devicePath = devicePath
  }
}

/// Two ports that are joined.
public struct SequencerConnection: Hashable, Sendable {
  public var from: SequencerAddress
  public var to: SequencerAddress

  public init(from: SequencerAddress, to: SequencerAddress) {
    self.from = from
    self.to = to
  }
}
