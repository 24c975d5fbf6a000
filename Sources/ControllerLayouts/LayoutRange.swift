internal import MetronomeModel
internal import OSCProtocol
internal import OSCWire

/// The range of an argument, as the address table has it.
///
/// - Thread: any
enum LayoutRange {
  /// - Returns: 0...0 where the argument has no range; no control may be made of it.
  static func of(_ path: String, argument: Int = 0) -> ClosedRange<Double> {
    guard let row = OSCAddressTable.row(for: OSCAddressTable.prefix + path)?.row,
      let form = row.forms.first, form.indices.contains(argument)
    else { return 0...0 }
    switch form[argument].kind {
    case .number(let range): return range
    case .integer(let range): return Double(range.lowerBound)...Double(range.upperBound)
    case .tempo: return Limits.quarterTempo
    case .flag, .word, .text, .name, .nameOrNumber, .labelOrNumber, .noteValue, .meter, .any:
      return 0...0
    }
  }
}
