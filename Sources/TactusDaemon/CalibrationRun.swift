internal import ALSAAudio
internal import CLinux
internal import CommandLineOptions
internal import Glibc
internal import MetronomeModel
internal import MusicalTime
internal import RealtimeHost
internal import ScoreFormats
internal import Sweeps
internal import TakeRecorder
internal import ThreadCrossing

/// A calibration on the listening thread: plays sweeps through the overlay, records them, and lets
/// another process analyse the recording.
///
/// Frame 0 of the recording is the frame of the input that is captured at the instant at which the
/// first frame of the run is played, as both clocks tell it. So what is measured is what ALSA does not
/// know, whatever the buffers are.
///
/// - Thread: `ListenThread`'s own
struct CalibrationRun {
  struct Outcome: Sendable {
    var answer: CalibrationAnswer
    /// Beyond what ALSA knows; nil where the answer has none.
    var roundTripMilliseconds: Double?
    var input: PCMConfiguration
    var channels: Int
    var xruns: Int
  }

  let order: CalibrationOrder
  let queue: SPSCQueue<OverlayBlock>
  let playback: LatestValue<FrameClock>
  /// The first frame not yet rendered.
  let rendered: @Sendable () -> Int64

  /// So long before it is due a sweep is handed to the audio thread: more than the longest buffer.
  private static let leadSeconds = 0.3

  func run(_ thread: ListenThread) {
    var outcomes: [Outcome] = []
    for open in 0..<order.opens {
      guard !thread.wasCancelled, let outcome = once(thread, open: open) else {
        return thread.tell(.finished(finish(isDiscarded: true)))
      }
      outcomes.append(outcome)
      // Without a latency there is no spread to be measured.
      if outcome.roundTripMilliseconds == nil { break }
    }
    thread.tell(.measured(outcomes))
    thread.tell(.finished(finish(isDiscarded: false)))
  }

  private func finish(isDiscarded: Bool) -> ListenThread.Finish {
    ListenThread.Finish(
      name: "", frames: 0, rate: 48_000, gapFrames: 0, clipped: 0, problem: nil,
      isDiscarded: isDiscarded)
  }

