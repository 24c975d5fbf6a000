internal import MusicalTime
internal import ThreadCrossing

/// The two queues of commands as the audio thread reads them.
///
/// Commands are taken in the order in which they were made. Where the common lane cannot go on,
/// because its first command is for later and no place is left to hold it, the urgent lane does.
///
/// - Thread: audio
@safe struct CommandLanes: Sendable, BitwiseCopyable {
  let commands: SPSCQueueEnds<EngineCommand>
  let urgent: SPSCQueueEnds<EngineCommand>

  init(_ queues: EngineQueues) {
    commands = queues.commands.ends
    urgent = queues.urgentCommands.ends
  }
}

extension EngineCore {
  /// Takes every command whose frame has come and holds the others.
  ///
  /// - Returns: the frame at which a lane that cannot go on can; far away where none waits.
  @_noAllocation @_noLocks
  mutating func takeAll(_ lanes: CommandLanes) -> FrameIndex {
    if !isRunning, let command = putOffStart {
      putOffStart = nil
      take(command)
    }
    var blocked = FrameIndex.distantFuture
    var commonGoesOn = true
    var urgentGoesOn = true
    while commonGoesOn || urgentGoesOn {
      let common = commonGoesOn ? lanes.commands.peek() : nil
      let urgent = urgentGoesOn ? lanes.urgent.peek() : nil
      if let command = urgent, precedes(command, common) {
        urgentGoesOn = holdOrTake(command, isUrgent: true)
        if urgentGoesOn {
          _ = lanes.urgent.pop()
          lastUrgent = command.ordinal
        } else if command.notBefore < blocked {
          blocked = command.notBefore
        }
      } else if let command = common {
        commonGoesOn = holdOrTake(command, isUrgent: false)
        if commonGoesOn {
          _ = lanes.commands.pop()
          lastCommand = command.ordinal
        } else if command.notBefore < blocked {
          blocked = command.notBefore
        }
      } else {
        break
      }
    }
    return blocked
  }

  @_noAllocation @_noLocks
  private func precedes(_ command: EngineCommand, _ other: EngineCommand?) -> Bool {
    guard let other else { return true }
    return command.ordinal < other.ordinal
  }

  /// - Returns: false where it is for later and no place is left to hold it.
  @_noAllocation @_noLocks
  private mutating func holdOrTake(_ command: EngineCommand, isUrgent: Bool) -> Bool {
    if command.notBefore > now { return held.hold(command, isUrgent: isUrgent) }
    take(command)
    return true
  }
}
