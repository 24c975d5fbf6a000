internal import MetronomeModel
internal import MusicalTime

/// A glide that Stop interrupted, and how far into it the music had come.
///
/// The glide keeps its own origin, so what is left of it runs exactly as it would have.
struct PausedGlide {
  var shape: TempoSegment.Shape
  var passedTicks: Int64

  @_noAllocation @_noLocks
  init(shape: TempoSegment.Shape, passedTicks: Int64) {
    self.shape = shape
    self.passedTicks = passedTicks
  }

  /// The whole glide on a line of time on which `passedTicks` fall on `origin` at `frame`.
  @_noAllocation @_noLocks
  func segment(resumedAt origin: ScorePosition, frame: FrameIndex, rate: Int64) -> TempoSegment {
    let begin = ScorePosition(ticks: origin.ticks &- passedTicks)
    let unplaced = TempoSegment(
      origin: begin, originFrame: ExactFrame(raw: 0), rate: rate, shape: shape)
    return TempoSegment(
      origin: begin, originFrame: ExactFrame(frame) - unplaced.frame(at: origin), rate: rate,
      shape: shape)
  }

  /// The unit in which the glide was asked for.
  private var unit: NoteValue {
    @_noAllocation @_noLocks get {
      switch shape {
      case .constant(let tempo): return tempo.unit
      case .glideInTime(_, let to, _): return to.unit
      case .glideInScore(_, let to, _): return to.unit
      }
    }
  }

  /// The tempo at the place where it was interrupted.
  var tempo: Tempo {
    @_noAllocation @_noLocks get {
      let whole = TempoSegment(
        origin: .zero, originFrame: ExactFrame(raw: 0), rate: 48_000, shape: shape)
      return Tempo(
        quarterThousandths: whole.quarterThousandths(at: ScorePosition(ticks: passedTicks)),
        unit: unit)
    }
  }
}
