internal import OSCWire

/// The Lua scripts within a TouchOSC document.
enum TouchOSCScripts {
  /// What a button does that messages alone cannot.
  static func button(_ action: LayoutAction) -> String {
    switch action {
    case .send, .held: ""
    case .repeated(let message): repeating(LayoutText.lua(message))
    case .step(let number, let difference): repeating(step(number, difference))
    case .set(let number, let value):
      onPress("root:findByName('\(number)', true).values.text = '\(LayoutText.number(value))'")
    case .sendNumbers(let path, let numbers): onPress(send(path, numbers))
    case .cycleBeat(let beat): onPress("root:notify('beat', \(beat))")
    case .loadSlot(let slot): onPress("root:notify('slot', \(slot))")
    case .turnPresets(let pages): onPress("root:notify('turn', \(pages))")
    }
  }

  private static func onPress(_ body: String) -> String {
    """
    function onValueChanged(key)
      if key == 'x' and self.values.x > 0.5 then
        \(body)
      end
    end
    """
  }

  /// The frame rate of the app is the grain of `update`, so the next instant is counted from the one
  /// before; after a stall there is no burst.
  private static func repeating(_ body: String) -> String {
    """
    local nextAt = nil
    local function fire()
      \(body)
    end
    function onValueChanged(key)
      if key ~= 'x' then return end
      if self.values.x > 0.5 then
        if nextAt == nil then
          fire()
          nextAt = getMillis() + \(LayoutSurface.repeatDelay)
        end
      else
        nextAt = nil
      end
    end
    function update()
      if nextAt ~= nil and getMillis() >= nextAt then
        fire()
        nextAt = math.max(nextAt + \(LayoutSurface.repeatInterval), getMillis())
      end
    end
    """
  }

  private static func step(_ number: String, _ difference: Double) -> String {
    let range = LayoutSurface.tactus.number(number).range
    let lowest = LayoutText.number(max(range.lowerBound, abs(difference)))
    let highest = LayoutText.number(range.upperBound)
    return """
      local shown = root:findByName('\(number)', true)
        local value = (tonumber(shown.values.text) or 0) + \(LayoutText.number(difference))
        value = math.max(\(lowest), math.min(\(highest), value))
        shown.values.text = string.format('%.10g', value)
      """
  }

  private static func send(_ path: String, _ numbers: [String]) -> String {
    let arguments = numbers.map {
      "{tag='f', value=tonumber(root:findByName('\($0)', true).values.text)}"
    }
    return "sendOSC({'\(LayoutMessage(path).address)', {\(arguments.joined(separator: ", "))}})"
  }

  /// Whole beats a minute; nothing is sent but what a finger moved.
  static func tempoFader(_ range: ClosedRange<Double>) -> String {
    let low = LayoutText.number(range.lowerBound)
    let width = LayoutText.number(range.upperBound - range.lowerBound)
    return """
      function onValueChanged(key)
        if key ~= 'x' or not self.values.touch then return end
        local tempo = math.floor(\(low) + self.values.x * \(width) + 0.5)
        sendOSC({'\(LayoutMessage("tempo").address)', {{tag='f', value=tempo}}})
      end
      """
  }

  /// What the root's script must know of the surface: tables by address.
  private static func tables(_ surface: LayoutSurface) -> String {
    var shown: [String: [String]] = [:]
    var chosen: [String: [String]] = [:]
    var bars: [String: [String]] = [:]
    for control in surface.controls {
      switch control.kind {
      case .readout(let path, let argument, let style):
        let (kind, unit) =
          switch style {
          case .text: ("text", "")
          case .number(let unit): ("number", unit)
          case .clock: ("clock", "")
          }
        shown[path, default: []].append(
          "{'\(control.id)', \(argument + 1), '\(kind)', '\(unit)'}")
      case .choice(let choice):
        for (index, option) in choice.options.enumerated() {
          chosen[path(choice), default: []].append(
            "{'\(control.id)_\(index + 1)', \(LayoutText.literal(option.value)), "
              + "\(lua(control.colour, 1)), \(lua(control.colour, 0.55))}")
        }
      case .progress(let path, let argument):
        bars[path, default: []].append("{'\(control.id)', \(argument + 1), 0, 1}")
      case .fader("tempo", let range, _):
        bars["tempo", default: []].append(
          "{'\(control.id)', 1, \(LayoutText.number(range.lowerBound)), "
            + "\(LayoutText.number(range.upperBound))}")
      case .caption, .number, .button, .toggle, .fader, .lamp: break
      }
    }
    return table("readouts", shown) + table("choices", chosen) + table("bars", bars)
  }

  private static func path(_ choice: LayoutChoice) -> String { choice.path }

  private static func lua(_ colour: LayoutColour, _ strength: Double) -> String {
    "{\(TouchOSCLayout.colour(colour, strength).map(LayoutText.number).joined(separator: ", "))}"
  }

  private static func table(_ name: String, _ rows: [String: [String]]) -> String {
    let lines = rows.sorted { $0.key < $1.key }.map {
      "  ['\(LayoutMessage($0.key).address)'] = {\($0.value.joined(separator: ", "))},\n"
    }
    return "local \(name) = {\n\(lines.joined())}\n"
  }

  static func root(_ surface: LayoutSurface, receivePort: Int) -> String {
    let service = LayoutSurface.service(receivePort: receivePort)
    return """
      -- The port on which TouchOSC listens (Connections, OSC, Receive Port).
      -- TouchOSC sends from another one, so the answers must be reported where to go.
      local function subscribe()
        \(service.prefix(2).map(LayoutText.lua).joined(separator: "\n  "))
      end
      local function ping()
        \(LayoutText.lua(service[2]))
      end
      \(tables(surface))\(TouchOSCRootScript.text)
      """
  }
}
