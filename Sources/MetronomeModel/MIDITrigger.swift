/// The left side of a rule.
public enum MIDITrigger: Hashable, Sendable {
  case note(Int, channel: Int?)
  case controller(Int, channel: Int?)
  /// nil is any program.
  case program(Int?, channel: Int?)
  case start
  case resume
  case stop
  /// A key of a device whose name is like this one, `*` and `?` included; nil is any device.
  case key(Int, device: String?)

  /// How much it says: a channel, a device and a program's number count.
  var exactness: Int {
    switch self {
    case .note(_, let channel), .controller(_, let channel): channel == nil ? 0 : 1
    case .program(let number, let channel): (number == nil ? 0 : 2) + (channel == nil ? 0 : 1)
    case .key(_, let device): device == nil ? 0 : 1
    case .start, .resume, .stop: 0
    }
  }

  /// Whether what is played has a value of its own.
  public var hasValue: Bool {
    switch self {
    case .note, .controller, .program: true
    case .start, .resume, .stop, .key: false
    }
  }

  func matches(_ gesture: MIDIGesture) -> Bool {
    switch (self, gesture) {
    case (.note(let number, let channel), .note(let played, _, let on)),
      (.note(let number, let channel), .noteOff(let played, let on)):
      number == played && (channel ?? on) == on
    case (.controller(let number, let channel), .controller(let played, _, let on)):
      number == played && (channel ?? on) == on
    case (.program(let number, let channel), .program(let played, let on)):
      (number ?? played) == played && (channel ?? on) == on
    case (.start, .start), (.resume, .resume), (.stop, .stop): true
    case (.key(let code, let wanted), .key(let played, _, let device)):
      code == played && (wanted.map { NamePattern.matches($0, device) } ?? true)
    default: false
    }
  }

  public init(_ text: String) throws(MIDIMappingError) {
    var written = text
    var device: String?
    if let range = MIDITrigger.range(of: " device ", in: text) {
      device = String(text[range.upperBound...])
      written = String(text[..<range.lowerBound])
    }
    var words = written.lowercased().split(separator: " ").map(String.init)
    var channel: Int?
    if words.count >= 2, words[words.count - 2] == "channel" {
      guard let number = Int(words[words.count - 1]), (1...16).contains(number) else {
        throw MIDIMappingError(text: text, reason: "a channel is 1 to 16")
      }
      channel = number
      words.removeLast(2)
    }
    switch (words.first, words.count) {
    case ("start", 1): self = .start
    case ("continue", 1): self = .resume
    case ("stop", 1): self = .stop
    case ("note", 2):
      self = .note(try MIDITrigger.seven(words[1], "note", text), channel: channel)
    case ("cc", 2):
      self = .controller(try MIDITrigger.seven(words[1], "controller", text), channel: channel)
    case ("program", 2) where words[1] == "*": self = .program(nil, channel: channel)
    case ("program", 2):
      guard let number = Int(words[1]), (1...128).contains(number) else {
        throw MIDIMappingError(text: text, reason: "a program is 1 to 128, or *")
      }
      self = .program(number - 1, channel: channel)
    case ("key", 2):
      guard let code = LinuxKey.code(words[1]) else {
        throw MIDIMappingError(text: text, reason: MIDITrigger.keyRule)
      }
      self = .key(code, device: device)
    default:
      throw MIDIMappingError(
        text: text,
        reason: "a trigger is 'note N', 'cc N', 'program N' or 'program *', each with 'channel N' "
          + "where wanted, 'start', 'continue', 'stop', or 'key N', with 'device NAME' where wanted"
      )
    }
    guard device == nil || words.first == "key" else {
      throw MIDIMappingError(text: text, reason: "'device' belongs to a key")
    }
  }

  public static let keyRule =
    "a key is a Linux key code, 1 to 767, or a name of the kernel such as KEY_PAGEDOWN or "
    + LinuxKey.usual.joined(separator: ", ")

  private static func range(of word: String, in text: String) -> Range<String.Index>? {
    var start = text.startIndex
    while start < text.endIndex {
      if text[start...].hasPrefix(word) {
        return start..<text.index(start, offsetBy: word.count)
      }
      start = text.index(after: start)
    }
    return nil
  }

  private static func seven(
    _ word: String, _ what: String, _ text: String
  ) throws(MIDIMappingError) -> Int {
    guard let number = Int(word), (0...127).contains(number) else {
      throw MIDIMappingError(text: text, reason: "a \(what) is 0 to 127")
    }
    return number
  }

  /// As a rule is written.
  public var text: String {
    let (words, channel): (String, Int?) =
      switch self {
      case .note(let number, let channel): ("note \(number)", channel)
      case .controller(let number, let channel): ("cc \(number)", channel)
      case .program(let number, let channel):
        ("program " + (number.map { "\($0 + 1)" } ?? "*"), channel)
      case .start: ("start", nil)
      case .resume: ("continue", nil)
      case .stop: ("stop", nil)
      case .key(let code, let device):
        ("key \(LinuxKey.name(code))" + (device.map { " device \($0)" } ?? ""), nil)
      }
    return words + (channel.map { " channel \($0)" } ?? "")
  }
}

/// A rule that cannot be read, or that no command answers.
public struct MIDIMappingError: Error, Equatable, Sendable, CustomStringConvertible {
  public var text: String
  public var reason: String
  public var description: String { "MIDI mapping '\(text)': \(reason)" }

  public init(text: String, reason: String) {
    self.text = text
    self.reason = reason
  }
}