  private func once(_ thread: ListenThread, open: Int) -> Outcome? {
    guard let input = thread.openInput() else { return nil }
    if open == 0 { thread.tell(.ready(thread.ready(input))) }
    var template = Array("\(temporaryFolder)/tactus-sweeps-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else {
      input.stop()
      thread.tell(.refused("no folder for the recording can be made in '\(temporaryFolder)'"))
      return nil
    }
    let folder = String(
      decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer {
      unsafe unlink("\(folder)/sweeps.wav")
      unsafe unlink("\(folder)/sweeps.json")
      unsafe rmdir(folder)
    }
    let path = "\(folder)/sweeps.wav"
    guard let recorded = record(thread, input, path, open: open) else { return nil }
    let answer: CalibrationAnswer
    do throws(AnalysisFailure) {
      answer = try analyse(path, raised: recorded.raised, thread)
    } catch {
      if !thread.wasCancelled { thread.tell(.refused(error.text)) }
      return nil
    }
    let rate = Double(input.configuration.framesPerSecond)
    return Outcome(
      answer: answer,
      roundTripMilliseconds: answer.latencyFrames.map {
        ($0 - recorded.meanShift) / rate * 1_000
      }, input: input.configuration, channels: input.channels, xruns: recorded.xruns)
  }

  private var temporaryFolder: String {
    unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
  }

  // MARK: Playing and recording

  private struct Recorded {
    var raised: Int
    /// By how many frames of the recording both clocks lie apart at the middle of the sweeps that
    /// count, beyond what frame 0 says.
    var meanShift: Double
    var xruns: Int
  }

  private func record(
    _ thread: ListenThread, _ input: AudioInput, _ path: String, open: Int
  ) -> Recorded? {
    defer { input.stop() }
    let playRate = Double(playback.load().framesPerSecond)
    let rate = Double(input.configuration.framesPerSecond)
    let sweep = Sweep.samples(rate: playRate)
    let first = rendered() + Int64((CalibrationRun.leadSeconds * playRate).rounded())
    let exactZero = input.clock.load().exactFrame(at: playback.load().time(of: FrameIndex(first)))
    let zero = Int64(exactZero.rounded())
    var raise = SweepRaise()
    var ear = SweepEar(listener: SweepListener(rate: rate), channels: input.channels, rate: rate)
    let schedule = SweepSchedule(spacingSeconds: order.spacingSeconds, count: order.count)
    var slot = 0
    var shifts: [(second: Double, frames: Double)] = []
    var problem: String?
    do throws(TakeError) {
      let session = try TakeSession(
        path: path,
        encoding: TakeEncoding(sample: .float32, channels: input.channels, rate: Int(rate)),
        sheet: TakeSheet(
          rate: Int(rate), barOneFrame: 0,
          tempo: [TakeSheet.Stretch(tempo: Tempo(unchecked: 120_000, unit: .quarter))]))
      while true {
        if thread.wasCancelled { break }
        try drain(input, session, zero: zero, &ear)
        if input.status.state == .ended {
          problem = "the input '\(thread.request.device)' is gone"
          break
        }
        let second = Double(rendered() - first) / playRate
        let slots = raise.count + order.count
        if slot < slots || !raise.isDone {
          if schedule.second(ofSlot: slot) - second < CalibrationRun.leadSeconds {
            if !raise.isDone, slot > 0 { raise.judge(isHeard: ear.hears()) }
            let decibels = raise.next(slot: slot)
            play(sweep, at: first + frames(schedule.second(ofSlot: slot), playRate), decibels)
            slot += 1
            thread.tell(
              .progress(
                done: open * order.count + max(0, slot - raise.count),
                total: order.opens * order.count,
                words: raise.isDone ? "measuring" : "finding the level"))
          }
        } else if second > schedule.second(ofSlot: slots) + max(1, order.spacingSeconds) + 0.5 {
          break
        }
        if raise.isDone, slot < slots {
          let clock = playback.load()
          let here = clock.frame(at: MonotonicClock.now())
          let seconds = Double(here.value - first) / playRate
          shifts.append(
            (
              seconds,
              input.clock.load().exactFrame(at: clock.time(of: here)) - Double(zero)
                - seconds * rate
            ))
        }
        thread.pause(20)
      }
      try session.finish(ended: nil)
    } catch { problem = error.description }
    if let problem { thread.tell(.refused(problem)) }
    guard problem == nil, !thread.wasCancelled else { return nil }
    // The latency is stated at the middle of the sweeps that count.
    let middle =
      schedule.second(ofSlot: raise.count) + Double(order.count - 1) / 2 * order.spacingSeconds
    return Recorded(
      raised: raise.count, meanShift: CalibrationRun.line(shifts, at: middle),
      xruns: input.status.xruns)
  }

  /// The straight line of least squares, at a place.
  static func line(_ points: [(second: Double, frames: Double)], at second: Double) -> Double {
    guard !points.isEmpty else { return 0 }
    let count = Double(points.count)
    let x = points.reduce(0) { $0 + $1.second } / count
    let y = points.reduce(0) { $0 + $1.frames } / count
    let square = points.reduce(0) { $0 + ($1.second - x) * ($1.second - x) }
    let product = points.reduce(0) { $0 + ($1.second - x) * ($1.frames - y) }
    return square > 0 ? y + product / square * (second - x) : y
  }

  private func frames(_ seconds: Double, _ rate: Double) -> Int64 {
    Int64((seconds * rate).rounded())
  }

  private func play(_ sweep: [Float], at frame: Int64, _ decibels: Double) {
    let gain = Float(Sweep.loudest * DecibelLaw.gain(decibels))
    var done = 0
    while done < sweep.count {
      var block = OverlayBlock()
      block.frame = frame + Int64(done)
      let count = min(OverlayBlock.frameCapacity, sweep.count - done)
      block.frameCount = Int32(count)
      for index in 0..<count {
        block.samples[index * 2] = sweep[done + index] * gain
        block.samples[index * 2 + 1] = sweep[done + index] * gain
      }
      _ = queue.push(block)
      done += count
    }
  }

  private func drain(
    _ input: AudioInput, _ session: TakeSession, zero: Int64, _ ear: inout SweepEar
  ) throws(TakeError) {
    while let block = input.blocks.pop() {
      var block = block
      var failure: TakeError?
      let count = Int(block.frameCount * block.channelCount)
      unsafe withUnsafeBytes(of: &block.samples) { bytes in
        let samples = unsafe UnsafeBufferPointer(
          rebasing: bytes.bindMemory(to: Float.self)[..<count])
        unsafe ear.take(samples)
        do throws(TakeError) {
          try unsafe session.append(samples, at: block.frame, zero: zero)
        } catch { failure = error }
      }
      if let failure { throw failure }
    }
  }

  // MARK: Analysis

  private struct AnalysisFailure: Error {
    var text: String
  }

  /// The transform's library stays out of this process.
  private func analyse(
    _ path: String, raised: Int, _ thread: ListenThread
  ) throws(AnalysisFailure) -> CalibrationAnswer {
    guard let program = ProgramFile.sibling("tactus") else {
      throw AnalysisFailure(text: "'tactus', which analyses the recording, is not beside tactusd")
    }
    let arguments = [
      program, "calibrate", "--analyse", path, "--count", "\(order.count)", "--spacing",
      "\(order.spacingSeconds)", "--raised", "\(raised)", "--json",
    ]
    var pointers: [UnsafePointer<CChar>?] = unsafe arguments.map {
      unsafe UnsafePointer(strdup($0))
    }
    unsafe pointers.append(nil)
    defer { unsafe pointers.forEach { unsafe free(UnsafeMutablePointer(mutating: $0)) } }
    let descriptor = unsafe clinux_spawn_read(pointers)
    guard descriptor >= 0 else {
      throw AnalysisFailure(text: "the analysis cannot be started (errno \(-descriptor))")
    }
    defer { clinux_close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16_384)
    let begin = MonotonicClock.now()
    while true {
      guard !thread.wasCancelled else { throw AnalysisFailure(text: "cancelled") }
      guard MonotonicClock.now().nanoseconds(since: begin) < 120_000_000_000,
        bytes.count < 1 << 20
      else { throw AnalysisFailure(text: "the analysis did not end") }
      _ = clinux_poll_two(descriptor, -1, 100)
      let count = unsafe read(descriptor, &chunk, chunk.count)
      if count < 0, errno == EAGAIN || errno == EINTR { continue }
      if count <= 0 { break }
      bytes += chunk[..<count]
    }
    do throws(FormatError) { return try CalibrationAnswer(bytes) } catch {
      throw AnalysisFailure(
        text: "the analysis failed: try 'tactus calibrate --analyse' on a recording by hand")
    }
  }
}
