/// A command line: what it understands, how it is read, and its help.
///
/// `--name VALUE` and `--name=VALUE` mean the same; `--` ends the options, except after a name that
/// needs a value (`--pattern --` are two soft beats); `-` and negative numbers are arguments.
///
/// - Thread: any
public struct OptionParser: Equatable, Sendable {
  /// As it is typed: `tactusd`, `tactus render`.
  public let command: String
  /// One sentence.
  public let summary: String
  public let positionals: [PositionalDeclaration]
  public let options: [OptionDeclaration]
  public let exitCodes: [ExitCode]
  /// Paragraphs below the options.
  public let notes: [String]
  /// The usage line after the command; nil makes it from the declarations.
  public let usage: String?

  /// - Parameter options: those of `OptionDeclaration.standard` are added.
  public init(
    command: String, summary: String, usage: String? = nil,
    positionals: [PositionalDeclaration] = [], options: [OptionDeclaration] = [],
    exitCodes: [ExitCode] = [.done, .failed, .misused], notes: [String] = []
  ) {
    self.command = command
    self.summary = summary
    self.usage = usage
    self.positionals = positionals
    self.options = options + OptionDeclaration.standard
    self.exitCodes = exitCodes
    self.notes = notes
  }

  /// Reads arguments, without the program's name.
  ///
  /// - Throws: the first thing that is wrong.
  public func parse(_ arguments: [String]) throws(OptionError) -> ParsedOptions {
    var parsed = ParsedOptions()
    var index = 0
    var endOfOptions = false
    while index < arguments.count {
      let argument = arguments[index]
      index += 1
      if endOfOptions || !OptionParser.looksLikeOption(argument) {
        try add(argument, to: &parsed)
        continue
      }
      if argument == "--" {
        endOfOptions = true
        continue
      }
      let (typed, attached) = OptionParser.split(argument)
      let option = try declaration(of: typed)
      let name = "--\(option.name)"
      guard let placeholder = option.placeholder else {
        if let attached { throw .unexpectedValue(name, value: attached) }
        parsed.values[option.name, default: []].append("")
        continue
      }
      let value: String
      if let attached {
        value = attached
      } else if option.mayStandAlone, !isName(index < arguments.count ? arguments[index] : "") {
        value = ""
      } else if index < arguments.count, !isDeclared(arguments[index]) {
        value = arguments[index]
        index += 1
      } else {
        throw .missingValue(name, placeholder: placeholder)
      }
      if !option.isRepeatable, parsed.values[option.name] != nil { throw .repeated(name) }
      parsed.values[option.name, default: []].append(value)
    }
    return parsed
  }

  private func add(_ argument: String, to parsed: inout ParsedOptions) throws(OptionError) {
    guard parsed.arguments.count < positionals.count || positionals.last?.isRepeatable == true
    else {
      throw .tooManyArguments(
        argument,
        allowed: positionals.isEmpty
          ? "\(command) takes none"
          : "\(command) takes \(positionals.map(\.name).joined(separator: " "))")
    }
    parsed.arguments.append(argument)
  }

  private func declaration(of typed: String) throws(OptionError) -> OptionDeclaration {
    if typed.hasPrefix("--") {
      let name = typed.dropFirst(2)
      if let option = options.first(where: { $0.name == name }) { return option }
      throw .unknown(
        typed,
        suggestion: NearestName.of(String(name), among: options.map(\.name)).map { "--\($0)" })
    }
    let letters = typed.dropFirst()
    if letters.count == 1, let option = options.first(where: { $0.letter == letters.first }) {
      return option
    }
    // `-device` is a slip for `--device`.
    throw .unknown(
      typed,
      suggestion: NearestName.of(String(letters), among: options.map(\.name)).map { "--\($0)" })
  }

  /// Whether a word after an option that may stand alone is its value: an option, a number and a
  /// fraction are not.
  private func isName(_ word: String) -> Bool {
    !word.isEmpty && !OptionParser.looksLikeOption(word) && !isDeclared(word)
      && !word.utf8.allSatisfy {
        ($0 >= 0x30 && $0 <= 0x39) || "./+-".utf8.contains($0)
      }
  }

  /// Whether a word that could be a value is in truth the next option.
  private func isDeclared(_ argument: String) -> Bool {
    guard argument.hasPrefix("--") else { return false }
    let name = OptionParser.split(argument).typed.dropFirst(2)
    return options.contains { $0.name == name }
  }

  private static func split(_ argument: String) -> (typed: String, value: String?) {
    guard argument.hasPrefix("--"), let sign = argument.firstIndex(of: "=") else {
      return (argument, nil)
    }
    return (String(argument[..<sign]), String(argument[argument.index(after: sign)...]))
  }

  /// `-` is standard output, and `-5` a number.
  private static func looksLikeOption(_ argument: String) -> Bool {
    guard argument.hasPrefix("-"), argument.utf8.count > 1 else { return false }
    guard let second = argument.dropFirst().first else { return false }
    return !(second.isNumber || second == ".")
  }
}
