/// The right side of a mapping rule.
///
/// - Thread: any
public enum MIDIAction: Equatable, Sendable {
  /// A tap, stamped when it was played.
  case tap
  /// A command each time the trigger is pressed; `{}` is the value.
  case command(String)
  /// A command with 1 when pressed and 0 when let go.
  case hold(String)
  /// A command with a controller's value spread over a range.
  case range(String, from: Double, to: Double)

  public init(_ text: String) throws(MIDIMappingError) {
    let words = text.split(separator: " ").map(String.init)
    guard let last = words.last, text.utf8.count <= 128 else {
      throw MIDIMappingError(
        text: text, reason: "an action is 'tap' or a command of at most 128 bytes")
    }
    if words == ["tap"] {
      self = .tap
      return
    }
    let start = words.dropLast().joined(separator: " ")
    if last == "hold", words.count >= 2 {
      self = .hold(start)
      return
    }
    if let dots = MIDIAction.dots(in: last) {
      guard words.count >= 2, let from = Double(last[..<dots]),
        let to = Double(last[last.index(dots, offsetBy: 2)...]), from.isFinite, to.isFinite
      else {
        throw MIDIMappingError(
          text: text, reason: "a range is two numbers after a command, as in 'tempo 60..180'")
      }
      self = .range(start, from: from, to: to)
      return
    }
    self = .command(text)
  }

  private static func dots(in word: String) -> String.Index? {
    var index = word.startIndex
    while index < word.endIndex {
      let next = word.index(after: index)
      if word[index] == ".", next < word.endIndex, word[next] == "." { return index }
      index = next
    }
    return nil
  }

  /// A command text that this action would send, to be checked when the rule is read.
  public var sample: String? {
    switch self {
    case .tap: nil
    case .command(let text): MIDIAction.fill(text, 1)
    case .hold(let text): text + " 1"
    case .range(let text, let from, _): text + " \(from)"
    }
  }

  func demand(_ gesture: MIDIGesture) -> MIDIDemand? {
    switch gesture {
    case .note(_, let velocity, _): pressed(velocity)
    case .noteOff: released()
    case .controller(_, let value, _):
      if case .range(let text, let from, let to) = self {
        // Thousandths are what every value is kept in.
        .setting(
          "\(text) \(((from + (to - from) * Double(value) / 127) * 1000).rounded() / 1000)")
      } else {
        value >= MIDIGesture.pressed ? pressed(value) : released()
      }
    case .program(let number, _): pressed(number + 1)
    case .start, .resume, .stop: pressed(127)
    case .key(_, let isPressed): isPressed ? pressed(127) : released()
    }
  }

  private func pressed(_ value: Int) -> MIDIDemand? {
    switch self {
    case .tap: .tap
    case .command(let text): .command(MIDIAction.fill(text, value))
    case .hold(let text): .command(text + " 1")
    case .range: nil
    }
  }

  private func released() -> MIDIDemand? {
    if case .hold(let text) = self { return .command(text + " 0") }
    return nil
  }

  private static func fill(_ text: String, _ value: Int) -> String {
    guard let open = text.firstIndex(of: "{") else { return text }
    let close = text.index(after: open)
    guard close < text.endIndex, text[close] == "}" else { return text }
    return text[..<open] + "\(value)" + text[text.index(after: close)...]
  }

  /// As a rule is written.
  public var text: String {
    switch self {
    case .tap: "tap"
    case .command(let text): text
    case .hold(let text): text + " hold"
    case .range(let text, let from, let to): "\(text) \(from)..\(to)"
    }
  }
}

/// What a gesture asks for.
public enum MIDIDemand: Equatable, Sendable {
  case tap
  /// A command text; each counts.
  case command(String)
  /// A command text with a continuous value: of several in a row the last one counts.
  case setting(String)
}
