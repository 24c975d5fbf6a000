internal import OSCProtocol
public import OSCWire

/// Where something lies, in pixels of a screen of 1024 by 768, from the corner of its page.
///
/// - Thread: any
public struct LayoutFrame: Equatable, Sendable {
  public var x: Int
  public var y: Int
  public var width: Int
  public var height: Int

  public init(_ x: Int, _ y: Int, _ width: Int, _ height: Int) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  public func overlaps(_ other: LayoutFrame) -> Bool {
    x < other.x + other.width && other.x < x + width && y < other.y + other.height
      && other.y < y + height
  }

  public func contains(_ other: LayoutFrame) -> Bool {
    other.x >= x && other.y >= y && other.x + other.width <= x + width
      && other.y + other.height <= y + height
  }

  /// Equal cells side by side and below each other.
  func cells(_ count: Int, columns: Int, gap: Int = 8) -> [LayoutFrame] {
    guard count > 0, columns > 0 else { return [] }
    let rows = (count + columns - 1) / columns
    let cellWidth = (width - gap * (columns - 1)) / columns
    let cellHeight = (height - gap * (rows - 1)) / rows
    return (0..<count).map { index in
      LayoutFrame(
        x + index % columns * (cellWidth + gap), y + index / columns * (cellHeight + gap),
        cellWidth, cellHeight)
    }
  }
}

/// What a colour stands for.
///
/// - Thread: any
public enum LayoutColour: Sendable, CaseIterable {
  case start, stop, tap, tempo, practice, pattern, mute, level, preset, quiet

  /// Red, green, blue, 0 to 255.
  public var components: (red: Int, green: Int, blue: Int) {
    switch self {
    case .start: (46, 160, 84)
    case .stop: (196, 58, 58)
    case .tap: (224, 148, 40)
    case .tempo: (52, 120, 200)
    case .practice: (128, 88, 196)
    case .pattern: (32, 148, 148)
    case .mute: (180, 88, 44)
    case .level: (72, 136, 72)
    case .preset: (150, 110, 60)
    case .quiet: (84, 90, 100)
    }
  }
}

/// A message that a control sends; its address stands in the table.
///
/// - Thread: any
public struct LayoutMessage: Equatable, Sendable {
  /// Below `/tactus/`.
  public var path: String
  public var arguments: [OSCValue]

  public init(_ path: String, _ arguments: [OSCValue] = []) {
    self.path = path
    self.arguments = arguments
  }

  public var address: String { OSCAddressTable.prefix + path }
  public var message: OSCMessage { OSCMessage(address, arguments) }
}

/// What a press does.
///
/// - Thread: any
public enum LayoutAction: Equatable, Sendable {
  case send(LayoutMessage)
  /// Sent when pressed, and again while held: after 400 ms, then ten times a second.
  case repeated(LayoutMessage)
  /// 1 when pressed, 0 when let go.
  case held(path: String)
  /// Moves a number that lives in the layout; repeats while held.
  case step(number: String, by: Double)
  /// Sets a number that lives in the layout.
  case set(number: String, to: Double)
  /// Sends the layout's numbers as arguments.
  case sendNumbers(path: String, numbers: [String])
  /// Changes the accent of a beat, counted from 1, and sends the whole pattern.
  case cycleBeat(Int)
  /// Loads the preset of a slot, counted from 1, of the page of presets shown.
  case loadSlot(Int)
  /// Shows an earlier or later page of presets.
  case turnPresets(by: Int)
}

/// One of several values of an address.
///
/// - Thread: any
public struct LayoutChoice: Equatable, Sendable {
  public struct Option: Equatable, Sendable {
    public var text: String
    public var value: OSCValue
  }
  public var path: String
  public var options: [Option]
  public var columns: Int
}

/// Something to touch or to look at.
///
/// - Thread: any
public struct LayoutControl: Equatable, Sendable {
  public enum Kind: Equatable, Sendable {
    case caption
    /// Shows an argument (counted from 0) of what comes from an address.
    case readout(path: String, argument: Int, LayoutReadoutStyle)
    /// A number that lives in the layout.
    case number(range: ClosedRange<Double>, initial: Double)
    case button(LayoutAction)
    case toggle(path: String)
    case choice(LayoutChoice)
    case fader(path: String, range: ClosedRange<Double>, isHorizontal: Bool)
    /// A bar that follows an argument from 0 to 1.
    case progress(path: String, argument: Int)
    /// Lights on a beat, counted from 1.
    case lamp(Int)
  }

  /// Unique within a layout: letters, digits and underscores.
  public var id: String
  public var text: String
  public var frame: LayoutFrame
  public var colour: LayoutColour
  /// Pixels.
  public var textSize: Int
  public var kind: Kind

  /// What a finger must be able to hit; a choice has one for each value.
  public var targets: [LayoutFrame] {
    switch kind {
    case .button, .toggle, .fader: [frame]
    case .choice(let choice): frame.cells(choice.options.count, columns: choice.columns)
    case .caption, .readout, .number, .progress, .lamp: []
    }
  }
}

/// How a received value is written.
///
/// - Thread: any
public enum LayoutReadoutStyle: Equatable, Sendable {
  case text
  /// As short as it can be, with a unit behind it.
  case number(unit: String)
  /// Seconds as minutes and seconds.
  case clock
}
