internal import OSCWire

/// The surface as a session of Open Stage Control, version 1.
///
/// Places are per cent of the screen, so that any tablet is filled.
///
/// - Thread: any
public enum OpenStageControlLayout {
  /// The text of a session file.
  public static func file(_ surface: LayoutSurface = .tactus) -> String {
    let content: OSCWidget = [
      "type": .text("root"), "id": .text("root"), "padding": .number(0),
      "innerPadding": .flag(false), "scroll": .flag(false), "colorBg": .text("#101012"),
      "hideMenu": .flag(false),
      "onCreate": .text(OpenStageControlScripts.root),
      "widgets": .widgets(
        surface.strip.flatMap { widgets($0, in: LayoutSurface.frame) } + [tabs(surface)]
          + [pages(surface)] + OpenStageControlScripts.receivers(surface)),
      "tabs": .widgets([]),
    ]
    let session: OSCWidget = [
      "createdWith": .text("Open Stage Control"), "version": .text("1.25.0"),
      "type": .text("session"), "content": .widget(content),
    ]
    return session.json(indent: "") + "\n"
  }

  private static let tabsFrame = LayoutFrame(
    LayoutSurface.pagerFrame.x, LayoutSurface.pagerFrame.y, LayoutSurface.pagerFrame.width,
    LayoutSurface.tabHeight)

  /// Tabs as a row of our own: those of a panel are too low for a thumb.
  private static func tabs(_ surface: LayoutSurface) -> OSCWidget {
    var widget = base("switch", "tabs", tabsFrame, in: LayoutSurface.frame, .quiet)
    widget["layout"] = .text("horizontal")
    widget["values"] = .choices(
      surface.pages.enumerated().map { (text: $0.element.title, value: "\($0.offset)") })
    widget["default"] = .number(0)
    widget["bypass"] = .flag(true)
    widget["onValue"] = .text("set('pages', value, {send: false})")
    return widget
  }

  private static func pages(_ surface: LayoutSurface) -> OSCWidget {
    let frame = LayoutFrame(
      tabsFrame.x, tabsFrame.y + tabsFrame.height, LayoutSurface.pageFrame.width,
      LayoutSurface.pageFrame.height)
    var panel = base("panel", "pages", frame, in: LayoutSurface.frame, .quiet)
    panel["bypass"] = .flag(true)
    panel["tabsPosition"] = .text("hidden")
    panel["padding"] = .number(0)
    panel["innerPadding"] = .flag(false)
    panel["scroll"] = .flag(false)
    panel["widgets"] = .widgets([])
    panel["tabs"] = .widgets(
      surface.pages.map { page in
        [
          "type": .text("tab"), "id": .text(page.id), "label": .text(page.title),
          "padding": .number(0), "innerPadding": .flag(false), "scroll": .flag(false),
          "bypass": .flag(true),
          "widgets": .widgets(
            page.controls.flatMap { widgets($0, in: LayoutSurface.pageFrame) }),
          "tabs": .widgets([]),
        ]
      })
    return panel
  }

  private static func base(
    _ type: String, _ id: String, _ frame: LayoutFrame, in room: LayoutFrame,
    _ colour: LayoutColour
  ) -> OSCWidget {
    let parts = colour.components
    return [
      "type": .text(type), "id": .text(id), "left": .share(frame.x, of: room.width),
      "top": .share(frame.y, of: room.height), "width": .share(frame.width, of: room.width),
      "height": .share(frame.height, of: room.height),
      "colorWidget": .text("rgb(\(parts.red),\(parts.green),\(parts.blue))"),
    ]
  }

