public import MetronomeModel
public import MusicalTime

/// What is true in the engine at the end of a block, published as a latest value.
///
/// Facts tell of changes, each once; a fact can be lost where a queue is full or a process was
/// stopped. The status settles what is true then, whatever was lost. Values are those of the walk,
/// as the facts are: they hold for what is announced, up to the horizon ahead of `frame`.
///
/// - Thread: made on the audio thread, read on the control thread.
@frozen
public struct EngineStatus: Sendable, BitwiseCopyable {
  @frozen
  public enum Transport: UInt8, Sendable, BitwiseCopyable {
    case stopped, countingIn, rolling
  }

  @frozen
  public enum Ramp: UInt8, Sendable, BitwiseCopyable {
    case none, trainer, glide
  }

  /// The first frame not yet rendered.
  public var frame = FrameIndex(0)
  public var transport = Transport.stopped
  /// The bar and beat of the latest announced beat that no Stop has voided, counted as in
  /// `BeatEvent`; while stopped after a Locate, where Continue resumes.
  public var bar: Int32 = 0
  public var beat: UInt8 = 0
  /// As it was given, one that waits for its boundary included; during a glide its target.
  public var tempo = Tempo(unchecked: 120_000, unit: .quarter)
  /// Quarter notes a minute at the latest announced beat or change, in thousandths.
  public var quarterThousandths: Int32 = 120_000
  /// A glide runs, is paused or waits, also one of the song's own.
  public var isGliding = false
  /// The ramp that was asked for and has not ended.
  public var ramp = Ramp.none
  /// 0-based level of the trainer.
  public var trainerLevel: Int32 = 0
  /// Those that wait for their bar line included.
  public var meter = Meter.common
  public var pattern = AccentPattern.standard(for: .common)
  /// The section of the song that plays; -1 outside one.
  public var section: Int32 = -1
  public var hasTimer = false
  /// Frames that the timer has played.
  public var timerPlayed: Int64 = 0

  /// The bank that the next click uses, and one that waits for its bar line; -1 is none.
  public var sounds: Int32 = -1
  public var waitingSounds: Int32 = -1
  /// Banks whose last voices still sound; -1 is none.
  public var retiring: (Int32, Int32, Int32, Int32) = (-1, -1, -1, -1)
  /// The song that is read, and one that waits for its bar line; -1 is none.
  public var score: Int32 = -1
  public var waitingScore: Int32 = -1

  /// The ordinal of the command taken last, of the urgent ones and of the others; those held for
  /// their frame count as taken when that frame has passed.
  public var lastCommand: Int64 = 0
  public var lastUrgent: Int64 = 0
  /// Commands that were refused with an answer.
  public var refusals: Int64 = 0
  /// Facts made so far, and those of them that found room in the queue.
  public var factsMade: Int64 = 0
  public var factsQueued: Int64 = 0

  public init() {}

  /// Whether the engine may still read a bank.
  public func reads(sounds identifier: Int32) -> Bool {
    identifier == sounds || identifier == waitingSounds || identifier == retiring.0
      || identifier == retiring.1 || identifier == retiring.2 || identifier == retiring.3
  }
}

extension EngineCore {
  /// Publishes what is true at S.
  @_noAllocation @_noLocks
  mutating func publish() {
    fill(&status)
    outlet.publish(status)
  }

  @_noAllocation @_noLocks
  private func fill(_ status: inout EngineStatus) {
    status.frame = now
    if isRunning {
      status.transport = bar.isCountIn ? .countingIn : .rolling
    } else {
      status.transport = .stopped
    }
    status.bar = placeBar
    status.beat = placeBeat
    status.tempo = pending.soonestTempo ?? tempo
    status.quarterThousandths = quarterThousandths
    status.isGliding = isGliding || pending.hasGlide
    status.ramp = .none
    status.trainerLevel = 0
    if let walk = trainer {
      status.ramp = .trainer
      status.trainerLevel = Int32(truncatingIfNeeded: walk.level)
    } else if pending.hasGlide || (isGliding && !glideIsScore && !glideWillEnd) {
      status.ramp = .glide
    }
    status.meter = pending.meter ?? (isRunning ? bar.meter : meter)
    status.pattern = pending.pattern ?? (isRunning ? bar.pattern : pattern)
    status.section = isRunning && !stopIsScheduled ? bar.section : -1
    fillTimer(&status)
    status.sounds = sounds.identifier
    fillWaiting(&status)
    status.retiring = retiringBanks.all
    status.score = score?.identifier ?? -1
    status.waitingScore = pending.score?.identifier ?? -1
    status.lastCommand = lastCommand
    status.lastUrgent = lastUrgent
    status.refusals = refusals
    outlet.fill(&status)
  }

  /// A glide runs on until what ended it lands.
  private var glideWillEnd: Bool {
    @_noAllocation @_noLocks get {
      if case .some = pending.soonestTempo { return true }
      return pending.endsGlideNow
    }
  }

  @_noAllocation @_noLocks
  private func fillTimer(_ status: inout EngineStatus) {
    if case .some = timerFrames { status.hasTimer = true } else { status.hasTimer = false }
    let played = isRunning ? ExactFrame(now) - timerOrigin : timerElapsed
    status.timerPlayed = max(played.nearest.value, 0)
  }
}
