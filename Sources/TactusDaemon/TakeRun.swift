internal import ALSAAudio
internal import CLinux
internal import Glibc
internal import MetronomeModel
internal import MusicalTime
internal import ScoreFormats
internal import TakeRecorder
internal import ThreadCrossing

/// One take on the listening thread, from the opening of the input to the closing of its files.
///
/// - Thread: `ListenThread`'s own
struct TakeRun {
  let folder: TakeFolder
  /// nil is made from the date.
  let name: String?
  let sample: TakeEncoding.Sample

  func run(_ thread: ListenThread) {
    guard let input = thread.openInput() else {
      return thread.tell(.finished(finish("", nil, nil, problem: nil, isDiscarded: true)))
    }
    thread.tell(.ready(thread.ready(input)))
    guard let beginning = awaitBeginning(thread, input) else {
      input.stop()
      return thread.tell(.finished(finish("", nil, input, problem: nil, isDiscarded: true)))
    }
    let encoding = TakeEncoding(
      sample: sample, channels: input.channels, rate: input.configuration.framesPerSecond)
    let session: TakeSession
    let name: String
    do throws(TakeError) {
      name = try folder.freshName(self.name)
      session = try TakeSession(
        path: "\(folder.path)/\(name).wav", encoding: encoding, sheet: beginning.sheet)
    } catch {
      input.stop()
      thread.tell(.refused(error.description))
      return thread.tell(.finished(finish("", nil, input, problem: nil, isDiscarded: true)))
    }
    thread.tell(.began(name: name))
    record(thread, input, session, name: name, zero: beginning.zero)
  }

  private func awaitBeginning(
    _ thread: ListenThread, _ input: AudioInput
  ) -> ListenThread.Beginning? {
    while !thread.wasCancelled {
      switch thread.next() {
      case .begin(let beginning): return beginning
      case .finish, .discard: return nil
      // What was heard before the take begins stays in the queue: it may belong to it.
      case .sheet, nil: thread.pause(5)
      }
    }
    return nil
  }

  private func record(
    _ thread: ListenThread, _ input: AudioInput, _ session: TakeSession, name: String, zero: Int64
  ) {
    var isFinishing = false
    var isDiscarded = false
    var problem: String?
    var ticks = 0
    while !isFinishing, problem == nil {
      while let order = thread.next() {
        switch order {
        case .finish: isFinishing = true
        case .discard:
          isFinishing = true
          isDiscarded = true
        case .sheet(let sheet): session.use(sheet)
        case .begin: break
        }
      }
      if thread.wasCancelled { isFinishing = true }
      let hasEnded = input.status.state == .ended
      problem = drain(input, session, zero: zero)
      if hasEnded, problem == nil {
        problem = "the input '\(thread.request.device)' is gone (\(words(input.status.code)))"
      }
      ticks += 1
      if ticks % 5 == 0 { publish(thread, input, session) }
      if !isFinishing, problem == nil { thread.pause(20) }
    }
    input.stop()
    if problem == nil { problem = drain(input, session, zero: zero) }
    do throws(TakeError) { try session.finish(ended: problem) } catch {
      if problem == nil { problem = error.description }
    }
    if isDiscarded { try? folder.delete(name) }
    thread.tell(
      .finished(finish(name, session, input, problem: problem, isDiscarded: isDiscarded)))
  }

  /// Writes everything that waits.
  ///
  /// - Returns: why it cannot be written.
  private func drain(_ input: AudioInput, _ session: TakeSession, zero: Int64) -> String? {
    while let block = input.blocks.pop() {
      var block = block
      var failure: TakeError?
      let count = Int(block.frameCount * block.channelCount)
      unsafe withUnsafeBytes(of: &block.samples) { bytes in
        let samples = unsafe bytes.bindMemory(to: Float.self)
        do throws(TakeError) {
          try unsafe session.append(
            UnsafeBufferPointer(rebasing: samples[..<count]), at: block.frame, zero: zero)
        } catch { failure = error }
      }
      if let failure { return failure.description }
    }
    return nil
  }

  private func publish(_ thread: ListenThread, _ input: AudioInput, _ session: TakeSession) {
    let status = input.status
    thread.level.store(
      ListenThread.Level(
        frames: session.frames, peak: session.takePeak(), clipped: Int64(session.clipped),
        xruns: Int64(status.xruns), missingFrames: status.missingFrames))
  }

  private func words(_ code: Int32) -> String {
    unsafe strerror(code).map { unsafe String(cString: $0) } ?? "errno \(code)"
  }

  private func finish(
    _ name: String, _ session: TakeSession?, _ input: AudioInput?, problem: String?,
    isDiscarded: Bool
  ) -> ListenThread.Finish {
    ListenThread.Finish(
      name: name, frames: session?.frames ?? 0,
      rate: input?.configuration.framesPerSecond ?? 48_000, gapFrames: session?.gapFrames ?? 0,
      clipped: session?.clipped ?? 0, problem: problem, isDiscarded: isDiscarded)
  }
}
