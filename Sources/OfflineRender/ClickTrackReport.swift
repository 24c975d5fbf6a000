import MusicalTime

/// What a MIDI file of clicks could not say exactly.
///
/// - Thread: any
public struct ClickTrackReport: Equatable, Sendable, CustomStringConvertible {
  /// The greatest distance of the file's time from the exact one, in microseconds.
  public var largestTempoError: Double
  /// That at the end.
  public var endTempoError: Double
  /// The greatest distance of a note from its place, in ticks; 0 is exact.
  public var largestRounding: Double
  /// Microseconds of a tick at the fastest tempo mark.
  public var shortestTick: Double

  public var description: String {
    let error = ClickTrackReport.decimal(largestTempoError)
    let end = ClickTrackReport.decimal(endTempoError)
    let ticks =
      largestRounding == 0 ? "ticks are exact" : "ticks are off by up to \(largestRounding)"
    return "tempo marks are off by up to \(error) us, \(end) us at the end; \(ticks)"
  }

  private static func decimal(_ value: Double) -> String {
    guard abs(value) < 1e12 else { return "more than 1e12" }
    return ThousandthsText.text(Int64((value * 1000).rounded()))
  }
}
