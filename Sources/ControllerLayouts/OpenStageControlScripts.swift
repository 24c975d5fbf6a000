internal import OSCWire

/// The JavaScript within an Open Stage Control session.
enum OpenStageControlScripts {
  /// Subscribes at load; the lease lasts as long as something is sent, so a ping every 20 s. Without
  /// an answer for 45 s the daemon was started anew and does not know us.
  static let root: String = {
    let service = LayoutSurface.service(receivePort: nil)
    return """
      var subscribe = function() {
        \(service.prefix(2).map(LayoutText.script).joined(separator: "\n  "))
      }
      subscribe()
      globals.tactusHeard = Date.now()
      setInterval('ping', function() {
        \(LayoutText.script(service[2]))
        if (Date.now() - globals.tactusHeard > 45000) subscribe()
      }, 20000)
      """
  }()

  static func button(_ action: LayoutAction) -> String {
    switch action {
    case .send, .held: ""
    case .repeated(let message): repeating(LayoutText.script(message))
    case .step(let number, let difference): repeating(step(number, difference))
    case .set(let number, let value):
      "set('\(number)', \(LayoutText.number(value)), {send: false})"
    case .sendNumbers(let path, let numbers):
      "send('\(LayoutMessage(path).address)'"
        + numbers.map { ", {type: 'f', value: Number(get('\($0)'))}" }.joined() + ")"
    case .cycleBeat(let beat):
      """
      var letters = String(get('in_pattern') || '')
      var at = 'Xx-.'.indexOf(letters.charAt(\(beat - 1)))
      if (at >= 0 && letters.length >= \(beat)) {
        var changed = letters.slice(0, \(beat - 1)) + 'x-.X'.charAt(at) + letters.slice(\(beat))
        send('/tactus/pattern', {type: 's', value: changed})
      }
      """
    case .loadSlot(let slot):
      """
      var name = (globals.tactusPresets || [])[(globals.tactusFirst || 0) + \(slot - 1)]
      if (name) send('/tactus/preset', {type: 's', value: name})
      """
    case .turnPresets(let pages):
      """
      var first = (globals.tactusFirst || 0) + \(pages * LayoutSurface.slotCount)
      if (first >= 0 && first < (globals.tactusPresets || []).length) globals.tactusFirst = first
      \(showSlots)
      """
    }
  }

  private static let showSlots = """
    for (var slot = 1; slot <= \(LayoutSurface.slotCount); slot++) {
      var shown = (globals.tactusPresets || [])[(globals.tactusFirst || 0) + slot - 1] || ' '
      set('slot_text_' + slot, shown, {send: false})
    }
    """

  private static func repeating(_ body: String) -> String {
    """
    var fire = function() {
      \(body)
    }
    if (value == 1) {
      fire()
      setTimeout('wait', function() {
        fire()
        setInterval('again', fire, \(LayoutSurface.repeatInterval))
      }, \(LayoutSurface.repeatDelay))
    } else {
      clearTimeout('wait')
      clearInterval('again')
    }
    """
  }

  private static func step(_ number: String, _ difference: Double) -> String {
    let range = LayoutSurface.tactus.number(number).range
    let lowest = LayoutText.number(max(range.lowerBound, abs(difference)))
    return "var next = Number(get('\(number)')) + \(LayoutText.number(difference))\n"
      + "  set('\(number)', Math.max(\(lowest), Math.min("
      + "\(LayoutText.number(range.upperBound)), next)), {send: false})"
  }

  /// Invisible widgets that take what comes with several arguments and hand it on.
  static func receivers(_ surface: LayoutSurface) -> [OSCWidget] {
    var lines: [String: [String]] = ["pong": [], "pattern": patternLines, "beat": beatLines]
    lines["preset/list"] = [
      "globals.tactusPresets = a",
      "if ((globals.tactusFirst || 0) >= a.length) "
        + "globals.tactusFirst = 0", showSlots,
    ]
    for control in surface.controls {
      switch control.kind {
      case .readout(let path, let argument, let style):
        lines[path, default: []].append(
          "set('\(control.id)', \(written("a[\(argument)]", style)), {send: false})")
      case .progress(let path, let argument):
        lines[path, default: []].append("set('\(control.id)', a[\(argument)], {send: false})")
      case .fader("tempo", _, _):
        lines["tempo", default: []].append("set('\(control.id)', a[0], {send: false})")
      case .caption, .number, .button, .toggle, .choice, .fader, .lamp: break
      }
    }
    return lines.sorted { $0.key < $1.key }.map { path, body in
      let start = [
        "globals.tactusHeard = Date.now()", "var a = Array.isArray(value) ? value : [value]",
      ]
      return [
        "type": .text("variable"), "id": .text("in_" + path.replacing("/", by: "_")),
        "address": .text(LayoutMessage(path).address), "bypass": .flag(true),
        "onValue": .text((start + body).joined(separator: "\n")),
      ]
    }
  }

  private static func written(_ value: String, _ style: LayoutReadoutStyle) -> String {
    switch style {
    case .text: "String(\(value))"
    case .number(let unit): "Math.round(\(value) * 1000) / 1000 + \(LayoutText.quoted(unit))"
    case .clock:
      "Math.floor(\(value) / 60) + ':' + ('0' + Math.floor(\(value) % 60)).slice(-2)"
    }
  }

  private static let patternLines = [
    "for (var beat = 1; beat <= \(LayoutSurface.lampCount); beat++) {",
    "  set('beat_text_' + beat, String(a[0]).charAt(beat - 1) || ' ', {send: false})",
    "}",
  ]

  /// The server holds a bundle until its time tag, so that the message comes when the beat does.
  /// Bar, beat, tempo, beats and accent are arguments 3 to 7.
  private static let beatLines = [
    "var lamp = 'lamp_' + ((a[3] - 1) % \(LayoutSurface.lampCount) + 1)",
    "if (locals.lit && locals.lit != lamp) set(locals.lit, 0, {send: false})",
    "locals.lit = lamp",
    "set(lamp, a[6] == 3 ? 1 : 0.6, {send: false})",
    "setTimeout('dark', function() { set(lamp, 0, {send: false}) }, 120)",
  ]
}
