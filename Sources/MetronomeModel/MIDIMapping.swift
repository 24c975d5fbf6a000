/// Which pedal, pad, knob or key does what: a table of triggers and actions.
///
/// A rule is two texts, as a preset holds them: `note 36`, `cc 64 channel 10`, `program *`,
/// `start`, `key 109` on the left; on the right `tap`, or a command as it is written in OSC
/// without the leading `/tactus/`, such as `preset/next` or `mute toggle`. In a command `{}` is
/// the value of what was played (velocity, controller value, program counted from 1), `60..180`
/// spreads a controller's 0 to 127 over a range, and a command that ends in `hold` gets 1 when
/// the trigger is pressed and 0 when it is let go: `tempo/push hold`.
///
/// - Thread: any
public struct MIDIMapping: Equatable, Sendable {
  public struct Rule: Equatable, Sendable {
    public var trigger: MIDITrigger
    public var action: MIDIAction

    public init(trigger: MIDITrigger, action: MIDIAction) {
      self.trigger = trigger
      self.action = action
    }
  }

  public var rules: [Rule]

  public init(rules: [Rule] = MIDIMapping.standard) { self.rules = rules }

  /// - Throws: the first rule that cannot be read, with what it may look like.
  public init(texts: [(trigger: String, action: String)]) throws(MIDIMappingError) {
    guard texts.count <= MIDIMapping.mostRules else {
      throw MIDIMappingError(
        text: "\(texts.count) rules", reason: "at most \(MIDIMapping.mostRules) are allowed")
    }
    var rules: [Rule] = []
    for text in texts {
      rules.append(
        Rule(trigger: try MIDITrigger(text.trigger), action: try MIDIAction(text.action)))
    }
    self.rules = rules
  }

  public static let mostRules = 256

  /// Transport messages act as such, and a sustain pedal taps.
  public static let standard: [Rule] = [
    Rule(trigger: .start, action: .command("start")),
    Rule(trigger: .resume, action: .command("continue")),
    Rule(trigger: .stop, action: .command("stop")),
    Rule(trigger: .controller(64, channel: nil), action: .tap),
  ]

  /// What a gesture asks for, rule by rule.
  ///
  /// A rule for one channel or one program stands above one for any: a sustain pedal that was
  /// bound to `toggle` does not tap as well.
  public func demands(of gesture: MIDIGesture) -> [MIDIDemand] {
    let matching = rules.filter { $0.trigger.matches(gesture) }
    let highest = matching.map(\.trigger.exactness).max()
    return matching.compactMap { $0.trigger.exactness == highest ? $0.action.demand(gesture) : nil }
  }

  /// Binds a trigger to an action, in place of what it was bound to.
  public mutating func learn(_ trigger: MIDITrigger, _ action: MIDIAction) {
    rules.removeAll { $0.trigger == trigger }
    rules.append(Rule(trigger: trigger, action: action))
  }

  /// This table with rules laid over it, each in place of what its trigger was bound to.
  public func with(_ learned: [Rule]) -> MIDIMapping {
    var mapping = self
    for rule in learned { mapping.learn(rule.trigger, rule.action) }
    return mapping
  }
}

/// Something played on an input, with its channel (1 to 16) where it has one.
public enum MIDIGesture: Equatable, Sendable {
  case note(Int, velocity: Int, channel: Int)
  case noteOff(Int, channel: Int)
  case controller(Int, value: Int, channel: Int)
  /// 0 to 127 as sent; people count from 1.
  case program(Int, channel: Int)
  case start
  case resume
  case stop
  /// A key of a pedal or a keyboard, by its Linux key code.
  case key(Int, isPressed: Bool)

  /// The middle of a controller's range, above which a switch is down.
  static let pressed = 64

  /// The trigger that would answer this gesture; nil for one that lets go.
  public var trigger: MIDITrigger? {
    switch self {
    case .note(let number, _, let channel): .note(number, channel: channel)
    case .noteOff: nil
    case .controller(let number, let value, let channel):
      value >= MIDIGesture.pressed ? .controller(number, channel: channel) : nil
    case .program(let number, let channel): .program(number, channel: channel)
    case .start: .start
    case .resume: .resume
    case .stop: .stop
    case .key(let code, let isPressed): isPressed ? .key(code) : nil
    }
  }
}

/// The left side of a rule.
public enum MIDITrigger: Equatable, Sendable {
  case note(Int, channel: Int?)
  case controller(Int, channel: Int?)
  /// nil is any program.
  case program(Int?, channel: Int?)
  case start
  case resume
  case stop
  case key(Int)

  /// How much it says: a channel and a program's number count.
  var exactness: Int {
    switch self {
    case .note(_, let channel), .controller(_, let channel): channel == nil ? 0 : 1
    case .program(let number, let channel): (number == nil ? 0 : 2) + (channel == nil ? 0 : 1)
    case .start, .resume, .stop, .key: 0
    }
  }

  func matches(_ gesture: MIDIGesture) -> Bool {
    switch (self, gesture) {
    case (.note(let number, let channel), .note(let played, _, let on)),
      (.note(let number, let channel), .noteOff(let played, let on)),
      (.controller(let number, let channel), .controller(let played, _, let on)):
      number == played && (channel ?? on) == on
    case (.program(let number, let channel), .program(let played, let on)):
      (number ?? played) == played && (channel ?? on) == on
    case (.start, .start), (.resume, .resume), (.stop, .stop): true
    case (.key(let code), .key(let played, _)): code == played
    default: false
    }
  }

  public init(_ text: String) throws(MIDIMappingError) {
    var words = text.lowercased().split(separator: " ").map(String.init)
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
      guard let code = Int(words[1]) ?? MIDITrigger.keys[words[1]], (1...767).contains(code) else {
        throw MIDIMappingError(
          text: text,
          reason: "a key is a Linux key code, 1 to 767, or one of "
            + MIDITrigger.keys.keys.sorted().joined(separator: ", "))
      }
      self = .key(code)
    default:
      throw MIDIMappingError(
        text: text,
        reason: "a trigger is 'note N', 'cc N', 'program N' or 'program *', each with 'channel N' "
          + "where wanted, 'start', 'continue', 'stop', or 'key N'")
    }
  }

  private static func seven(
    _ word: String, _ what: String, _ text: String
  ) throws(MIDIMappingError) -> Int {
    guard let number = Int(word), (0...127).contains(number) else {
      throw MIDIMappingError(text: text, reason: "a \(what) is 0 to 127")
    }
    return number
  }

  /// What page turners and buttons send. Source: linux/input-event-codes.h
  static let keys: [String: Int] = [
    "pageup": 104, "pagedown": 109, "left": 105, "right": 106, "up": 103, "down": 108,
    "enter": 28, "space": 57, "playpause": 164, "nextsong": 163, "previoussong": 165,
    "volumeup": 115, "volumedown": 114,
  ]

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
      case .key(let code):
        ("key " + (MIDITrigger.keys.first { $0.value == code }?.key ?? "\(code)"), nil)
      }
    return words + (channel.map { " channel \($0)" } ?? "")
  }
}

/// A rule that cannot be read.
public struct MIDIMappingError: Error, Equatable, Sendable, CustomStringConvertible {
  public var text: String
  public var reason: String
  public var description: String { "MIDI mapping '\(text)': \(reason)" }

  public init(text: String, reason: String) {
    self.text = text
    self.reason = reason
  }
}
