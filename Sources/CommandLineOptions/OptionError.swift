/// Why a command line was refused; the description names the value, what is allowed and the way out.
///
/// - Thread: any
public enum OptionError: Error, Equatable, Sendable, CustomStringConvertible {
  /// `suggestion` is the nearest option there is, if one is near.
  case unknown(String, suggestion: String?)
  case missingValue(String, placeholder: String)
  case unexpectedValue(String, value: String)
  case repeated(String)
  case tooManyArguments(String, allowed: String)
  case missingArgument(String)
  /// `allowed` says the range or the choices, with the unit.
  case value(String, given: String, allowed: String)
  case choice(String, given: String, allowed: [String], suggestion: String?)
  /// What another reader said about a value.
  case text(String)

  public var description: String {
    switch self {
    case .unknown(let name, let suggestion):
      "unknown option '\(OptionError.excerpt(name))'"
        + (suggestion.map { ": did you mean '\($0)'?" } ?? ": --help lists them all")
    case .missingValue(let name, let placeholder):
      "\(name) needs a value: write \(name) \(placeholder)"
    case .unexpectedValue(let name, let value):
      "\(name) takes no value but was given '\(OptionError.excerpt(value))': write \(name) alone"
    case .repeated(let name):
      "\(name) was given more than once: give it once"
    case .tooManyArguments(let argument, let allowed):
      "unexpected argument '\(OptionError.excerpt(argument))': \(allowed)"
    case .missingArgument(let name):
      "\(name) is missing"
    case .value(let name, let given, let allowed):
      "\(name) '\(OptionError.excerpt(given))' is not allowed: give \(allowed)"
    case .choice(let name, let given, let allowed, let suggestion):
      "\(name) '\(OptionError.excerpt(given))' is unknown: choose from \(allowed.joined(separator: ", "))"
        + (suggestion.map { "; did you mean '\($0)'?" } ?? "")
    case .text(let text):
      text
    }
  }

  /// A long or unprintable argument is not thrown back at the terminal whole.
  public static func excerpt(_ text: some StringProtocol) -> String {
    var shown = ""
    var count = 0
    for scalar in text.unicodeScalars {
      if count == 60 { return shown + "..." }
      shown.unicodeScalars.append(scalar.value < 0x20 || scalar.value == 0x7F ? "?" : scalar)
      count += 1
    }
    return shown
  }
}
