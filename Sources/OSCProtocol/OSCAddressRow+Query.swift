public import OSCWire
internal import MetronomeModel

/// A row as OSCQuery describes it: as many values as types, and of these types.
extension OSCAddressRow {
  /// The arguments that must be given, and further ones of the same type as far as values have them
  /// (channels); not those that say more about the first (a tempo's unit).
  func queryArguments(_ published: [OSCValue]?) -> [OSCArgument] {
    let form = forms.first ?? []
    var described = form.filter { !$0.isOptional }
    guard let type = described.last?.queryType else { return [] }
    for argument in form.dropFirst(described.count) {
      guard described.count < published?.count ?? 0, argument.queryType == type else { break }
      described.append(argument)
    }
    return described
  }

  /// Published values in the types that the description names.
  ///
  /// - Returns: nil where fewer were published than are described.
  public func queryValues(_ published: [OSCValue]) -> [OSCValue]? {
    let arguments = queryArguments(published)
    guard !arguments.isEmpty else { return access == .trigger ? nil : published }
    guard published.count >= arguments.count else { return nil }
    return zip(arguments, published).map { $0.queryValue($1) }
  }
}

extension OSCArgument {
  var queryType: String {
    switch kind {
    case .number, .tempo: "f"
    case .integer: "i"
    case .flag: "T"
    case .word, .text, .name, .nameOrNumber, .labelOrNumber, .noteValue, .meter: "s"
    case .any: unit == "ns" ? "h" : "i"
    }
  }

  fileprivate func queryValue(_ value: OSCValue) -> OSCValue {
    switch queryType {
    case "T": value.number == 0 ? .false : .true
    case "f": value.number.map { .float(Float($0)) } ?? value
    case "i": value.number.flatMap { Int32(exactly: $0.rounded()) }.map { .int32($0) } ?? value
    case "s": if case .string = value { value } else { .string(value.display) }
    default: value
    }
  }

  var queryRange: String {
    switch kind {
    case .number(let range):
      "{\"MIN\":\(NumberText.text(range.lowerBound)),\"MAX\":\(NumberText.text(range.upperBound))}"
    case .tempo:
      "{\"MIN\":\(NumberText.text(Limits.quarterTempo.lowerBound)),\"MAX\":\(NumberText.text(Limits.quarterTempo.upperBound))}"
    case .integer(let range): "{\"MIN\":\(range.lowerBound),\"MAX\":\(range.upperBound)}"
    case .word(let words):
      "{\"VALS\":[\(words.map { JSONText.quoted($0) }.joined(separator: ","))]}"
    default: "null"
    }
  }
}
