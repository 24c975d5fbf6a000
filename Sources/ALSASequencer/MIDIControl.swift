public import MetronomeModel
public import MusicalTime

/// Turns what is played on pedals, pads and knobs into commands, by the mapping's table.
///
/// Each rule's command is decoded once, when the table is taken; what holds a value of the gesture
/// is decoded with it. A value: time is an argument, and decoding is left to whoever knows the
/// commands.
///
/// - Thread: control
public struct MIDIControl {
  public enum Outcome: Equatable, Sendable {
    /// Of a hand: a port or a key device.
    case command(ControlCommand, hand: UInt64)
    /// A trigger was bound in learn mode.
    case learned(MIDIMapping.Rule)
  }

  /// Decodes a command: an address without the leading `/tactus/`, and its arguments.
  public typealias CommandReader = (String, [CommandArgument]) -> ControlCommand?

  /// What a rule does, decoded.
  private enum Response {
    case tap
    case press(ControlCommand)
    case hold(pressed: ControlCommand, released: ControlCommand)
    /// Decoded with each value.
    case value
  }

  public private(set) var mapping = MIDIMapping(rules: [])
  private var responses: [Response] = []
  private let read: CommandReader
  private var presses = PressDetector()
  private var learning: MIDIAction?
  // Continuous values of one turn, by rule: the last one counts.
  private var settings: [(rule: Int, value: Int, hand: UInt64)] = []
  private var commandsThisTurn = 0

  /// Commands of one turn: what a hand can do in a tenth of a second is far less.
  static let mostCommands = 64

  public init(read: @escaping CommandReader) {
    self.read = read
    _ = use(MIDIMapping())
  }

  /// Takes a mapping in place of the one in force.
  ///
  /// - Returns: the rules that nobody understands; the others act.
  public mutating func use(_ mapping: MIDIMapping) -> [MIDIMappingError] {
    var problems: [MIDIMappingError] = []
    self.mapping = MIDIMapping(rules: [])
    responses = []
    settings = []
    for rule in mapping.rules.prefix(MIDIMapping.mostRules) {
      do throws(MIDIMappingError) {
        responses.append(try decode(rule.action, of: rule.trigger))
        self.mapping.rules.append(rule)
      } catch { problems.append(error) }
    }
    if mapping.rules.count > MIDIMapping.mostRules {
      problems.append(
        MIDIMappingError(
          text: mapping.rules[MIDIMapping.mostRules].text,
          reason: "it is beyond the \(MIDIMapping.mostRules) rules that are allowed"))
    }
    return problems
  }

  /// Binds the next thing that is played to an action.
  ///
  /// - Throws: where the action's command is not understood.
  public mutating func learn(_ action: MIDIAction) throws(MIDIMappingError) {
    // What is played is not known yet: something that fits is supposed.
    _ = try decode(action, of: .note(0, channel: nil))
    learning = action
  }

  public mutating func cancelLearning() { learning = nil }
  public var isLearning: Bool { learning != nil }

  private func decode(
    _ action: MIDIAction, of trigger: MIDITrigger
  ) throws(MIDIMappingError) -> Response {
    if action == .tap { return .tap }
    func fail(_ reason: String) -> MIDIMappingError {
      MIDIMappingError(text: action.text, reason: reason)
    }
    func command(
      _ value: Int, _ counted: Int, isPressed: Bool = true
    ) throws(MIDIMappingError) -> ControlCommand {
      if let command = self.command(action, value, counted, isPressed: isPressed) { return command }
      let shown = action.needsValue ? " with the value \(counted)" : ""
      throw fail(
        "there is no command '\(action.command)', or not with such arguments\(shown); "
          + "allowed are tap, start, stop, toggle, preset/next and what 'tactus osc list' shows")
    }
    guard action.needsValue else {
      guard action.isHeld else { return .press(try command(127, 127)) }
      return .hold(
        pressed: try command(127, 127), released: try command(0, 0, isPressed: false))
    }
    guard trigger.hasValue else {
      throw fail("'\(trigger.text)' has no value: a range and {} need a note, cc or program")
    }
    // Both ends, and what lies between them.
    switch trigger {
    case .program(let number?, _): _ = try command(number, number + 1)
    case .program(nil, _): for number in [0, 1, 127] { _ = try command(number, number + 1) }
    default:
      let lowest: Int
      if case .note = trigger { lowest = 1 } else { lowest = 0 }
      // A value as it was played may be 0 for a controller that is pressed at 64 only.
      let isPlain = !action.words.contains { if case .spread = $0 { true } else { false } }
      for value in [isPlain ? max(lowest, 1) : lowest, 64, 127] { _ = try command(value, value) }
    }
    return .value
  }

