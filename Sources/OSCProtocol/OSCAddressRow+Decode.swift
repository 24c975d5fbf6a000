package import OSCWire

extension OSCAddressRow {
  /// Reads the arguments of a message to this address.
  ///
  /// - Throws: what is wrong, naming the argument, its value and what is allowed.
  package func decode(_ values: [OSCValue], port: String = "") throws(OSCRefusal) -> OSCIntent {
    let given = OSCAddressRow.flattened(values)
    switch access {
    case .trigger:
      return try trigger(given, port: port)
    case .value where given.isEmpty:
      return .ask
    case .value, .action:
      return try make(arguments(given, port: port))
    case .report where given.isEmpty:
      return try make(OSCArguments(form: 0, readings: [], port: port))
    case .report:
      // Reports with arguments of their own, such as ping's token, take them; others are asked for
      // whatever comes along.
      return try make(arguments(given, port: port))
    case .event:
      throw OSCRefusal(.malformed, "\(address) is only sent, never received")
    }
  }

  /// N is no argument, and an array is its elements.
  private static func flattened(_ values: [OSCValue]) -> [OSCValue] {
    var flat: [OSCValue] = []
    for value in values {
      switch value {
      case .null: continue
      case .array(let inner): flat += flattened(inner)
      default: flat.append(value)
      }
    }
    return flat
  }

  private func trigger(_ given: [OSCValue], port: String) throws(OSCRefusal) -> OSCIntent {
    if let first = given.first {
      guard let isPressed = OSCArgument.flag(first) else {
        throw OSCRefusal(
          .malformed,
          "\(address) takes no argument, or 1 to press and 0 to release, not \(first.display)")
      }
      guard isPressed else { return .release }
    }
    return try make(OSCArguments(form: 0, readings: [], port: port))
  }

  private func arguments(
    _ given: [OSCValue], port: String
  ) throws(OSCRefusal) -> OSCArguments {
    // The first argument tells the forms of an address apart.
    var form = 0
    if forms.count > 1, let first = given.first {
      form =
        forms.firstIndex { candidate in
          guard let argument = candidate.first else { return false }
          if case .otherType = argument.read(first) { return false }
          return true
        } ?? 0
    }
    if forms.count > 1, let first = given.first, let refusal = refusal(of: first) { throw refusal }
    return OSCArguments(form: form, readings: try readings(given, of: forms[form]), port: port)
  }

  /// Where no form takes the first argument: all that is allowed, of every form.
  private func refusal(of first: OSCValue) -> OSCRefusal? {
    let arguments = forms.compactMap(\.first)
    guard arguments.count > 1 else { return nil }
    for argument in arguments {
      if case .reading = argument.read(first) { return nil }
      if argument.isOptional { return nil }
    }
    let allowed = arguments.map { argument in
      let range = argument.rangeText
      let unit = argument.unit
      return unit.isEmpty || range.hasSuffix(unit) ? range : "\(range) \(unit)"
    }.joined(separator: ", or ")
    return OSCRefusal(
      .range,
      "\(path) \(first.display) is not possible: allowed are \(allowed)\(arguments[0].hint(for: first))"
    )
  }

  private func readings(
    _ given: [OSCValue], of form: [OSCArgument]
  ) throws(OSCRefusal) -> [OSCReading] {
    var readings: [OSCReading] = []
    var next = 0
    var isPassedOver = false
    for argument in form {
      guard next < given.count else {
        guard argument.isOptional else {
          throw OSCRefusal(.malformed, "\(argument.name) is missing: write \(usage)")
        }
        readings.append(.absent)
        continue
      }
      switch argument.read(given[next]) {
      case .reading(let reading):
        readings.append(reading)
        next += 1
      case .refused(let refusal):
        throw refusal
      case .otherType:
        guard argument.isOptional else {
          throw OSCRefusal(
            .malformed,
            "\(argument.name) \(given[next].display) cannot be read: allowed are \(argument.rangeText)\(argument.hint(for: given[next]))"
          )
        }
        readings.append(.absent)
        isPassedOver = true
      }
    }
    // What is left over is ignored, unless it is text for which an optional argument was passed
    // over: then it was meant to be one.
    if isPassedOver, next < given.count, given[next].text != nil {
      let optional = form.filter(\.isOptional)
        .map { "\($0.name) (\($0.rangeText))" }.joined(separator: ", ")
      throw OSCRefusal(
        .malformed, "argument \(given[next].display) cannot be read: allowed are \(optional)")
    }
    return readings
  }

  /// The address with its arguments, optional ones in brackets.
  public var usage: String {
    forms.map { form in
      ([address]
        + form.map { argument in
          argument.isOptional ? "[\(argument.name)]" : argument.name
        }).joined(separator: " ")
    }.joined(separator: ", or ")
  }
}
