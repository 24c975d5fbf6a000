internal import MetronomeModel
internal import OSCProtocol
internal import OSCWire

/// Commands as mappings hold them: an address below `/tactus/` and its arguments.
///
/// - Thread: any
enum CommandText {
  /// nil where the address table knows no such command, or not with such arguments.
  static func command(_ path: String, _ arguments: [CommandArgument]) -> ControlCommand? {
    let values = arguments.map { argument -> OSCValue in
      switch argument {
      case .number(let number): .double(number)
      case .text(let text): .string(text)
      }
    }
    guard
      let intent = try? OSCAddressTable.decode(
        OSCMessage(OSCAddressTable.prefix + path, values)),
      case .command(let command) = intent
    else { return nil }
    return command
  }
}
