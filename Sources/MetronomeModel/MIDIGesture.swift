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
  /// A key of a pedal or a keyboard, by its Linux key code, with its device's name.
  case key(Int, isPressed: Bool, device: String)

  /// The trigger that would answer this gesture.
  public var trigger: MIDITrigger {
    switch self {
    case .note(let number, _, let channel), .noteOff(let number, let channel):
      .note(number, channel: channel)
    case .controller(let number, _, let channel): .controller(number, channel: channel)
    case .program(let number, let channel): .program(number, channel: channel)
    case .start: .start
    case .resume: .resume
    case .stop: .stop
    case .key(let code, _, _): .key(code, device: nil)
    }
  }

  /// 0 to 127.
  public var value: Int {
    switch self {
    case .note(_, let velocity, _): velocity
    case .controller(_, let value, _): value
    case .program(let number, _): number
    case .noteOff: 0
    case .start, .resume, .stop, .key: 127
    }
  }

  /// As people count it.
  public var counted: Int {
    if case .program(let number, _) = self { return number + 1 }
    return value
  }
}

/// Presses of everything that is played: a controller presses once for each rise to 64 or more,
/// and is let go under 48.
///
/// - Thread: control
public struct PressDetector: Sendable {
  public enum Edge: Sendable { case pressed, released }

  static let pressedFrom = 64
  static let releasedUnder = 48
  /// Controllers that are down at once at the most.
  static let capacity = 4096

  private struct Controller: Hashable, Sendable {
    var hand: UInt64
    var number: Int
    var channel: Int
  }

  private var down: Set<Controller> = []

  public init() {}

  /// What a gesture of a hand is; nil where it is neither.
  public mutating func edge(of gesture: MIDIGesture, hand: UInt64) -> Edge? {
    switch gesture {
    case .note, .program, .start, .resume, .stop: return .pressed
    case .noteOff: return .released
    case .key(_, let isPressed, _): return isPressed ? .pressed : .released
    case .controller(let number, let value, let channel):
      let controller = Controller(hand: hand, number: number, channel: channel)
      if value >= PressDetector.pressedFrom {
        if down.count >= PressDetector.capacity { down = [] }
        return down.insert(controller).inserted ? .pressed : nil
      }
      guard value < PressDetector.releasedUnder else { return nil }
      return down.remove(controller) != nil ? .released : nil
    }
  }
}
