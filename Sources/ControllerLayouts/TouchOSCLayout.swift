internal import OSCWire

/// The surface as a document of TouchOSC (the second one, of 2021 and later).
///
/// - Thread: any
public enum TouchOSCLayout {
  /// The port on which TouchOSC listens unless it is told otherwise.
  public static let defaultReceivePort = 9_000

  /// The bytes of a `.tosc` file.
  ///
  /// - Parameter receivePort: where TouchOSC listens; it sends from another port.
  public static func file(
    _ surface: LayoutSurface = .tactus, receivePort: Int = defaultReceivePort
  ) -> [UInt8] {
    ZlibStored.stream(Array(xml(surface, receivePort: receivePort).utf8))
  }

  static func xml(_ surface: LayoutSurface, receivePort: Int) -> String {
    let pages = surface.pages.map { page in
      group(
        page.id,
        LayoutFrame(
          0, LayoutSurface.tabHeight, LayoutSurface.pageFrame.width,
          LayoutSurface.pageFrame.height), page.controls.flatMap(nodes),
        [
          "tabLabel": .text(page.title), "tabColorOff": .colour(colour(page.colour, 0.45)),
          "tabColorOn": .colour(colour(page.colour, 1)), "textColorOff": .colour(white),
          "textColorOn": .colour(white),
        ])
    }
    var pager = LexmlNode(
      type: "PAGER", name: "pages", properties: common(LayoutSurface.pagerFrame, black),
      values: [(name: "page", first: "0"), (name: "touch", first: "false")], children: pages)
    for (key, property) in [
      "grabFocus": .flag(false), "outline": .flag(false), "tabLabels": .flag(true),
      "tabbar": .flag(true), "tabbarDoubleTap": .flag(false),
      "tabbarSize": .integer(LayoutSurface.tabHeight), "textSizeOff": .integer(22),
      "textSizeOn": .integer(22),
    ] as [String: LexmlNode.Property] {
      pager.properties[key] = property
    }
    return group(
      "tactus", LayoutSurface.frame, surface.strip.flatMap(nodes) + [pager],
      ["script": .text(TouchOSCScripts.root(surface, receivePort: receivePort))]
    ).document
  }

  private static let black: [Double] = [0.06, 0.06, 0.07, 1]
  private static let white: [Double] = [1, 1, 1, 1]

  /// - Parameter strength: 1 is the colour itself, less is darker.
  static func colour(_ colour: LayoutColour, _ strength: Double) -> [Double] {
    let parts = colour.components
    // Thousandths are finer than any screen.
    return [parts.red, parts.green, parts.blue].map {
      (Double($0) / 255 * strength * 1000).rounded() / 1000
    } + [1]
  }

  private static func common(
    _ frame: LayoutFrame, _ colour: [Double]
  ) -> [String: LexmlNode.Property] {
    [
      "background": .flag(true), "color": .colour(colour), "cornerRadius": .number(6),
      "frame": .frame(frame), "grabFocus": .flag(true), "interactive": .flag(true),
      "locked": .flag(false), "orientation": .integer(0), "outline": .flag(true),
      "outlineStyle": .integer(1), "pointerPriority": .integer(0), "shape": .integer(1),
      "visible": .flag(true),
    ]
  }

  private static func group(
    _ name: String, _ frame: LayoutFrame, _ children: [LexmlNode],
    _ extra: [String: LexmlNode.Property]
  ) -> LexmlNode {
    var properties = common(frame, black)
    properties["interactive"] = .flag(false)
    properties["grabFocus"] = .flag(false)
    properties["outline"] = .flag(false)
    properties["cornerRadius"] = .number(0)
    return LexmlNode(
      type: "GROUP", name: name, properties: properties.merging(extra) { $1 },
      values: [(name: "touch", first: "false")], children: children)
  }

