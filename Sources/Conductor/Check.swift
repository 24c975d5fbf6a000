import MetronomeModel
import MusicalTime

/// Range checks whose refusal names the thing, the value and the allowed range.
///
/// - Thread: control
enum Check {
  static func range(
    _ value: Int, _ range: ClosedRange<Int>, _ name: String
  ) throws(Refusal) {
    guard range.contains(value) else {
      throw Refusal(
        .value, "\(name) \(value) is outside \(range.lowerBound) to \(range.upperBound)")
    }
  }

  /// Refuses what is not a number, too.
  static func range(
    _ value: Double, _ range: ClosedRange<Double>, _ name: String, _ unit: String
  ) throws(Refusal) {
    guard range.contains(value) else {
      throw Refusal(
        .value,
        "\(name) \(number(value)) is outside \(number(range.lowerBound)) to "
          + "\(number(range.upperBound)) \(unit)")
    }
  }

  /// A level in decibels; minus infinity is silence.
  static func decibels(_ value: Double, _ name: String) throws(Refusal) {
    guard value != -.infinity else { return }
    try range(value, Limits.gainDecibels, name, "dB")
  }

  /// A tempo in a unit, with the limits said in that unit.
  static func tempo(
    _ value: Double, unit: NoteValue, _ name: String
  ) throws(Refusal) -> Tempo {
    if let tempo = Tempo(value, unit: unit) { return tempo }
    let quarters = Double(unit.quartersNumerator) / Double(unit.quartersDenominator)
    let low = Limits.quarterTempo.lowerBound / quarters
    let high = Limits.quarterTempo.upperBound / quarters
    let counted = unit == .quarter ? "quarter notes" : "\(unit) notes"
    throw Refusal(
      .value,
      "\(name) \(number(value)) is outside \(number(low)) to \(number(high)) \(counted) a minute")
  }

  /// As people write numbers: no more than three decimals, no trailing zeros.
  static func number(_ value: Double) -> String {
    guard value.isFinite else { return value.isNaN ? "nan" : value < 0 ? "-inf" : "inf" }
    guard value.magnitude < 1e12 else { return "\(value)" }
    return ThousandthsText.text(Int64((value * 1000).rounded(.toNearestOrAwayFromZero)))
  }
}
