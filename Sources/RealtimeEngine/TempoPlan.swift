internal import MetronomeModel
internal import MusicalTime

/// One stretch of the plan, with what Stop has to know to take it back.
struct PlannedTempo {
  /// Who asked for the stretch: a person's request outlives a Stop that falls before it, what the
  /// score or the trainer says of a place comes again when the place does.
  enum Cause {
    case request, glideRequest, score, trainer, bend, glideEnd

    var isScore: Bool {
      @_noAllocation @_noLocks get {
        if case .score = self { return true }
        return false
      }
    }
  }

  var segment: TempoSegment
  /// The tempo without its bend; during a glide its target.
  var tempo: Tempo
  var cause: Cause
  /// The trainer's level from here on.
  var level: Int64
  var glide: GlideRamp?
  /// Whether the glide was asked for a bar line, rather than for a beat or at once.
  var glideIsAtBar = false

  @_noAllocation @_noLocks
  init(_ segment: TempoSegment, tempo: Tempo, cause: Cause, level: Int64) {
    self.segment = segment
    self.tempo = tempo
    self.cause = cause
    self.level = level
  }
}

/// The run of tempo segments that maps score positions to exact frames.
///
/// Segments are kept for as long as an announced event may still have to be found on them; the
/// ring holds more of them than can begin within the longest horizon at one a pulse.
///
/// - Thread: audio; free of allocation and locks after `init`.
@safe struct TempoPlan {
  private static var capacity: Int {
    @_noAllocation @_noLocks get { 1024 }
  }
  private let stretches: UnsafeMutablePointer<PlannedTempo>
  /// Stretches ever appended; the newest is `count - 1`.
  private var count: Int
  /// The steady stretch that follows a running glide.
  private(set) var successor: TempoSegment?

  init(_ first: PlannedTempo) {
    unsafe stretches = UnsafeMutablePointer<PlannedTempo>.allocate(capacity: TempoPlan.capacity)
    unsafe stretches.initialize(repeating: first, count: TempoPlan.capacity)
    count = 1
    successor = nil
  }

  func free() { unsafe stretches.deallocate() }

  private var oldest: Int {
    @_noAllocation @_noLocks get {
      count > TempoPlan.capacity ? count &- TempoPlan.capacity : 0
    }
  }

  @_noAllocation @_noLocks
  private func stretch(_ index: Int) -> PlannedTempo {
    unsafe stretches[index & (TempoPlan.capacity &- 1)]
  }

  var newest: PlannedTempo {
    @_noAllocation @_noLocks get { stretch(count &- 1) }
  }

  /// Forgets everything before `first`: a new run.
  @_noAllocation @_noLocks
  mutating func restart(_ first: PlannedTempo) {
    unsafe stretches[0] = first
    count = 1
    successor = first.segment.afterGlide()
  }

  /// Time runs by `next` from its origin on.
  @_noAllocation @_noLocks
  mutating func append(_ next: PlannedTempo) {
    if newest.segment.origin.ticks == next.segment.origin.ticks {
      unsafe stretches[(count &- 1) & (TempoPlan.capacity &- 1)] = next
    } else {
      unsafe stretches[count & (TempoPlan.capacity &- 1)] = next
      count &+= 1
    }
    successor = next.segment.afterGlide()
  }

  /// Makes the stretch after a glide the newest one, once the walk has come to it.
  @_noAllocation @_noLocks
  mutating func promoteSuccessor() {
    guard let next = successor else { return }
    append(
      PlannedTempo(next, tempo: newest.tempo, cause: .glideEnd, level: newest.level))
  }

  /// The stretch in force at a place, going back no further than the ring does.
  @_noAllocation @_noLocks
  func planned(at position: ScorePosition) -> PlannedTempo {
    stretch(index(at: position))
  }

  @_noAllocation @_noLocks
  private func index(at position: ScorePosition) -> Int {
    var index = count &- 1
    while index > oldest, stretch(index).segment.origin.ticks > position.ticks { index &-= 1 }
    return index
  }

  /// How many stretches begin after a place.
  @_noAllocation @_noLocks
  func countAfter(_ position: ScorePosition) -> Int { count &- 1 &- index(at: position) }

  /// The stretch that is `place` before the newest one.
  @_noAllocation @_noLocks
  func beforeNewest(_ place: Int) -> PlannedTempo { stretch(count &- 1 &- place) }

  /// The segment in force at a place, the steady one after a running glide included.
  @_noAllocation @_noLocks
  func segment(at position: ScorePosition) -> TempoSegment {
    if let next = successor, position.ticks >= next.origin.ticks { return next }
    return planned(at: position).segment
  }

  @_noAllocation @_noLocks
  func exactFrame(at position: ScorePosition) -> ExactFrame {
    segment(at: position).frame(at: position)
  }

  @_noAllocation @_noLocks
  func frame(at position: ScorePosition) -> FrameIndex {
    exactFrame(at: position).nearest
  }

  @_noAllocation @_noLocks
  func quarterThousandths(at position: ScorePosition) -> Int32 {
    segment(at: position).quarterThousandths(at: position)
  }

  /// The first pulse whose frame is at or after `frame`, looking back from `from`, a pulse that is.
  @_noAllocation @_noLocks
  func firstPulse(notBefore frame: FrameIndex, lookingBackFrom from: Int64, floor: Int64) -> Int64 {
    var pulse = from
    while pulse > floor, self.frame(at: ScorePosition(pulses: pulse &- 1)) >= frame {
      pulse &-= 1
    }
    return pulse
  }

  /// Puts the whole plan on the line of another sample rate.
  @_noAllocation @_noLocks
  mutating func change(to epoch: RateChange) {
    var index = oldest
    while index < count {
      let place = index & (TempoPlan.capacity &- 1)
      unsafe stretches[place].segment = epoch.moved(stretches[place].segment)
      index &+= 1
    }
    successor = newest.segment.afterGlide()
  }
}

/// Another sample rate from one frame on: every point keeps its distance in time from there.
struct RateChange {
  var at: FrameIndex
  var oldRate: Int64
  var newRate: Int64

  @_noAllocation @_noLocks
  init(at frame: FrameIndex, oldRate: Int64, newRate: Int64) {
    at = frame
    self.oldRate = oldRate
    self.newRate = newRate
  }

  /// Exact to 2^-80 frame; whole frames and fraction apart, since their product with a rate would
  /// not fit 127 bits together.
  @_noAllocation @_noLocks
  func scaled(_ span: ExactFrame) -> ExactFrame {
    let whole = span.raw >> 80
    let fraction = span.raw - (whole << 80)
    return ExactFrame(numerator: whole * Int128(newRate), denominator: Int128(oldRate))
      + ExactFrame(raw: fraction * Int128(newRate) / Int128(oldRate))
  }

  @_noAllocation @_noLocks
  func moved(_ point: ExactFrame) -> ExactFrame {
    ExactFrame(at) + scaled(point - ExactFrame(at))
  }

  @_noAllocation @_noLocks
  func moved(_ frame: FrameIndex) -> FrameIndex { moved(ExactFrame(frame)).nearest }

  @_noAllocation @_noLocks
  func moved(_ segment: TempoSegment) -> TempoSegment {
    TempoSegment(
      origin: segment.origin, originFrame: moved(segment.originFrame), rate: newRate,
      shape: segment.shape)
  }

  @_noAllocation @_noLocks
  func scaled(_ count: FrameCount) -> FrameCount {
    FrameCount(scaled(ExactFrame(FrameIndex(count.value))).nearest.value)
  }
}
