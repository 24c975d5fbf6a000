package import MusicalTime

/// Turns the exact time of a score into tempo marks of whole microseconds a quarter.
///
/// Time is kept in microseconds times `ScorePosition.ticksPerQuarter`, in which both the exact time
/// of a steady tempo's ticks and the time that marks give them are (nearly) whole numbers.
package struct TempoTrack {
  /// A stretch of the score.
  package struct Stretch {
    package var start: ScorePosition
    package var end: ScorePosition
    package var course: Course

    package enum Course {
      /// Microseconds a quarter as a fraction.
      case steady(numerator: Int64, denominator: Int64)
      /// Microseconds from the stretch's start at places in it, for what is not steady.
      case measured([(position: ScorePosition, microseconds: Double)])
    }

    package init(start: ScorePosition, end: ScorePosition, course: Course) {
      self.start = start
      self.end = end
      self.course = course
    }
  }

  private static let unit = Int128(ScorePosition.ticksPerQuarter)

  package private(set) var marks: [(position: ScorePosition, microseconds: Int)] = []
  /// The greatest distance between the file's time and the exact one so far, in microseconds.
  package private(set) var largestError = 0.0
  private let exact: Bool
  private var exactTime: Int128 = 0
  private var fileTime: Int128 = 0

  /// - Parameter exact: the value alternates, so that the file's time never leaves the exact one by
  ///   more than a microsecond at a quarter; else each stretch has its nearest value.
  package init(exact: Bool) { self.exact = exact }

  /// The distance of the file's time from the exact one at the end of the last stretch.
  package var errorMicroseconds: Double { Double(fileTime - exactTime) / Double(TempoTrack.unit) }

  package mutating func add(_ stretch: Stretch) {
    switch stretch.course {
    case .steady(let numerator, let denominator):
      addSteady(stretch, Int128(numerator), Int128(denominator))
    case .measured(let places):
      addMeasured(stretch, places)
    }
  }

  private mutating func addSteady(_ stretch: Stretch, _ numerator: Int128, _ denominator: Int128) {
    let length = Int128(stretch.end.ticks - stretch.start.ticks)
    guard length > 0 else { return }
    let started = exactTime
    guard exact, numerator % denominator != 0 || fileTime != exactTime else {
      let value = (2 * numerator + denominator) / (2 * denominator)
      mark(stretch.start, value)
      advance(by: length, value, exact: started + length * numerator / denominator)
      return
    }
    var done: Int128 = 0
    while done < length {
      // A quarter at a time: within it the file runs apart by less than a microsecond.
      let cell = min(TempoTrack.unit, length - done)
      done += cell
      let due = started + done * numerator / denominator
      let value = TempoTrack.divide(due - fileTime, by: cell)
      mark(ScorePosition(ticks: stretch.start.ticks + Int64(done - cell)), value)
      advance(by: cell, value, exact: due)
    }
  }

  private mutating func addMeasured(
    _ stretch: Stretch, _ places: [(position: ScorePosition, microseconds: Double)]
  ) {
    let started = exactTime
    var from = stretch.start
    for place in places where place.position > from {
      let cell = Int128(place.position.ticks - from.ticks)
      let due = started + Int128((place.microseconds * Double(TempoTrack.unit)).rounded())
      // Each mark makes up for the rounding of those before it, whatever the mode.
      let value = TempoTrack.divide(due - fileTime, by: cell)
      mark(from, value)
      advance(by: cell, value, exact: due)
      from = place.position
    }
  }

  private mutating func mark(_ position: ScorePosition, _ value: Int128) {
    let value = Int(min(max(value, 1), 0xFF_FFFF))
    guard marks.last?.microseconds != value else { return }
    if marks.last?.position == position { marks.removeLast() }
    marks.append((position, value))
  }

  private mutating func advance(by length: Int128, _ value: Int128, exact due: Int128) {
    fileTime += length * min(max(value, 1), 0xFF_FFFF)
    exactTime = due
    largestError = max(largestError, abs(errorMicroseconds))
  }

  /// Rounded to the nearest.
  private static func divide(_ value: Int128, by divisor: Int128) -> Int128 {
    value >= 0
      ? (2 * value + divisor) / (2 * divisor) : -((2 * -value + divisor) / (2 * divisor))
  }
}
