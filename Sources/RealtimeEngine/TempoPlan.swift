internal import MetronomeModel
internal import MusicalTime

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
  private let segments: UnsafeMutablePointer<TempoSegment>
  /// Segments ever appended; the newest is `count - 1`.
  private var count: Int
  /// The steady stretch that follows a running glide.
  private(set) var successor: TempoSegment?

  init(_ first: TempoSegment) {
    unsafe segments = UnsafeMutablePointer<TempoSegment>.allocate(capacity: TempoPlan.capacity)
    unsafe segments.initialize(repeating: first, count: TempoPlan.capacity)
    count = 1
    successor = nil
  }

  func free() { unsafe segments.deallocate() }

  var newest: TempoSegment {
    @_noAllocation @_noLocks get { unsafe segments[(count &- 1) & (TempoPlan.capacity &- 1)] }
  }

  /// Forgets everything before `first`: a new run.
  @_noAllocation @_noLocks
  mutating func restart(_ first: TempoSegment) {
    unsafe segments[0] = first
    count = 1
    successor = first.afterGlide()
  }

  /// Time runs by `segment` from its origin on.
  @_noAllocation @_noLocks
  mutating func append(_ segment: TempoSegment) {
    if newest.origin.ticks == segment.origin.ticks {
      unsafe segments[(count &- 1) & (TempoPlan.capacity &- 1)] = segment
    } else {
      unsafe segments[count & (TempoPlan.capacity &- 1)] = segment
      count &+= 1
    }
    successor = segment.afterGlide()
  }

  /// Makes the stretch after a glide the newest one, once the walk has come to it.
  @_noAllocation @_noLocks
  mutating func promoteSuccessor() {
    if let next = successor { append(next) }
  }

  /// The segment in force at a place, going back no further than the ring does.
  @_noAllocation @_noLocks
  func segment(at position: ScorePosition) -> TempoSegment {
    if let next = successor, position.ticks >= next.origin.ticks { return next }
    var index = count &- 1
    let oldest = count > TempoPlan.capacity ? count &- TempoPlan.capacity : 0
    while index > oldest {
      let candidate = unsafe segments[index & (TempoPlan.capacity &- 1)]
      if candidate.origin.ticks <= position.ticks { return candidate }
      index &-= 1
    }
    return unsafe segments[oldest & (TempoPlan.capacity &- 1)]
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
}
