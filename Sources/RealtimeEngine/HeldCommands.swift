internal import MusicalTime

/// Commands whose frame has not come, in the order in which they are due.
///
/// They wait here and not in the queue, so that nothing is behind a request for later.
///
/// - Thread: audio; free of allocation and locks after `init`.
@safe struct HeldCommands {
  /// A tagged bundle of a client is at most 256 messages; where more than this wait, the queue
  /// waits with them.
  static let capacity = 512
  /// Places that only a Stop, a panic or a mute may take, or what the engine itself holds.
  static let reserve = 16

  private let commands: UnsafeMutablePointer<EngineCommand>
  private var first = 0
  private var count = 0

  init() {
    unsafe commands = UnsafeMutablePointer<EngineCommand>.allocate(
      capacity: HeldCommands.capacity)
    // Touched now, so that the audio thread never faults a page in.
    unsafe commands.initialize(
      repeating: EngineCommand(.stop), count: HeldCommands.capacity)
  }

  func free() { unsafe commands.deallocate() }

  /// A ring whose length is a power of two.
  @_noAllocation @_noLocks
  private func slot(_ place: Int) -> Int { (first &+ place) & (HeldCommands.capacity &- 1) }

  /// The frame of the first one due.
  var nextFrame: FrameIndex? {
    @_noAllocation @_noLocks get {
      guard count > 0 else { return nil }
      return unsafe commands[first].notBefore
    }
  }

  /// Behind those of the same frame: they were sent first.
  ///
  /// - Returns: false where no place is left.
  @_noAllocation @_noLocks
  mutating func hold(_ command: EngineCommand, isUrgent: Bool = false) -> Bool {
    let room = HeldCommands.capacity &- (isUrgent ? 0 : HeldCommands.reserve)
    guard count < room else { return false }
    var place = count
    while place > 0, unsafe commands[slot(place &- 1)].notBefore > command.notBefore {
      unsafe commands[slot(place)] = unsafe commands[slot(place &- 1)]
      place &-= 1
    }
    unsafe commands[slot(place)] = command
    count &+= 1
    return true
  }

  /// Takes out the first one whose frame has come.
  @_noAllocation @_noLocks
  mutating func takeDue(_ now: FrameIndex) -> EngineCommand? {
    guard count > 0, unsafe commands[first].notBefore <= now else { return nil }
    let due = unsafe commands[first]
    first = slot(1)
    count &-= 1
    return due
  }

  /// Drops a setting that the engine holds until its bar line is heard.
  @_noAllocation @_noLocks
  mutating func removeLanded(kind: Int) {
    var kept = 0
    var place = 0
    while place < count {
      let command = unsafe commands[slot(place)]
      if command.ordinal != EngineCore.landedOrdinal || command.action.settingKind != kind {
        if kept != place { unsafe commands[slot(kept)] = command }
        kept &+= 1
      }
      place &+= 1
    }
    count = kept
  }

  /// What lies ahead keeps its distance in time.
  @_noAllocation @_noLocks
  mutating func change(to epoch: RateChange) {
    var place = 0
    while place < count {
      let frame = unsafe commands[slot(place)].notBefore
      unsafe commands[slot(place)].notBefore = epoch.moved(frame)
      place &+= 1
    }
  }
}