  private func command(
    _ action: MIDIAction, _ value: Int, _ counted: Int, isPressed: Bool = true
  ) -> ControlCommand? {
    let exact = action.arguments(value: value, counted: counted, isPressed: isPressed)
    if let command = read(action.command, exact) { return command }
    // A range laid over whole numbers falls between them.
    let whole = action.arguments(
      value: value, counted: counted, isPressed: isPressed, isRounded: true)
    return whole == exact ? nil : read(action.command, whole)
  }

  /// Takes in one gesture; continuous values come out with `endTurn`.
  ///
  /// - Parameter hand: tells apart who plays.
  public mutating func take(
    _ gesture: MIDIGesture, at time: MonotonicTime, hand: UInt64
  ) -> [Outcome] {
    let edge = presses.edge(of: gesture, hand: hand)
    if let action = learning {
      guard edge == .pressed else { return [] }
      let rule = MIDIMapping.Rule(trigger: gesture.trigger, action: action)
      // Something without a value is no answer to an action that needs one.
      guard (try? decode(action, of: rule.trigger)) != nil else { return [] }
      learning = nil
      return [.learned(rule)]
    }
    var outcomes: [Outcome] = []
    for index in mapping.matches(gesture) {
      respond(to: gesture, edge, with: index, at: time, hand: hand, &outcomes)
    }
    return outcomes
  }

  private mutating func respond(
    to gesture: MIDIGesture, _ edge: PressDetector.Edge?, with index: Int,
    at time: MonotonicTime, hand: UInt64, _ outcomes: inout [Outcome]
  ) {
    switch responses[index] {
    case .tap:
      if edge == .pressed { add(.tap(at: time, series: hand), hand, &outcomes) }
    case .press(let command):
      if edge == .pressed { add(command, hand, &outcomes) }
    case .hold(let pressed, let released):
      if let edge { add(edge == .pressed ? pressed : released, hand, &outcomes) }
    case .value:
      let action = mapping.rules[index].action
      if case .controller = gesture, action.isContinuous {
        settings.removeAll { $0.rule == index }
        settings.append((index, gesture.value, hand))
      } else if edge == .pressed || (edge == .released && action.isHeld),
        let command = command(
          action, gesture.value, gesture.counted, isPressed: edge == .pressed)
      {
        add(command, hand, &outcomes)
      }
    }
  }

  /// The continuous values of this turn.
  public mutating func endTurn() -> [Outcome] {
    let outcomes = settings.compactMap { setting in
      command(mapping.rules[setting.rule].action, setting.value, setting.value).map {
        Outcome.command($0, hand: setting.hand)
      }
    }
    settings = []
    commandsThisTurn = 0
    return outcomes
  }

  private mutating func add(
    _ command: ControlCommand, _ hand: UInt64, _ outcomes: inout [Outcome]
  ) {
    // Stop, panic and mute must get through any storm.
    switch command {
    case .stop, .panic, .mute: break
    default: guard commandsThisTurn < MIDIControl.mostCommands else { return }
    }
    commandsThisTurn += 1
    outcomes.append(.command(command, hand: hand))
  }
}

extension SequencerEvent {
  /// What was played, for the mapping; nil for a clock and for what nobody maps.
  var gesture: MIDIGesture? {
    switch kind {
    case .noteOn(let channel, let note, let velocity):
      .note(Int(note), velocity: Int(velocity), channel: Int(channel) + 1)
    case .noteOff(let channel, let note): .noteOff(Int(note), channel: Int(channel) + 1)
    case .controller(let channel, let number, let value):
      .controller(Int(number), value: Int(value), channel: Int(channel) + 1)
    case .program(let channel, let number): .program(Int(number), channel: Int(channel) + 1)
    case .start: .start
    case .resume: .resume
    case .stop: .stop
    default: nil
    }
  }
}
