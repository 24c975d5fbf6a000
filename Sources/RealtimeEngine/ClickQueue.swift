internal import MusicalTime

/// A click that is announced and has not sounded yet.
struct ScheduledClick {
  /// When it sounds: `due` and the offset of the clicks.
  var frame: FrameIndex
  /// Its place on the grid.
  var due: FrameIndex
  var sound: ClickSound
  var gain: Float
  /// The level's bit in the mask of audible levels; 0 always sounds.
  var levelBit: UInt8
  var isSync: Bool
  var bank: Int32

  @_noAllocation @_noLocks
  init(
    frame: FrameIndex, due: FrameIndex, sound: ClickSound, gain: Float, levelBit: UInt8,
    isSync: Bool, bank: Int32
  ) {
    self.frame = frame
    self.due = due
    self.sound = sound
    self.gain = gain
    self.levelBit = levelBit
    self.isSync = isSync
    self.bank = bank
  }
}

/// Scheduled clicks in order of the frames at which they sound.
///
/// - Thread: audio; free of allocation and locks after `init`.
@safe struct ClickQueue {
  private static var capacity: Int {
    @_noAllocation @_noLocks get { 4096 }
  }

  private let clicks: UnsafeMutablePointer<ScheduledClick>
  private var head = 0
  private var tail = 0

  init() {
    unsafe clicks = UnsafeMutablePointer<ScheduledClick>.allocate(capacity: ClickQueue.capacity)
    unsafe clicks.initialize(
      repeating: ScheduledClick(
        frame: .distantPast, due: .distantPast, sound: .silence, gain: 0, levelBit: 0,
        isSync: false, bank: -1),
      count: ClickQueue.capacity)
  }

  func free() { unsafe clicks.deallocate() }

  @_noAllocation @_noLocks
  private func slot(_ position: Int) -> Int { position & (ClickQueue.capacity &- 1) }

  var isEmpty: Bool {
    @_noAllocation @_noLocks get { head == tail }
  }

  /// The frame of the next click; far away where there is none.
  var nextFrame: FrameIndex {
    @_noAllocation @_noLocks get {
      head > tail ? unsafe clicks[slot(tail)].frame : .distantFuture
    }
  }

  /// Puts a click in its place: behind all that sound no later, since a smaller offset may bring it
  /// before clicks that were announced earlier.
  ///
  /// - Returns: false where there is no room.
  @_noAllocation @_noLocks
  mutating func insert(_ click: ScheduledClick) -> Bool {
    guard head &- tail < ClickQueue.capacity else { return false }
    var position = head
    while position > tail, unsafe clicks[slot(position &- 1)].frame > click.frame {
      unsafe clicks[slot(position)] = clicks[slot(position &- 1)]
      position &-= 1
    }
    unsafe clicks[slot(position)] = click
    head &+= 1
    return true
  }

  /// The next click, if it sounds before `end`.
  @_noAllocation @_noLocks
  mutating func pop(before end: FrameIndex) -> ScheduledClick? {
    guard head > tail else { return nil }
    let click = unsafe clicks[slot(tail)]
    guard click.frame < end else { return nil }
    tail &+= 1
    return click
  }

  /// Voids what is due at or after a frame of the grid.
  @_noAllocation @_noLocks
  mutating func cancel(from frame: FrameIndex) {
    var kept = tail
    var position = tail
    while position < head {
      let click = unsafe clicks[slot(position)]
      if click.due < frame {
        unsafe clicks[slot(kept)] = click
        kept &+= 1
      }
      position &+= 1
    }
    head = kept
  }

  @_noAllocation @_noLocks
  mutating func removeAll() { head = tail }

  @_noAllocation @_noLocks
  func uses(bank: Int32) -> Bool {
    var position = tail
    while position < head {
      if unsafe clicks[slot(position)].bank == bank { return true }
      position &+= 1
    }
    return false
  }

  /// Clicks ahead keep their distance in time.
  @_noAllocation @_noLocks
  mutating func change(to epoch: RateChange) {
    var position = tail
    while position < head {
      let click = unsafe clicks[slot(position)]
      unsafe clicks[slot(position)].frame = epoch.moved(click.frame)
      unsafe clicks[slot(position)].due = epoch.moved(click.due)
      position &+= 1
    }
  }
}
