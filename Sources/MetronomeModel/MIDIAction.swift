internal import MusicalTime

/// What a trigger does: a command as it is written in OSC without the leading `/tactus/`, and what
/// of the gesture goes into it.
///
/// - Thread: any
public struct MIDIAction: Equatable, Sendable {
  public enum Word: Equatable, Sendable {
    case argument(CommandArgument)
    /// What was played: velocity, controller value, program counted from 1. Written `{}`.
    case value
    /// What was played, 0 to 127, laid onto a range. Written `60..180`.
    case spread(from: Double, to: Double)
  }

  /// The address below `/tactus/`: `tap`, `preset/next`.
  public var command: String
  public var words: [Word]
  /// One more argument: 1 when pressed and 0 when let go. Written `hold` at the end.
  public var isHeld: Bool

  public static let tap = MIDIAction(command: "tap")

  public init(command: String, words: [Word] = [], isHeld: Bool = false) {
    self.command = command
    self.words = words
    self.isHeld = isHeld
  }

  /// Reads `tempo/push hold`, `tempo 60..180`, `preset "My Song"`.
  public init(_ text: String) throws(MIDIMappingError) {
    var written = MIDIAction.split(text)
    guard !written.isEmpty, text.utf8.count <= 128, !written[0].text.isEmpty else {
      throw MIDIMappingError(
        text: text, reason: "an action is 'tap' or a command of at most 128 bytes")
    }
    command = written.removeFirst().text
    if command.hasPrefix("/tactus/") { command = String(command.dropFirst(8)) }
    guard MIDIAction.dots(in: command) == nil else { throw MIDIAction.noRange(text) }
    isHeld = written.last.map { $0.text == "hold" && !$0.isQuoted } ?? false
    if isHeld { written.removeLast() }
    words = []
    for word in written {
      guard !word.isQuoted else {
        words.append(.argument(.text(word.text)))
        continue
      }
      guard let read = Word(word.text) else { throw MIDIAction.noRange(text) }
      words.append(read)
    }
  }

  private static func noRange(_ text: String) -> MIDIMappingError {
    MIDIMappingError(
      text: text, reason: "a range is two numbers after a command, as in 'tempo 60..180'")
  }

  /// Whether it needs a value to be played: a note, a controller or a program.
  public var needsValue: Bool {
    words.contains { if case .argument = $0 { false } else { true } }
  }

  /// Whether a controller's every value counts, not only its press.
  public var isContinuous: Bool { words.contains { if case .spread = $0 { true } else { false } } }

  /// The command's arguments.
  ///
  /// - Parameters:
  ///   - value: 0 to 127, for a range; `counted` is what people count.
  ///   - isRounded: ranges give whole numbers.
  public func arguments(
    value: Int, counted: Int, isPressed: Bool = true, isRounded: Bool = false
  ) -> [CommandArgument] {
    var arguments = words.map { word -> CommandArgument in
      switch word {
      case .argument(let argument): return argument
      case .value: return .number(Double(counted))
      case .spread(let from, let to):
        // Thousandths are what every value is kept in.
        let scale = isRounded ? 1.0 : 1000.0
        return .number(((from + (to - from) * Double(value) / 127) * scale).rounded() / scale)
      }
    }
    if isHeld { arguments.append(.number(isPressed ? 1 : 0)) }
    return arguments
  }

  /// As a rule is written.
  public var text: String {
    let written = words.map { word in
      switch word {
      case .value: return "{}"
      case .spread(let from, let to): return MIDIAction.number(from) + ".." + MIDIAction.number(to)
      case .argument(.number(let number)): return MIDIAction.number(number)
      case .argument(.text(let text)):
        let isPlain = !text.isEmpty && !text.contains(" ") && text != "hold" && text != "{}"
        return isPlain && MIDIAction.dots(in: text) == nil ? text : "\"\(text)\""
      }
    }
    return ([command] + written + (isHeld ? ["hold"] : [])).joined(separator: " ")
  }

  private static func number(_ value: Double) -> String {
    let thousandths = (value * 1000).rounded()
    return abs(thousandths) < 9e15 && thousandths == value * 1000
      ? ThousandthsText.text(Int64(thousandths)) : "\(value)"
  }

  /// Words between blanks; what stands in double quotes is one word.
  private static func split(_ text: String) -> [(text: String, isQuoted: Bool)] {
    var words: [(text: String, isQuoted: Bool)] = []
    var word = ""
    var isQuoted = false
    var wasQuoted = false
    for character in text + " " {
      if character == "\"" {
        isQuoted.toggle()
        wasQuoted = true
      } else if character == " ", !isQuoted {
        if !word.isEmpty || wasQuoted { words.append((word, wasQuoted)) }
        word = ""
        wasQuoted = false
      } else {
        word.append(character)
      }
    }
    // A quote that is never closed holds the rest.
    if isQuoted, !word.isEmpty { words.append((String(word.dropLast()), true)) }
    return words
  }

  fileprivate static func dots(in word: String) -> String.Index? {
    var index = word.startIndex
    while index < word.endIndex {
      let next = word.index(after: index)
      if word[index] == ".", next < word.endIndex, word[next] == "." { return index }
      index = next
    }
    return nil
  }
}

extension MIDIAction.Word {
  /// - Returns: nil for a range that is none.
  public init?(_ word: String) {
    if word == "{}" {
      self = .value
      return
    }
    guard let dots = MIDIAction.dots(in: word) else {
      self = .argument(.text(word))
      return
    }
    guard let from = Double(word[..<dots]),
      let to = Double(word[word.index(dots, offsetBy: 2)...]), from.isFinite, to.isFinite
    else { return nil }
    self = .spread(from: from, to: to)
  }
}