  private static func widgets(_ control: LayoutControl, in room: LayoutFrame) -> [OSCWidget] {
    func widget(_ type: String) -> OSCWidget {
      var widget = base(type, control.id, control.frame, in: room, control.colour)
      widget["css"] = .text("font-size: \(control.textSize)rem;")
      return widget
    }
    func silent(_ type: String) -> OSCWidget {
      var widget = widget(type)
      widget["bypass"] = .flag(true)
      return widget
    }
    switch control.kind {
    case .caption:
      var text = silent("text")
      text["default"] = .text(control.text)
      return [text]
    case .readout:
      return [silent("text")]
    case .number(_, let initial):
      var text = silent("text")
      text["default"] = .number(initial)
      return [text]
    case .lamp:
      return [silent("led")]
    case .progress:
      var bar = fader(silent("fader"), 0...1, isHorizontal: true)
      bar["interaction"] = .flag(false)
      return [bar]
    case .fader(let path, let range, let isHorizontal):
      var fader = fader(widget("fader"), range, isHorizontal: isHorizontal)
      fader["address"] = .text(LayoutMessage(path).address)
      // Whole beats a minute; positions finer than a pixel elsewhere.
      fader["decimals"] = .number(path == "tempo" ? 0 : 3)
      fader["typeTags"] = .text("f")
      return [fader]
    case .toggle(let path):
      var button = widget("button")
      button["label"] = .text(control.text)
      button["mode"] = .text("toggle")
      button["address"] = .text(LayoutMessage(path).address)
      button["typeTags"] = .text("i")
      return [button]
    case .choice(let choice):
      var row = widget("switch")
      row["layout"] = .text("grid")
      row["gridTemplate"] = .number(Double(choice.columns))
      row["address"] = .text(LayoutMessage(choice.path).address)
      row["typeTags"] = .text(choice.options.first.map { String($0.value.tag) } ?? "")
      row["values"] = .choices(
        choice.options.map { (text: $0.text, value: LayoutText.literal($0.value)) })
      return [row]
    case .button(let action):
      var button = widget("button")
      button["label"] = .text(control.text)
      return press(button, action)
    }
  }

  private static func fader(
    _ widget: OSCWidget, _ range: ClosedRange<Double>, isHorizontal: Bool
  ) -> OSCWidget {
    var widget = widget
    widget["design"] = .text("compact")
    widget["horizontal"] = .flag(isHorizontal)
    widget["range"] = .widget([
      "min": .number(range.lowerBound), "max": .number(range.upperBound),
    ])
    return widget
  }

  private static func press(_ widget: OSCWidget, _ action: LayoutAction) -> [OSCWidget] {
    var button = widget
    switch action {
    case .send(let message):
      button["mode"] = .text("momentary")
      button["address"] = .text(message.address)
      if !message.arguments.isEmpty {
        button["preArgs"] = .list(message.arguments.map(LayoutText.literal))
        button["typeTags"] = .text(String(message.arguments.map(\.tag)))
      }
    case .held(let path):
      button["mode"] = .text("push")
      button["address"] = .text(LayoutMessage(path).address)
      button["typeTags"] = .text("i")
    case .repeated, .step:
      button["mode"] = .text("push")
      button["bypass"] = .flag(true)
      button["onValue"] = .text(OpenStageControlScripts.button(action))
    case .set, .sendNumbers, .turnPresets:
      button["mode"] = .text("tap")
      button["bypass"] = .flag(true)
      button["onValue"] = .text(OpenStageControlScripts.button(action))
    case .cycleBeat(let beat):
      return named(button, "beat_text_\(beat)", action)
    case .loadSlot(let slot):
      return named(button, "slot_text_\(slot)", action)
    }
    return [button]
  }

  /// A button whose label is the value of a variable.
  private static func named(
    _ widget: OSCWidget, _ variable: String, _ action: LayoutAction
  ) -> [OSCWidget] {
    var button = widget
    button["label"] = .text("@{\(variable)}")
    button["wrap"] = .text("soft")
    button["mode"] = .text("tap")
    button["bypass"] = .flag(true)
    button["onValue"] = .text(OpenStageControlScripts.button(action))
    return [
      button,
      [
        "type": .text("variable"), "id": .text(variable), "bypass": .flag(true),
        "default": .text(" "),
      ],
    ]
  }
}
