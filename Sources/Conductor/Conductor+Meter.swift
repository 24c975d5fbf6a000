import MetronomeModel
import MusicalTime
import RealtimeEngine

extension Conductor {
  /// A meter brings its last-used pattern, else its default.
  mutating func setMeter(_ meter: Meter, _ pattern: AccentPattern, _ turn: inout Turn) {
    state.meter = meter
    state.pattern = pattern
    send(.meter(meter, pattern), about: .meter, &turn)
  }

  /// A meter and its pattern, checked together.
  mutating func setMeter(_ meter: Meter, text: String, _ turn: inout Turn) throws(Refusal) {
    let pattern = try Conductor.pattern(text, for: meter)
    state.patterns.remember(pattern, for: meter)
    setMeter(meter, pattern, &turn)
  }

  mutating func setPattern(_ text: String, _ turn: inout Turn) throws(Refusal) {
    let pattern = try Conductor.pattern(text, for: state.meter)
    state.patterns.remember(pattern, for: state.meter)
    state.pattern = pattern
    send(.pattern(pattern), about: .meter, &turn)
  }

  private static func pattern(
    _ text: String, for meter: Meter
  ) throws(Refusal) -> AccentPattern {
    do throws(AccentPatternError) {
      return try AccentPattern(text: text, for: meter)
    } catch {
      throw Refusal(.value, error.description)
    }
  }

  mutating func setSubdivision(_ count: Int, _ turn: inout Turn) throws(Refusal) {
    try Check.range(count, Limits.subdivision, "subdivision")
    let old = state.subdivision
    subdivide(
      Subdivision(unchecked: UInt8(count), level: old.level, swing: old.swing), &turn)
    noteInactiveSwing(&turn)
  }

  mutating func setSubdivision(level: Accent, _ turn: inout Turn) {
    let old = state.subdivision
    subdivide(Subdivision(unchecked: old.count, level: level, swing: old.swing), &turn)
  }

  /// Stored on any subdivision; acts on even ones.
  mutating func setSwing(_ swing: Swing, _ turn: inout Turn) throws(Refusal) {
    try Check.range(swing.percent, Limits.swingPercent, "swing", "per cent")
    let old = state.subdivision
    subdivide(Subdivision(unchecked: old.count, level: old.level, swing: swing), &turn)
    noteInactiveSwing(&turn)
  }

  /// Clicks of a second layer a bar; 0 turns it off.
  mutating func setLayer(_ count: Int, _ turn: inout Turn) throws(Refusal) {
    guard count == 0 || Limits.layer.contains(count) else {
      throw Refusal(
        .value,
        "layer \(count) is outside \(Limits.layer.lowerBound) to \(Limits.layer.upperBound) "
          + "clicks a bar; 0 turns it off")
    }
    state.layer = count
    send(.layer(count: UInt8(count), accent: .normal), &turn)
  }

  private mutating func subdivide(_ subdivision: Subdivision, _ turn: inout Turn) {
    state.subdivision = subdivision
    send(.subdivision(subdivision), &turn)
  }

  private func noteInactiveSwing(_ turn: inout Turn) {
    let subdivision = state.subdivision
    guard subdivision.count % 2 == 1, subdivision.swing != .straight else { return }
    turn.notice(
      "swing \(Check.number(subdivision.swing.percent)) % is kept but inactive: "
        + "subdivision \(subdivision.count) is odd; it acts on 2, 4, 6 and 8")
  }
}
