internal import OSCWire

/// A page of controls behind a tab.
///
/// - Thread: any
public struct LayoutPage: Equatable, Sendable {
  public var id: String
  public var title: String
  public var colour: LayoutColour
  public var controls: [LayoutControl]
}

/// Everything on a tablet: a strip that always shows, and pages behind tabs.
///
/// - Thread: any
public struct LayoutSurface: Equatable, Sendable {
  /// The smallest target of a thumb while the other hand holds an instrument: 9 mm on a tablet of
  /// 1024 by 768 with a diagonal of 24.6 cm are 48 pixels.
  public static let minimumTarget = 48
  public static let frame = LayoutFrame(0, 0, 1024, 768)
  /// The pages with their tabs.
  public static let pagerFrame = LayoutFrame(0, 80, 1024, 484)
  public static let tabHeight = 60
  /// The room on a page.
  public static let pageFrame = LayoutFrame(
    0, 0, pagerFrame.width, pagerFrame.height - tabHeight)
  public static let lampCount = 12
  public static let slotCount = 12
  /// Milliseconds until a held button repeats, and between the repeats.
  public static let repeatDelay = 400
  public static let repeatInterval = 100

  public var strip: [LayoutControl]
  public var pages: [LayoutPage]

  public var controls: [LayoutControl] { strip + pages.flatMap(\.controls) }

  /// The one surface.
  public static let tactus = LayoutSurface(
    strip: stripControls,
    pages: [
      LayoutPage(id: "page_tempo", title: "TEMPO", colour: .tempo, controls: tempoControls),
      LayoutPage(
        id: "page_trainer", title: "TRAINER", colour: .practice, controls: trainerControls),
      LayoutPage(id: "page_meter", title: "METER", colour: .pattern, controls: meterControls),
      LayoutPage(id: "page_practice", title: "PRACTICE", colour: .mute, controls: muteControls),
      LayoutPage(id: "page_mixer", title: "MIXER", colour: .level, controls: mixerControls),
      LayoutPage(id: "page_presets", title: "PRESETS", colour: .preset, controls: presetControls),
    ])

  /// A message with the lowest and the highest value of everything that a control can send.
  public func messages(of control: LayoutControl) -> [LayoutMessage] {
    switch control.kind {
    case .caption, .readout, .number, .progress, .lamp:
      []
    case .toggle(let path):
      [LayoutMessage(path, [.int32(0)]), LayoutMessage(path, [.int32(1)])]
    case .choice(let choice):
      choice.options.map { LayoutMessage(choice.path, [$0.value]) }
    case .fader(let path, let range, _):
      [range.lowerBound, range.upperBound].map { LayoutMessage(path, [.float(Float($0))]) }
    case .button(let action):
      messages(of: action)
    }
  }

  private func messages(of action: LayoutAction) -> [LayoutMessage] {
    switch action {
    case .send(let message), .repeated(let message):
      return [message]
    case .held(let path):
      return [LayoutMessage(path, [.float(1)]), LayoutMessage(path, [.float(0)])]
    case .sendNumbers(let path, let numbers):
      return [LayoutMessage(path, numbers.map { .float(Float(initial(of: $0))) })]
    case .cycleBeat:
      return [LayoutMessage("pattern", [.string("X..x")])]
    case .loadSlot:
      return [LayoutMessage("preset", [.string("practice")])]
    case .step, .set, .turnPresets:
      return []
    }
  }

  /// What the layout itself sends: at load, to stay subscribed, and to know the daemon's clock.
  public static func service(receivePort: Int?) -> [LayoutMessage] {
    let port: [OSCValue] = receivePort.map { [.int32(Int32(clamping: $0))] } ?? []
    return [
      LayoutMessage("subscribe", port + [.string("state"), .string("beat")]),
      LayoutMessage("preset/list"), LayoutMessage("ping"),
      LayoutMessage("sync", [.int32(1), .double(0)]),
    ]
  }

  /// What the controls show, with how many arguments of it.
  public var received: [(path: String, arguments: Int)] {
    controls.flatMap { control -> [(path: String, arguments: Int)] in
      switch control.kind {
      case .readout(let path, let argument, _), .progress(let path, let argument):
        [(path: path, arguments: argument + 1)]
      case .toggle(let path), .fader(let path, _, _): [(path: path, arguments: 1)]
      case .choice(let choice): [(path: choice.path, arguments: 1)]
      case .lamp: [(path: "beat", arguments: 9)]
      case .caption, .number, .button: []
      }
    }
  }

  func number(_ id: String) -> (range: ClosedRange<Double>, initial: Double) {
    for control in controls where control.id == id {
      if case .number(let range, let initial) = control.kind {
        return (range: range, initial: initial)
      }
    }
    return (range: 0...0, initial: 0)
  }

  private func initial(of id: String) -> Double { number(id).initial }
}
