/// Which pedal, pad, knob or key does what: a table of triggers and actions.
///
/// A rule can be written as two texts: `note 36`, `cc 64 channel 10`, `program *`, `start`,
/// `key 109` on the left; on the right `tap`, or a command as it is written in OSC without the
/// leading `/tactus/`, such as `preset/next` or `mute toggle`.
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

    public var text: String { "\(trigger.text): \(action.text)" }
  }

  public var rules: [Rule]

  public init(rules: [Rule] = MIDIMapping.standard) { self.rules = rules }

  public static let mostRules = 256

  /// Transport messages act as such, and a sustain pedal taps.
  public static let standard: [Rule] = [
    Rule(trigger: .start, action: MIDIAction(command: "start")),
    Rule(trigger: .resume, action: MIDIAction(command: "continue")),
    Rule(trigger: .stop, action: MIDIAction(command: "stop")),
    Rule(trigger: .controller(64, channel: nil), action: .tap),
  ]

  /// Which rules a gesture answers to, by their places in the table.
  ///
  /// A rule for one channel, device or program stands above one for any: a sustain pedal that was
  /// bound to `toggle` does not tap as well.
  public func matches(_ gesture: MIDIGesture) -> [Int] {
    let matching = rules.indices.filter { rules[$0].trigger.matches(gesture) }
    let highest = matching.map { rules[$0].trigger.exactness }.max()
    return matching.filter { rules[$0].trigger.exactness == highest }
  }

  /// Binds a trigger to an action, in place of what it was bound to.
  public mutating func learn(_ rule: Rule) {
    rules.removeAll { $0.trigger == rule.trigger }
    rules.append(rule)
  }

  /// This table with rules laid over it, each in place of what its trigger was bound to.
  public func with(_ learned: [Rule]) -> MIDIMapping {
    var mapping = self
    for rule in learned { mapping.learn(rule) }
    return mapping
  }
}
