import Conductor
import MetronomeModel
public import MusicalTime
public import RealtimeEngine
import SoundFiles
import ThreadCrossing

/// One walk through the music: the engine and the Conductor as the daemon runs them, with frames
/// for time.
///
/// - Thread: any one at a time
@safe public final class RenderPass {
  /// Frames rendered at once at the most: small enough for the cache.
  static let blockFrames = 2048

  public let plan: RenderPlan
  /// What people should know, each with where its cause was written.
  public private(set) var notices: [String] = []
  /// Called with every fact once it is due, in the order of frames.
  public var onFact: (EngineEvent) -> Void = { _ in }

  private var conductor: Conductor
  private let engine: Engine
  private let queues: EngineQueues
  private var sounds: RenderSounds
  private var facts = DueFacts()
  private var nextScript = 0
  private var sources: [UInt32: String] = [:]
  private var nextRequest: UInt32 = 1
  private var failure: RenderError?
  /// Planar, `blockFrames` apart.
  private let buffer: UnsafeMutableBufferPointer<Float>

  public init(_ plan: RenderPlan, stem: Stem? = nil) {
    self.plan = plan
    // Lead-in and start-up fade lie before frame 0, so a file begins on the beat at full level.
    let leadIn = FrameCount(milliseconds: Limits.leadInMilliseconds, rate: plan.rate)
    queues = EngineQueues(commandCapacity: 1024, eventCapacity: 65_536)
    engine = Engine(
      queues: queues, rate: plan.rate, start: FrameIndex(0) - leadIn, tempo: plan.state.tempo)
    conductor = Conductor(rate: plan.rate, state: plan.state)
    sounds = RenderSounds(rate: Int(plan.rate), folder: plan.soundFolder, stem: stem)
    unsafe buffer = UnsafeMutableBufferPointer.allocate(
      capacity: RenderPass.blockFrames * plan.channelCount)
    unsafe buffer.initialize(repeating: 0)
  }

  deinit { unsafe buffer.deallocate() }

  /// The first frame not yet rendered.
  public var now: FrameIndex { engine.now }
  public var isRunning: Bool { engine.handle.isRunning }
  public var droppedClicks: Int64 { engine.handle.droppedClicks }
  public var usesSync: Bool { conductor.state.sounds.syncPerQuarter > 0 }
  public var usesBeatSounds: Bool { conductor.state.sounds.beatNames.contains { $0 != nil } }
  /// Whether anything could still end the music by itself.
  public var mayStop: Bool {
    let state = conductor.state
    guard scriptIsOver, !conductor.songCanEnd else { return true }
    if state.timerMinutes != nil, state.timerStops { return true }
    if case .trainer(let trainer) = state.ramp, trainer.end == .stop { return true }
    return !state.isRunning
  }
  /// Whether the script has nothing more to say.
  public var scriptIsOver: Bool { nextScript == plan.script.count }
  public var soundNotes: [String] { sounds.notes }

  /// Makes the requests before the start, starts, and walks up to frame 0.
  public func begin() throws(RenderError) {
    carryOut(conductor.begin())
    try settle()
    for scripted in plan.preparation { try submit(scripted.command, from: scripted.source) }
    try submit(.start, from: "start", at: FrameIndex(0))
    try unsafe walk(to: FrameIndex(0)) { _, _ in }
  }

  /// Walks up to a frame.
  ///
  /// - Parameter body: is given each block: planar channels, `blockFrames` apart, and its frames.
  public func walk(
    to end: FrameIndex, _ body: (UnsafeBufferPointer<Float>, Int) throws(RenderError) -> Void
  ) throws(RenderError) {
    guard let base = unsafe buffer.baseAddress else { return }
    let block = unsafe UnsafeBufferPointer(buffer)
    try advance(to: end) { frames throws(RenderError) in
      unsafe engine.render(
        into: base, stride: RenderPass.blockFrames, channelCount: plan.channelCount,
        frameCount: frames)
      try unsafe body(block, frames)
    }
  }

  /// Walks up to a frame without making a sound; the facts are the same.
  public func skip(to end: FrameIndex) throws(RenderError) {
    try advance(to: end) { frames throws(RenderError) in engine.skip(frameCount: Int64(frames)) }
  }

