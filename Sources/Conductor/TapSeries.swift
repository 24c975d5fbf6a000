import MusicalTime

/// The taps of everybody, one series per client or pedal.
///
/// - Thread: control
struct TapSeries: Sendable {
  /// People who tap at once at most; the one who has not tapped for longest is forgotten.
  static let capacity = 32

  private var series: [(name: UInt64, taps: TapTempo)] = []
  /// The series whose taps made the latest change of tempo: all of them are one change.
  var latestChange: UInt64?

  var count: Int { series.count }

  /// The gap after which every series begins anew, in nanoseconds.
  var limitNanoseconds: Int64 = 2_000_000_000 {
    didSet {
      for index in series.indices { series[index].taps.limitNanoseconds = limitNanoseconds }
    }
  }

  /// Takes a tap of one `beat`; gives thousandths of a `unit` a minute from the third one on, and
  /// nothing for a bounce.
  mutating func tap(
    at time: MonotonicTime, series name: UInt64, beat: TapLength, unit: NoteValue
  ) -> Int64? {
    var taps = TapTempo(limitNanoseconds: limitNanoseconds)
    if let index = series.firstIndex(where: { $0.name == name }) {
      taps = series.remove(at: index).taps
    }
    // Longer beats are slower at 999 quarters a minute; no hand taps faster at short ones.
    taps.shortestNanoseconds = max(
      TapTempo.shortestInterval,
      TapTempo.shortestInterval * beat.numerator / beat.denominator)
    let hit = taps.tap(at: time)
    if hit == .first, latestChange == name { latestChange = nil }
    series.append((name, taps))
    if series.count > TapSeries.capacity { series.removeFirst() }
    return hit == .bounce ? nil : taps.thousandths(of: unit, tapping: beat)
  }
}
