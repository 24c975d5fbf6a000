import MusicalTime

/// The taps of everybody, one series per client or pedal.
///
/// - Thread: conductor
struct TapSeries: Sendable {
  /// People who tap at once at most; the one who has not tapped for longest is forgotten.
  static let capacity = 32

  private var series: [(name: UInt64, taps: TapTempo)] = []
  /// The series whose taps made the latest change of tempo: all of them are one change.
  var latestChange: UInt64?

  var count: Int { series.count }

  /// Takes a tap; gives thousandths a minute from the third one on.
  mutating func tap(
    at time: MonotonicTime, series name: UInt64, limitNanoseconds: Int64
  ) -> Int64? {
    var taps = TapTempo(limitNanoseconds: limitNanoseconds)
    if let index = series.firstIndex(where: { $0.name == name }) {
      taps = series.remove(at: index).taps
      taps.limitNanoseconds = limitNanoseconds
    }
    let isNew = taps.tap(at: time)
    if isNew, latestChange == name { latestChange = nil }
    series.append((name, taps))
    if series.count > TapSeries.capacity { series.removeFirst() }
    return taps.thousandths
  }
}