  /// A control and what is written on it.
  private static func nodes(_ control: LayoutControl) -> [LexmlNode] {
    switch control.kind {
    case .caption:
      return [label(control.id, control.text, control, isFilled: false)]
    case .readout:
      return [label(control.id, "", control, isFilled: true)]
    case .number(_, let initial):
      return [label(control.id, LayoutText.number(initial), control, isFilled: true)]
    case .lamp:
      var box = LexmlNode(
        type: "BOX", name: control.id,
        properties: common(control.frame, colour(control.colour, 0.2)),
        values: [(name: "touch", first: "false")])
      box.properties["interactive"] = .flag(false)
      return [box, label("\(control.id)_text", control.text, control, isFilled: false)]
    case .progress:
      var bar = fader(control, isHorizontal: true)
      bar.properties["interactive"] = .flag(false)
      bar.properties["cursor"] = .flag(false)
      return [bar]
    case .fader(let path, let range, let isHorizontal):
      var node = fader(control, isHorizontal: isHorizontal)
      if path == "tempo" {
        // Its value comes with a unit, so that its script sends and the root's script receives.
        node.properties["script"] = .text(TouchOSCScripts.tempoFader(range))
      } else {
        node.messages = [
          LexmlNode.Message(
            path: LayoutMessage(path).address,
            arguments: [.value("x", conversion: "FLOAT", range)], condition: "ANY",
            receives: true)
        ]
      }
      return [node]
    case .toggle(let path):
      var node = button(control.id, control.frame, control.colour)
      node.properties["buttonType"] = .integer(2)
      node.messages = [
        LexmlNode.Message(
          path: LayoutMessage(path).address,
          arguments: [.value("x", conversion: "FLOAT", 0...1)], condition: "ANY", receives: true)
      ]
      return [node, label("\(control.id)_text", control.text, control, isFilled: false)]
    case .button(let action):
      return [
        press(button(control.id, control.frame, control.colour), action),
        label("\(control.id)_text", control.text, control, isFilled: false),
      ]
    case .choice(let choice):
      let cells = control.frame.cells(choice.options.count, columns: choice.columns)
      return zip(choice.options, cells).enumerated().flatMap { index, pair -> [LexmlNode] in
        let (option, frame) = pair
        let id = "\(control.id)_\(index + 1)"
        var cell = control
        cell.frame = frame
        return [
          press(
            button(id, frame, control.colour),
            .send(LayoutMessage(choice.path, [option.value]))),
          label("\(id)_text", option.text, cell, isFilled: false),
        ]
      }
    }
  }

  private static func button(
    _ name: String, _ frame: LayoutFrame, _ fill: LayoutColour
  ) -> LexmlNode {
    var properties = common(frame, colour(fill, 0.55))
    properties["buttonType"] = .integer(0)
    properties["press"] = .flag(true)
    properties["release"] = .flag(true)
    properties["valuePosition"] = .flag(false)
    return LexmlNode(
      type: "BUTTON", name: name, properties: properties,
      values: [(name: "x", first: "0"), (name: "touch", first: "false")])
  }

  private static func press(_ node: LexmlNode, _ action: LayoutAction) -> LexmlNode {
    var node = node
    switch action {
    case .send(let message):
      node.messages = [
        LexmlNode.Message(
          path: message.address,
          arguments: message.arguments.map {
            .constant(LayoutText.plain($0), conversion: conversion($0))
          }, condition: "RISE", receives: false)
      ]
    case .held(let path):
      node.messages = [
        LexmlNode.Message(
          path: LayoutMessage(path).address,
          arguments: [.value("x", conversion: "FLOAT", 0...1)], condition: "ANY", receives: false)
      ]
    case .repeated, .step, .set, .sendNumbers, .cycleBeat, .loadSlot, .turnPresets:
      node.properties["script"] = .text(TouchOSCScripts.button(action))
    }
    return node
  }

  private static func conversion(_ value: OSCValue) -> String {
    switch value {
    case .int32, .int64: "INTEGER"
    case .float, .double: "FLOAT"
    default: "STRING"
    }
  }

  private static func fader(_ control: LayoutControl, isHorizontal: Bool) -> LexmlNode {
    var properties = common(control.frame, colour(control.colour, 0.8))
    for (key, property) in [
      "bar": .flag(true), "barDisplay": .integer(0), "cursor": .flag(true),
      "cursorDisplay": .integer(0), "grid": .flag(false), "gridColor": .colour([0, 0, 0, 0.25]),
      // EAST grows to the right, NORTH upwards.
      "gridSteps": .integer(10), "orientation": .integer(isHorizontal ? 1 : 0),
      // A finger moves the value from where it is: no jump when it lands.
      "response": .integer(1), "responseFactor": .integer(100),
    ] as [String: LexmlNode.Property] {
      properties[key] = property
    }
    return LexmlNode(
      type: "FADER", name: control.id, properties: properties,
      values: [(name: "x", first: "0"), (name: "touch", first: "false")])
  }

  private static func label(
    _ name: String, _ text: String, _ control: LayoutControl, isFilled: Bool
  ) -> LexmlNode {
    var properties = common(control.frame, colour(control.colour, 0.35))
    for (key, property) in [
      "background": .flag(isFilled), "font": .integer(0), "grabFocus": .flag(false),
      "interactive": .flag(false), "outline": .flag(false), "textAlignH": .integer(2),
      "textAlignV": .integer(2), "textClip": .flag(true), "textColor": .colour(white),
      "textLength": .integer(0), "textSize": .integer(control.textSize),
    ] as [String: LexmlNode.Property] {
      properties[key] = property
    }
    return LexmlNode(
      type: "LABEL", name: name, properties: properties,
      values: [(name: "text", first: text), (name: "touch", first: "false")])
  }
}
