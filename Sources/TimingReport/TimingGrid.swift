import MetronomeModel
public import MusicalTime
public import ScoreFormats

/// A place of the grid that a player can aim at.
public struct GridPoint: Equatable, Sendable {
  /// Frame of the take at which it was played, with a fraction.
  public var frame: Double
  /// From 1; bars before bar 1 are -n to -1.
  public var bar: Int
  /// From 1.
  public var beat: Int
  /// 0 on the beat, from 1 between the beats.
  public var sub: Int
  /// Quarters a minute.
  public var tempo: Double
  /// Frames to the next point of the same grid.
  public var spacing: Double
  public var meter: Meter
  /// What clicks here; nil where nothing does, and in the count-in, whose notes do not count.
  public var click: TakeSheet.ClickLevel?
}

/// The grid of a take, from its side file.
///
/// - Thread: any
public struct TimingGrid: Sendable {
  public let points: [GridPoint]

  /// Points of a take at most; 2 hours at 999 with nine clicks a beat are a million.
  public static let mostPoints = 2_000_000

  /// - Parameters:
  ///   - sheet: the side file.
  ///   - lastFrame: frame of the take up to which the grid is needed.
  ///   - subdivision: points a beat instead of the side file's; nil is the side file's.
  public init(_ sheet: TakeSheet, lastFrame: Double, subdivision: Int? = nil) {
    var walk = Walk(sheet, lastFrame: lastFrame, subdivision: subdivision)
    points = walk.points()
  }

  /// The point nearest to a frame.
  public func nearest(_ frame: Double) -> GridPoint? {
    var low = 0
    var high = points.count
    while low < high {
      let middle = (low + high) / 2
      if points[middle].frame < frame { low = middle + 1 } else { high = middle }
    }
    if low == points.count { return points.last }
    if low == 0 { return points.first }
    let (before, after) = (points[low - 1], points[low])
    return frame - before.frame <= after.frame - frame ? before : after
  }

  /// Goes through the stretches bar by bar.
  private struct Walk {
    let sheet: TakeSheet
    let lastFrame: Double
    let subdivision: Int?
    var segment: TempoSegment
    /// Where a glide goes over into its target.
    var afterGlide: TempoSegment?

    init(_ sheet: TakeSheet, lastFrame: Double, subdivision: Int?) {
      self.sheet = sheet
      self.lastFrame = min(lastFrame, sheet.stopFrame ?? lastFrame)
      self.subdivision = subdivision
      segment = TempoSegment(
        origin: .zero, originFrame: ExactFrame(frames: sheet.barOneFrame), rate: Int64(sheet.rate),
        shape: .constant(Tempo(unchecked: 120_000, unit: .quarter)))
    }

    mutating func points() -> [GridPoint] {
      guard var stretch = sheet.tempo.first else { return [] }
      var rest = sheet.tempo.dropFirst()
      begin(stretch, at: .zero)
      var points = countIn(stretch)
      var bar = 1
      var position = ScorePosition.zero
      while points.count < TimingGrid.mostPoints {
        var meter = stretch.meter
        var beat = 1
        while beat <= Int(meter.beatCount) {
          if let next = rest.first, (next.bar, next.beat) <= (bar, beat) {
            stretch = next
            rest = rest.dropFirst()
            begin(stretch, at: position)
            // A meter that comes in the middle of a bar begins with the next one.
            if beat == 1 { meter = stretch.meter }
          }
          guard frame(at: position) <= lastFrame else { return points }
          append(stretch, meter, bar: bar, beat: beat, position: position, to: &points)
          position = position + meter.beatLength
          beat += 1
        }
        bar += 1
      }
      return points
    }

    private mutating func begin(_ stretch: TakeSheet.Stretch, at position: ScorePosition) {
      let origin = stretch.frame.map { ExactFrame(frames: $0) } ?? exactFrame(at: position)
      let shape: TempoSegment.Shape
      switch stretch.glide {
      case nil: shape = .constant(stretch.tempo)
      case let glide?:
        switch glide.over {
        case .seconds(let seconds):
          shape = .glideInTime(from: stretch.tempo, to: glide.to, seconds: seconds)
        case .bars(let bars):
          let ticks = Double(stretch.meter.barLength.ticks) * bars
          shape = .glideInScore(
            from: stretch.tempo, to: glide.to,
            length: ScorePosition(ticks: Int64(min(ticks, 1e15))))
        }
      }
      segment = TempoSegment(
        origin: position, originFrame: origin, rate: Int64(sheet.rate), shape: shape)
      afterGlide = segment.afterGlide()
    }

    private func current(at position: ScorePosition) -> TempoSegment {
      if let afterGlide, position >= afterGlide.origin { return afterGlide }
      return segment
    }

    private func exactFrame(at position: ScorePosition) -> ExactFrame {
      position == .zero && segment.origin == .zero
        ? segment.originFrame : current(at: position).frame(at: position)
    }

    private func frame(at position: ScorePosition) -> Double {
      current(at: position).frame(at: position).approximateFrames
    }

    private func append(
      _ stretch: TakeSheet.Stretch, _ meter: Meter, bar: Int, beat: Int,
      position: ScorePosition, to points: inout [GridPoint]
    ) {
      let length = meter.beatLength
      let count = subdivision ?? Int(stretch.subdivision.count)
      let tempo =
        Double(current(at: position).quarterThousandths(at: position)) / 1_000
      let pattern = stretch.pattern ?? .standard(for: meter)
      let clicked = Int(stretch.subdivision.count)
      for sub in 0..<count {
        let place: ScorePosition
        if count == clicked {
          place = stretch.subdivision.offset(of: sub, beatLength: length)
        } else {
          place = ScorePosition(ticks: length.ticks * Int64(sub) / Int64(count))
        }
        let at = frame(at: position + place)
        if let index = points.indices.last { points[index].spacing = at - points[index].frame }
        var click: TakeSheet.ClickLevel?
        if !stretch.isMuted {
          if sub == 0 {
            switch pattern.accent(at: beat - 1) {
            case .strong: click = .strong
            case .normal: click = .normal
            case .soft: click = .soft
            case .silent: click = nil
            }
          } else if clicked > 1, count % clicked == 0, sub % (count / clicked) == 0 {
            click = .subdivision
          }
        }
        points.append(
          GridPoint(
            frame: at, bar: bar, beat: beat, sub: sub, tempo: tempo,
            spacing: 60 / max(tempo, 1) * Double(sheet.rate) / Double(count), meter: meter,
            click: click))
      }
    }

    /// The bars before bar 1, at its tempo.
    private func countIn(_ stretch: TakeSheet.Stretch) -> [GridPoint] {
      guard sheet.countInBars > 0 else { return [] }
      let framesPerTick =
        60 * Double(sheet.rate) / stretch.tempo.quartersPerMinute
        / Double(ScorePosition.ticksPerQuarter)
      var points: [GridPoint] = []
      for bar in (-sheet.countInBars)...(-1) {
        for beat in 1...Int(stretch.meter.beatCount) {
          let ticks =
            stretch.meter.barLength.ticks * Int64(bar)
            + stretch.meter.beatLength.ticks * Int64(beat - 1)
          let at = sheet.barOneFrame + Double(ticks) * framesPerTick
          if let index = points.indices.last { points[index].spacing = at - points[index].frame }
          points.append(
            GridPoint(
              frame: at, bar: bar, beat: beat, sub: 0, tempo: stretch.tempo.quartersPerMinute,
              spacing: 0, meter: stretch.meter, click: nil))
        }
      }
      return points
    }
  }
}