  /// Stops the music at this frame; what sounds may ring on.
  public func stop() throws(RenderError) {
    nextScript = plan.script.count
    try submit(.stop, from: "stop")
    takeDueFacts(before: now + FrameCount(1))
  }

  // MARK: walking

  private func advance(
    to end: FrameIndex, _ block: (Int) throws(RenderError) -> Void
  ) throws(RenderError) {
    while now < end {
      try submitDueScript()
      var stop = min(end.value, now.value + Int64(RenderPass.blockFrames))
      if nextScript < plan.script.count {
        stop = min(stop, max(plan.script[nextScript].frame.value, now.value + 1))
      }
      try block(Int(stop - now.value))
      try settle()
      takeDueFacts(before: now)
    }
  }

  private func submitDueScript() throws(RenderError) {
    while nextScript < plan.script.count, plan.script[nextScript].frame <= now {
      let scripted = plan.script[nextScript]
      nextScript += 1
      try submit(scripted.command, from: scripted.source)
    }
  }

  private func takeDueFacts(before end: FrameIndex) {
    facts.take(before: end) { onFact($0) }
  }

  // MARK: requests

  private func submit(
    _ command: ControlCommand, from source: String, at frame: FrameIndex = .distantPast
  ) throws(RenderError) {
    let request = nextRequest
    nextRequest &+= 1
    sources[request] = source
    carryOut(conductor.submit(command, request: request, now: instant, notBefore: frame))
    try settle()
  }

  /// Monotonic time is counted from frame 0, so that taps are as far apart as their frames.
  private var instant: ControlInstant {
    let nanoseconds = (Double(now.value) * 1e9 / Double(plan.rate)).rounded()
    return ControlInstant(time: MonotonicTime(nanoseconds: Int64(nanoseconds)), frame: now)
  }

  /// Lets the engine take its commands at this frame, and hears its facts.
  private func settle() throws(RenderError) {
    while true {
      drain()
      if let failure { throw failure }
      guard queues.hasCommand(dueBy: now) else { break }
      engine.skip(frameCount: 0)
    }
    guard queues.events.refused == 0 else { throw .overflow }
  }

  private func drain() {
    while let event = queues.events.pop() {
      let outputs = conductor.receive(event)
      facts.announce(asWritten(event))
      carryOut(outputs)
    }
    carryOut(conductor.reconcile(queues.status.load()))
    while queues.clockEvents.pop() != nil {}
  }

  /// The engine counts sections as they are played, repeats and jumps written out; people as they
  /// are written.
  private func asWritten(_ event: EngineEvent) -> EngineEvent {
    guard case .section(var section) = event else { return event }
    section.index = Int32(conductor.state.section ?? -1)
    return .section(section)
  }

  private func carryOut(_ outputs: [ConductorOutput]) {
    for output in outputs {
      switch output {
      case .engine(let command):
        if !queues.send(command) { carryOut(conductor.fail(command)) }
      case .refused(let request, let refusal):
        failure = failure ?? .refused(source: source(of: request), reason: refusal.reason)
      case .notice(let request, let text):
        notices.append("\(source(of: request)): \(text)")
      case .read(let wanted, let ticket):
        // Music stands still while a file is read.
        carryOut(
          conductor.libraryAnswered(
            wanted.answer(from: plan.library), ticket: ticket, now: instant))
      case .prepareSounds(let settings, let ticket): prepare(settings, ticket: ticket)
      case .releaseSounds(let identifier): sounds.release(identifier)
      case .accepted(let request), .effective(let request, _): sources[request] = nil
      case .changed, .rampProgress, .timerEnded, .beatOffset, .midi, .presetApplied, .learning,
        .listening, .quit, .moved:
        break
      }
    }
  }

  private func source(of request: UInt32) -> String { sources[request] ?? "render" }

  private func prepare(_ settings: SoundSettings, ticket: UInt32) {
    do throws(SoundFileError) {
      let bank = try sounds.make(settings)
      carryOut(conductor.soundsPrepared(bank, ticket: ticket))
    } catch {
      carryOut(conductor.soundsFailed(reason: error.description, ticket: ticket))
      failure = failure ?? .sound(error)
    }
  }
}
