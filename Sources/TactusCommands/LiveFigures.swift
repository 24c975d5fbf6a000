import Doctor
import OSCProtocol
import OSCWire

/// The daemon's counters at one moment, and what came of them between two.
struct LiveFigures: Equatable {
  /// By the path below `/tactus/stats/`.
  var counters: [String: Double] = [:]
  var transport: String?

  init(_ answers: [OSCMessage]) {
    let prefix = "/tactus/stats/"
    for answer in answers {
      if answer.address == "/tactus/transport" { transport = answer.arguments.first?.text }
      guard answer.address.hasPrefix(prefix), let number = answer.arguments.first?.number else {
        continue
      }
      counters[String(answer.address.dropFirst(prefix.count))] = number
    }
  }

  private func grown(_ name: String, since before: LiveFigures) -> Double {
    max(0, (counters[name] ?? 0) - (before.counters[name] ?? 0))
  }

  /// What people notice: holes in the sound, and outputs that were late.
  func findings(since before: LiveFigures, seconds: Int) -> [Finding] {
    let xruns = Int(grown("xruns", since: before))
    let missing = Int(grown("missing", since: before))
    let losses = Int(grown("losses", since: before))
    var findings = [
      xruns + losses + missing == 0
        ? Finding("measured-sound", .good, "\(seconds) s without a hole")
        : Finding(
          "measured-sound", .bad,
          "\(xruns) xruns, \(losses) losses of the card, \(missing) frames missing in \(seconds) s",
          fix: "give it a longer buffer: tactusd --buffer 50; see realtime-priority above")
    ]
    // The largest since the daemon started: a past one is not this minute's.
    for (name, label, limit) in [
      ("midi/lateness", "measured-midi", 1_000_000.0), ("lamps/lateness", "measured-beats", 4e6),
    ] {
      guard let worst = counters[name] else { continue }
      let isNew = worst > before.counters[name] ?? 0
      let text = milliseconds(worst)
      findings.append(
        isNew && worst > limit
          ? Finding(
            label, .warning, "the latest left \(text) after its instant",
            fix: "see realtime-priority and kernel-preemption above")
          : Finding(
            label, .good,
            isNew
              ? "the latest left \(text) after its instant"
              : "none later than \(text), the latest since the start"))
    }
    return findings
  }

  /// Nanoseconds as milliseconds with three places.
  private func milliseconds(_ nanoseconds: Double) -> String {
    let micro = Int64(max(-9e15, min(nanoseconds / 1_000, 9e15)))
    let fraction = String(micro.magnitude % 1_000)
    return "\(micro / 1_000).\(String(repeating: "0", count: 3 - fraction.count))\(fraction) ms"
  }
}
