internal import MetronomeModel
public import MusicalTime
internal import ThreadCrossing

/// The metronome's heart: turns commands into samples and facts, one period after the other.
///
/// The same engine plays live and renders to files; what comes out depends on the commands and the
/// frames at which they were taken, never on how the stream is cut into periods.
///
/// - Thread: `render` and `skip` on the audio thread only; the rest before it starts.
@safe public final class Engine: @unchecked Sendable {
  private let core: UnsafeMutablePointer<EngineCore>
  private let commands: CommandLanes
  private let queues: EngineQueues

  /// - Parameters:
  ///   - start: the first frame; a negative one lets a file's frame 0 be beat one.
  ///   - gain: linear master gain, 0 to 1; it fades in over the first 50 ms.
  public init(
    queues: EngineQueues, rate: Int64, start: FrameIndex = FrameIndex(0), tempo: Tempo,
    gain: Float = 0.251_188_64
  ) {
    self.queues = queues
    commands = CommandLanes(queues)
    unsafe core = UnsafeMutablePointer<EngineCore>.allocate(capacity: 1)
    unsafe core.initialize(
      to: EngineCore(
        outlet: EventOutlet(queues), rate: rate, start: start, tempo: tempo, gain: gain))
  }

  deinit {
    unsafe core.pointee.free()
    unsafe core.deinitialize(count: 1)
    unsafe core.deallocate()
  }

  /// The engine as the audio thread holds it: plain pointers, valid while the engine lives.
  public var handle: EngineHandle { unsafe EngineHandle(core: core, commands: commands) }

  /// The first frame not yet rendered.
  ///
  /// - Thread: audio
  public var now: FrameIndex { handle.now }

  /// Renders the next frames; see `EngineHandle.render`.
  ///
  /// - Thread: audio
  @_noAllocation @_noLocks
  public func render(
    into output: UnsafeMutablePointer<Float>, stride: Int, channelCount: Int, frameCount: Int
  ) {
    unsafe EngineLoop.run(
      core, commands: commands, output: output, stride: stride, channelCount: channelCount,
      frameCount: Int64(frameCount))
  }

  /// Lets frames pass that nobody can hear; see `EngineHandle.skip`.
  ///
  /// - Thread: audio
  @_noAllocation @_noLocks
  public func skip(frameCount: Int64) {
    unsafe EngineLoop.run(
      core, commands: commands, output: nil, stride: 0, channelCount: 0, frameCount: frameCount)
  }
}

/// The audio thread's hold on an engine, without its owner, so that no reference is counted.
///
/// - Thread: audio
@safe public struct EngineHandle: @unchecked Sendable {
  private let core: UnsafeMutablePointer<EngineCore>
  private let commands: CommandLanes

  fileprivate init(
    core: UnsafeMutablePointer<EngineCore>, commands: CommandLanes
  ) {
    unsafe self.core = unsafe core
    self.commands = commands
  }

  /// The first frame not yet rendered.
  public var now: FrameIndex {
    @_noAllocation @_noLocks get { unsafe core.pointee.now }
  }

  /// Frames a second.
  public var rate: Int64 {
    @_noAllocation @_noLocks get { unsafe core.pointee.rate }
  }

  /// Whether the transport counts in or rolls.
  public var isRunning: Bool {
    @_noAllocation @_noLocks get { unsafe core.pointee.isRunning }
  }

  /// Clicks that found no place or fell into a hole.
  public var droppedClicks: Int64 {
    @_noAllocation @_noLocks get { unsafe core.pointee.voices.droppedClicks }
  }

  /// Renders the next frames into planar channels of full scale 1.0.
  ///
  /// Free of allocation, locks and system calls.
  ///
  /// - Parameters:
  ///   - output: channel c begins at `output + c * stride`.
  @_noAllocation @_noLocks
  public func render(
    into output: UnsafeMutablePointer<Float>, stride: Int, channelCount: Int, frameCount: Int
  ) {
    unsafe EngineLoop.run(
      core, commands: commands, output: output, stride: stride, channelCount: channelCount,
      frameCount: Int64(frameCount))
  }

  /// Lets frames pass that nobody can hear: a hole in the audio, or no sound card.
  ///
  /// Free of allocation, locks and system calls.
  @_noAllocation @_noLocks
  public func skip(frameCount: Int64) {
    unsafe EngineLoop.run(
      core, commands: commands, output: nil, stride: 0, channelCount: 0, frameCount: frameCount)
  }

  /// Lets frames pass of which the first `past` should have been heard already: the process was
  /// stopped, or the machine slept.
  ///
  /// Of a long hole only its first second is announced, so that whoever follows sees it begin, and
  /// what is due from half a second before its end on: the longest that anything may be sent late.
  @_noAllocation @_noLocks
  public func skip(frameCount: Int64, past: Int64) {
    unsafe core.pointee.beginHole(past: past)
    skip(frameCount: frameCount)
    unsafe core.pointee.endHole()
  }

  /// Begins a new epoch at another sample rate, between two renders: the frame index runs on, the
  /// position is kept.
  @_noAllocation @_noLocks
  public func change(rate newRate: Int64) {
    unsafe core.pointee.change(rate: newRate)
  }
}

/// Cuts a block where commands are due, so that each is taken at its own frame, and where the
/// transport ends by itself.
enum EngineLoop {
  @_noAllocation @_noLocks
  static func run(
    _ core: UnsafeMutablePointer<EngineCore>, commands: CommandLanes,
    output: UnsafeMutablePointer<Float>?, stride: Int, channelCount: Int, frameCount: Int64
  ) {
    let end = unsafe core.pointee.now + FrameCount(frameCount)
    let begin = unsafe core.pointee.now
    while true {
      // What is due by S is announced before a command at S is taken.
      unsafe core.pointee.announce(asOf: core.pointee.now)
      while let command = unsafe core.pointee.held.takeDue(core.pointee.now) {
        unsafe core.pointee.take(command)
      }
      // In steps no longer than the commit span an end is known before its frame is passed.
      let step = unsafe max(core.pointee.commit.value, 64)
      var next =
        unsafe end - core.pointee.now > FrameCount(step)
        ? core.pointee.now + FrameCount(step) : end
      let blocked = unsafe core.pointee.takeAll(commands)
      if blocked < next { next = blocked }
      if let due = unsafe core.pointee.held.nextFrame, due < next { next = due }
      if let stop = unsafe core.pointee.scheduledStop, stop < next {
        next = unsafe max(stop, core.pointee.now)
      }
      let offset = unsafe Int((core.pointee.now - begin).value)
      if let target = unsafe output {
        unsafe core.pointee.advance(
          to: next, output: target + offset, stride: stride, channelCount: channelCount)
      } else {
        unsafe core.pointee.advance(
          to: next, output: nil, stride: stride, channelCount: channelCount)
      }
      if next >= end { break }
    }
    unsafe core.pointee.publish()
  }
}
