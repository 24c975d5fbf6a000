internal import MusicalTime

/// Commands whose frame has not come, in the order in which they are due.
///
/// They wait here and not in the queue, so that a Stop is never behind a wish for later.
///
/// - Thread: audio; free of allocation and locks after `init`.
@safe struct HeldCommands {
  /// A preset is about twenty commands; where more than this wait, the queue waits with them.
  static let capacity = 64

  private let commands: UnsafeMutablePointer<EngineCommand>
  private var count = 0

  init() {
    unsafe commands = UnsafeMutablePointer<EngineCommand>.allocate(
      capacity: HeldCommands.capacity)
    // Touched now, so that the audio thread never faults a page in.
    unsafe commands.initialize(
      repeating: EngineCommand(.stop), count: HeldCommands.capacity)
  }

  func free() { unsafe commands.deallocate() }

  /// The frame of the first one due.
  var nextFrame: FrameIndex? {
    @_noAllocation @_noLocks get {
      guard count > 0 else { return nil }
      return unsafe commands[0].notBefore
    }
  }

  /// Behind those of the same frame: they were sent first.
  ///
  /// - Returns: false where no place is left.
  @_noAllocation @_noLocks
  mutating func hold(_ command: EngineCommand) -> Bool {
    guard count < HeldCommands.capacity else { return false }
    var place = count
    while place > 0, unsafe commands[place &- 1].notBefore > command.notBefore {
      unsafe commands[place] = unsafe commands[place &- 1]
      place &-= 1
    }
    unsafe commands[place] = command
    count &+= 1
    return true
  }

  /// Takes out the first one whose frame has come.
  @_noAllocation @_noLocks
  mutating func takeDue(_ now: FrameIndex) -> EngineCommand? {
    guard count > 0, unsafe commands[0].notBefore <= now else { return nil }
    let first = unsafe commands[0]
    count &-= 1
    var place = 0
    while place < count {
      unsafe commands[place] = unsafe commands[place &+ 1]
      place &+= 1
    }
    return first
  }
}
