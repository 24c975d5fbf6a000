internal import MetronomeModel
internal import MusicalTime

/// Answers that named a boundary which has not come yet.
///
/// A request is answered at once with the frame at which it will act. Another one may move that
/// boundary afterwards (a tempo that lands before the bar line): the answer is then given again,
/// with the frame at which it did act. When the table is full the first answer stands.
///
/// - Thread: audio; free of allocation and locks.
struct LandingAnswers {
  /// The kind of place that a request waits for.
  enum Boundary {
    case pulse, beat, bar
    /// A bar line outside the count-in.
    case songBar

    var index: Int {
      @_noAllocation @_noLocks get {
        switch self {
        case .pulse: return 0
        case .beat: return 1
        case .bar: return 2
        case .songBar: return 3
        }
      }
    }
  }

  private struct Entry {
    var command: UInt32 = 0
    var boundary = Boundary.pulse
    var frame = FrameIndex.distantPast
    var isTempo = false
  }

  /// Twice what a preset sends.
  private static var capacity: Int {
    @_noAllocation @_noLocks get { 48 }
  }

  private var entries = InlineArray<48, Entry>(repeating: Entry())
  private var isEmpty = true

  @_noAllocation @_noLocks
  mutating func add(
    _ command: UInt32, at frame: FrameIndex, _ boundary: Boundary, isTempo: Bool
  ) {
    var index = 0
    while index < LandingAnswers.capacity {
      if entries[index].command == 0 {
        entries[index].command = command
        entries[index].boundary = boundary
        entries[index].frame = frame
        entries[index].isTempo = isTempo
        isEmpty = false
        return
      }
      index &+= 1
    }
  }

  /// A newer request for the tempo took the place of those that waited.
  @_noAllocation @_noLocks
  mutating func dropTempos() {
    var index = 0
    while index < LandingAnswers.capacity {
      if entries[index].isTempo { entries[index].command = 0 }
      index &+= 1
    }
  }

  /// A boundary has come: answers that named another frame are given again.
  @_noAllocation @_noLocks
  mutating func land(
    _ boundary: Boundary, at frame: FrameIndex, tellAll: Bool = false, _ outlet: EventOutlet
  ) {
    guard !isEmpty else { return }
    var index = 0
    var left = false
    while index < LandingAnswers.capacity {
      if entries[index].command != 0 {
        if entries[index].boundary.index == boundary.index {
          if tellAll || entries[index].frame.value != frame.value {
            outlet.announce(
              .effective(EffectiveEvent(frame: frame, command: entries[index].command)))
          }
          entries[index].command = 0
        } else {
          left = true
        }
      }
      index &+= 1
    }
    isEmpty = !left
  }

  /// Stop: what waited for a boundary holds from now on.
  @_noAllocation @_noLocks
  mutating func settle(at frame: FrameIndex, _ outlet: EventOutlet) {
    land(.pulse, at: frame, tellAll: true, outlet)
    land(.beat, at: frame, tellAll: true, outlet)
    land(.bar, at: frame, tellAll: true, outlet)
    land(.songBar, at: frame, tellAll: true, outlet)
  }
}
