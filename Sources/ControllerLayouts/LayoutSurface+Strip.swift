internal import OSCWire

extension LayoutSurface {
  static func button(
    _ id: String, _ text: String, _ frame: LayoutFrame, _ colour: LayoutColour, size: Int = 24,
    _ action: LayoutAction
  ) -> LayoutControl {
    LayoutControl(
      id: id, text: text, frame: frame, colour: colour, textSize: size, kind: .button(action))
  }

  static func send(
    _ id: String, _ text: String, _ frame: LayoutFrame, _ colour: LayoutColour, size: Int = 24,
    _ path: String, _ arguments: [OSCValue] = []
  ) -> LayoutControl {
    button(id, text, frame, colour, size: size, .send(LayoutMessage(path, arguments)))
  }

  static func toggle(
    _ id: String, _ text: String, _ frame: LayoutFrame, _ colour: LayoutColour, size: Int = 22,
    _ path: String
  ) -> LayoutControl {
    LayoutControl(
      id: id, text: text, frame: frame, colour: colour, textSize: size, kind: .toggle(path: path))
  }

  static func caption(_ id: String, _ text: String, _ frame: LayoutFrame, size: Int = 18)
    -> LayoutControl
  {
    LayoutControl(
      id: id, text: text, frame: frame, colour: .quiet, textSize: size, kind: .caption)
  }

  static func readout(
    _ id: String, _ frame: LayoutFrame, size: Int = 24, _ path: String, argument: Int = 0,
    _ style: LayoutReadoutStyle = .text
  ) -> LayoutControl {
    LayoutControl(
      id: id, text: "", frame: frame, colour: .quiet, textSize: size,
      kind: .readout(path: path, argument: argument, style))
  }

  static func choice(
    _ id: String, _ frame: LayoutFrame, _ colour: LayoutColour, columns: Int? = nil,
    size: Int = 22, _ path: String, _ options: [(String, OSCValue)]
  ) -> LayoutControl {
    LayoutControl(
      id: id, text: "", frame: frame, colour: colour, textSize: size,
      kind: .choice(
        LayoutChoice(
          path: path, options: options.map { LayoutChoice.Option(text: $0.0, value: $0.1) },
          columns: columns ?? options.count)))
  }

  static func fader(
    _ id: String, _ frame: LayoutFrame, _ colour: LayoutColour, _ path: String,
    within: ClosedRange<Double>? = nil, isHorizontal: Bool
  ) -> LayoutControl {
    let legal = LayoutRange.of(path)
    return LayoutControl(
      id: id, text: "", frame: frame, colour: colour, textSize: 18,
      kind: .fader(
        path: path, range: within?.clamped(to: legal) ?? legal, isHorizontal: isHorizontal))
  }

  static func row(_ y: Int, _ height: Int, _ count: Int) -> [LayoutFrame] {
    LayoutFrame(8, y, 1008, height).cells(count, columns: count)
  }

  static let stripControls: [LayoutControl] =
    LayoutFrame(8, 8, 716, 64).cells(lampCount, columns: lampCount, gap: 4).enumerated().map {
      LayoutControl(
        id: "lamp_\($0.offset + 1)", text: "\($0.offset + 1)", frame: $0.element, colour: .tap,
        textSize: 20, kind: .lamp($0.offset + 1))
    } + [
      readout("tempo_value", LayoutFrame(732, 8, 164, 64), size: 44, "tempo", .number(unit: "")),
      readout("transport_value", LayoutFrame(900, 8, 116, 64), size: 20, "transport"),
      send("start", "START", LayoutFrame(8, 572, 192, 188), .start, size: 36, "start"),
      send("stop", "STOP", LayoutFrame(208, 572, 192, 188), .stop, size: 36, "stop"),
      send(
        "continue", "CONTINUE", LayoutFrame(408, 572, 152, 90), .start, size: 22, "continue"),
      toggle("mute", "MUTE", LayoutFrame(408, 670, 152, 90), .mute, size: 26, "mute"),
      send("tap", "TAP", LayoutFrame(568, 572, 448, 188), .tap, size: 56, "tap"),
    ]

  static let tempoControls: [LayoutControl] = {
    let nudges = row(136, 136, 4)
    let others = row(280, 136, 5)
    let steps: [(String, String, Float)] = [
      ("nudge_down", "-1", -1), ("nudge_down_fine", "-0.1", -0.1), ("nudge_up_fine", "+0.1", 0.1),
      ("nudge_up", "+1", 1),
    ]
    return [
      // Half a beat a minute for each pixel: the tempos that people play.
      fader(
        "tempo_fader", LayoutFrame(8, 8, 1008, 120), .tempo, "tempo", within: 40...240,
        isHorizontal: true)
    ]
      + zip(steps, nudges).map { step, frame in
        button(
          step.0, step.1, frame, .tempo, size: 40,
          .repeated(LayoutMessage("tempo/nudge", [.float(step.2)])))
      } + [
        send("tempo_half", "HALF", others[0], .tempo, size: 26, "tempo/half"),
        send("tempo_double", "DOUBLE", others[1], .tempo, size: 26, "tempo/double"),
        button("tempo_pull", "PULL", others[2], .tap, size: 26, .held(path: "tempo/pull")),
        button("tempo_push", "PUSH", others[3], .tap, size: 26, .held(path: "tempo/push")),
        send("tempo_resume", "RESUME", others[4], .quiet, size: 26, "tempo/resume"),
      ]
  }()
}
