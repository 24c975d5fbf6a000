public import MetronomeModel
public import MusicalTime

/// Turns what is played on pedals, pads and knobs into commands, by the mapping's table.
///
/// A value: time is an argument, and reading command texts is left to whoever knows them.
///
/// - Thread: control
public struct MIDIControl {
  public enum Outcome: Equatable, Sendable {
    case command(ControlCommand)
    /// A trigger was bound in learn mode.
    case learned(MIDIMapping.Rule)
  }

  /// Reads a command as it is written in OSC, without the leading `/tactus/`.
  public typealias CommandReader = (String) -> ControlCommand?

  public private(set) var mapping = MIDIMapping()
  private let read: CommandReader
  private var learning: MIDIAction?
  // Continuous values of one turn: the last one counts.
  private var settings: [(key: Substring, text: String)] = []
  private var commandsThisTurn = 0

  /// Commands of one turn: what a hand can do in a tenth of a second is far less.
  static let mostCommands = 64

  public init(read: @escaping CommandReader) { self.read = read }

  /// Takes a mapping in place of the one in force.
  ///
  /// - Throws: the first rule whose command nobody understands; the old mapping stays.
  public mutating func use(_ mapping: MIDIMapping) throws(MIDIMappingError) {
    for rule in mapping.rules { try check(rule.action) }
    self.mapping = mapping
  }

  /// Binds the next thing that is played to an action.
  ///
  /// - Throws: where the action's command is not understood.
  public mutating func learn(_ action: MIDIAction) throws(MIDIMappingError) {
    try check(action)
    learning = action
  }

  public mutating func cancelLearning() { learning = nil }
  public var isLearning: Bool { learning != nil }

  private func check(_ action: MIDIAction) throws(MIDIMappingError) {
    if let sample = action.sample, read(sample) == nil {
      throw MIDIMappingError(
        text: action.text, reason: "there is no command '\(sample)', or not with such a value")
    }
  }

  /// Takes in one gesture; continuous values come out with `endTurn`.
  ///
  /// - Parameter series: tells apart who taps.
  public mutating func take(
    _ gesture: MIDIGesture, at time: MonotonicTime, series: UInt64
  ) -> [Outcome] {
    if let action = learning {
      guard let trigger = gesture.trigger else { return [] }
      learning = nil
      mapping.learn(trigger, action)
      return [.learned(MIDIMapping.Rule(trigger: trigger, action: action))]
    }
    var outcomes: [Outcome] = []
    for demand in mapping.demands(of: gesture) {
      switch demand {
      case .tap: add(.tap(at: time, series: series), &outcomes)
      case .command(let text):
        if let command = read(text) { add(command, &outcomes) }
      case .setting(let text):
        let key = text[..<(text.lastIndex(of: " ") ?? text.endIndex)]
        settings.removeAll { $0.key == key }
        settings.append((key, text))
      }
    }
    return outcomes
  }

  /// The continuous values of this turn.
  public mutating func endTurn() -> [Outcome] {
    let outcomes = settings.compactMap { read($0.text).map(Outcome.command) }
    settings = []
    commandsThisTurn = 0
    return outcomes
  }

  private mutating func add(_ command: ControlCommand, _ outcomes: inout [Outcome]) {
    // Stop, panic and mute must get through any storm.
    switch command {
    case .stop, .panic, .mute: break
    default: guard commandsThisTurn < MIDIControl.mostCommands else { return }
    }
    commandsThisTurn += 1
    outcomes.append(.command(command))
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
