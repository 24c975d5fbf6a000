public import MetronomeModel
public import MusicalTime
public import RealtimeEngine

/// What the Conductor wants done; the edge (daemon or renderer) does it, in order.
///
/// Every request that is not 0 gets exactly one of `accepted`, `effective` and `refused`.
///
/// - Thread: control
public enum ConductorOutput: Sendable {
  /// To the engine's queue. Where the queue is full the edge hands it back by `Conductor.fail`.
  case engine(EngineCommand)
  /// Done; it has no frame of its own.
  case accepted(request: UInt32)
  /// Acts from this frame on.
  case effective(request: UInt32, frame: FrameIndex)
  /// Another request moved the boundary that `effective` named: it acts at this frame.
  case moved(request: UInt32, frame: FrameIndex)
  /// Nothing has changed.
  case refused(request: UInt32, Refusal)
  /// Something that the person should know beside the answer.
  case notice(request: UInt32, String)
  /// A value differs from what it was: followers want to see it.
  case changed(StateKey)
  /// A level of the trainer begins, or a ramp ended.
  case rampProgress(RampProgress, frame: FrameIndex)
  case timerEnded(frame: FrameIndex)
  /// Read or write this where waiting does no harm, and answer by `Conductor.libraryAnswered`.
  case read(LibraryRequest, ticket: UInt32)
  /// Make a bank of exactly these sounds at the engine's rate where waiting does no harm, and answer
  /// by `Conductor.soundsPrepared` or `soundsFailed`.
  case prepareSounds(SoundSettings, ticket: UInt32)
  /// The engine reads this bank no longer.
  case releaseSounds(Int32)
  case beatOffset(milliseconds: Double)
  case midi(port: String, ControlCommand.MIDIPortSetting)
  /// A preset is in force: what only the edge knows of it (mappings, targets, further ports) is
  /// the edge's to apply.
  case presetApplied(Preset, request: UInt32)
  /// About what was learned or is to be; the edge answers the request.
  case learning(LearnRequest, request: UInt32)
  /// About the microphone; the edge answers the request.
  case listening(ListenRequest, request: UInt32)
  case quit
}

/// What is asked for about bound pedals, pads and keys.
///
/// - Thread: control
public enum LearnRequest: Equatable, Sendable {
  /// The next gesture on an input is bound to this action, within so many seconds.
  case learn(MIDIAction, seconds: Int)
  case cancel
  /// nil is everything.
  case forget(MIDITrigger?)
}
