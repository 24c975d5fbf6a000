import MusicalTime
import OSCProtocol
import OSCWire

/// Draws what the monitor knows as lines that fit the terminal.
struct MonitorView {
  var columns: Int
  var usesColour: Bool
  /// The daemon, for the first line.
  var peer: String

  func lines(_ model: MonitorModel, now: MonotonicTime) -> [String] {
    var lines = [headline(model, now: now), lamps(model, now: now), tempo(model)]
    if let ramp = ramp(model, now: now) { lines.append(ramp) }
    if let timer = timer(model) { lines.append(timer) }
    lines.append(sound(model))
    lines += model.midiPorts.map { midi($0, model) }
    if let link = link(model) { lines.append(link) }
    lines.append(network(model))
    if let refusal = model.lastRefusal { lines.append(cut("refused: \(refusal)")) }
    return lines
  }

  private func headline(_ model: MonitorModel, now: MonotonicTime) -> String {
    guard let last = model.lastMessageAt else { return cut("\(peer): waiting for an answer") }
    // The daemon is asked every second.
    if now.nanoseconds(since: last) > 3_000_000_000 {
      let seconds = now.nanoseconds(since: last) / 1_000_000_000
      return paint(cut("\(peer): silent for \(seconds) s"), .red)
    }
    let version = model.text("info/version").map { "tactusd \($0) " } ?? ""
    return cut("\(version)\(peer)  \(model.text("transport") ?? "")")
  }

  /// `12.3  1  2 [3] 4`: the beat that is heard stands in brackets.
  private func lamps(_ model: MonitorModel, now: MonotonicTime) -> String {
    guard let beat = model.current, model.isRunning else { return cut("  -") }
    let place = "\(beat.bar).\(beat.beat)"
    var plain = place + String(repeating: " ", count: max(1, 7 - place.count))
    var painted = plain
    for index in 1...max(1, Int(min(beat.count, 64))) {
      let isOn = index == Int(beat.beat)
      let lamp = isOn ? "[\(index)]" : " \(index) "
      guard plain.count + lamp.count <= columns else { break }
      plain += lamp
      painted += isOn ? paint(lamp, beat.accent == 3 ? .red : .green) : lamp
    }
    var note = ""
    if beat.flags & 4 != 0 { note = "  count-in" }
    if beat.flags & 3 != 0 { note += "  muted" }
    return plain.count + note.count <= columns ? painted + note : painted
  }

  private func tempo(_ model: MonitorModel) -> String {
    var text = ""
    if let tempo = model.number("tempo") {
      text = NumberText.text((tempo * 1000).rounded() / 1000)
      if let unit = model.text("tempo", 1), unit != "1/4" { text += " (\(unit))" }
      text += " BPM"
    }
    if let quarter = model.current?.quarterTempo, model.isRunning, quarter > 0 {
      text += "  now \(NumberText.text((Double(quarter) * 10).rounded() / 10))"
    }
    for path in ["meter", "pattern", "preset"] {
      if let value = model.text(path), !value.isEmpty { text += "  \(value)" }
    }
    if let decibels = model.number("volume/db") {
      text += "  \(NumberText.text((decibels * 10).rounded() / 10)) dB"
    }
    if model.number("mute") == 1 { text += "  MUTE" }
    return cut(text)
  }

  /// Told at its levels only, so it grows by itself in between.
  private func ramp(_ model: MonitorModel, now: MonotonicTime) -> String? {
    guard let fraction = model.number("ramp/progress", 3), fraction < 1, model.isRunning,
      let reported = model.number("ramp/progress", 4), let progressAt = model.progressAt
    else { return nil }
    let elapsed = Double(max(0, now.nanoseconds(since: progressAt))) / 1e9
    guard reported > elapsed else { return nil }
    let level = Int(max(1, min(model.number("ramp/progress", 1) ?? 1, 1e6)))
    let count = Int(max(1, min(model.number("ramp/progress", 2) ?? 1, 1e6)))
    let tail = " \(level)/\(count) \(seconds(reported - elapsed)) left"
    return bar("ramp", fraction + (1 - fraction) * elapsed / reported, tail)
  }

  private func timer(_ model: MonitorModel) -> String? {
    guard let played = model.number("timer/progress", 0),
      let left = model.number("timer/progress", 1), played + left > 0, left > 0,
      model.number("timer") ?? 0 > 0
    else { return nil }
    return bar("timer", played / (played + left), " \(seconds(left)) left")
  }

  private func sound(_ model: MonitorModel) -> String {
    var text = "sound: \(model.text("info/audio") ?? "?")"
    if let device = model.text("info/device") { text += "  \(device)" }
    text += "  xruns \(count(model, "stats/xruns"))"
    if let jitter = model.number("stats/jitter") {
      text += "  jitter \(Int64(max(0, min(jitter, 1e15))) / 1000) us"
    }
    if model.number("info/realtime") == 0 { text += "  no real-time rights" }
    return cut(text)
  }

  private func midi(_ port: String, _ model: MonitorModel) -> String {
    var text = "MIDI \(port): \(model.text("midi/\(port)/clock") ?? "?")"
    if let offset = model.number("midi/\(port)/offset"), offset != 0 {
      text += "  \(NumberText.text(offset)) ms"
    }
    text += "  pulses \(count(model, "stats/midi/\(port)/pulses"))"
    text += "  late \(count(model, "stats/midi/\(port)/late"))"
    if let lateness = model.number("stats/midi/\(port)/lateness") {
      text += "  at most \(Int64(max(0, min(lateness, 1e15))) / 1000) us"
    }
    return cut(text)
  }

  private func link(_ model: MonitorModel) -> String? {
    guard let mode = model.text("link"), mode != "off" else { return nil }
    var text = "Link: \(mode)  others \(count(model, "link/status"))"
    if let tempo = model.number("link/status", 1), tempo > 0 {
      text += "  session \(NumberText.text(tempo))"
    }
    if let offset = model.number("link/status", 2) {
      text += "  early by \(NumberText.text((offset * 1000).rounded() / 1000)) ms"
    }
    return cut(text)
  }

  private func network(_ model: MonitorModel) -> String {
    cut(
      "OSC: subscribers \(count(model, "stats/osc/subscribers"))"
        + "  messages \(count(model, "stats/osc/messages"))"
        + "  refused \(count(model, "stats/osc/refused"))")
  }

  private func count(_ model: MonitorModel, _ path: String) -> String {
    model.number(path).map { NumberText.text($0) } ?? "-"
  }

  private func seconds(_ value: Double) -> String {
    let whole = Int64(max(0, min(value, 1e9)).rounded(.up))
    let rest = whole % 60
    return "\(whole / 60):\(rest < 10 ? "0" : "")\(rest)"
  }

  private func bar(_ name: String, _ fraction: Double, _ tail: String) -> String {
    let width = min(30, columns - name.count - tail.count - 3)
    guard width >= 4 else { return cut(name + tail) }
    let full = Int(max(0, min(fraction, 1)) * Double(width))
    return "\(name) [" + String(repeating: "#", count: full)
      + String(repeating: "-", count: width - full) + "]" + tail
  }

  // MARK: text

  private enum Colour: Int { case red = 31, green = 32 }

  private func paint(_ text: String, _ colour: Colour) -> String {
    usesColour ? "\u{1B}[1;\(colour.rawValue)m\(text)\u{1B}[0m" : text
  }

  private func cut(_ text: String) -> String {
    text.count <= columns ? text : String(text.prefix(max(0, columns - 1))) + "~"
  }
}
