internal import Glibc
internal import MusicalTime
internal import RealtimeHost
internal import ThreadCrossing

/// The capture thread: reads an input, keeps its clock, and hands on what was heard.
///
/// Its frames count from the start of the input and never stop: what an interruption cost is
/// measured by the clock when the input runs again, and is a hole between two blocks. So a frame of
/// the recording has one instant, whatever happened before it.
///
/// - Thread: capture, all of it, after `init`.
@safe final class CaptureLoop {
  let device: any CaptureDevice
  private let host: any HostClock
  private let clockCell: LatestValueWriter<FrameClock>
  private let statusCell: LatestValueWriter<CaptureStatus>
  private let blocks: SPSCQueueEnds<CaptureBlock>
  private let kept: Int
  private let packed: UnsafeMutableRawPointer
  private let decoded: UnsafeMutablePointer<Float>
  /// What was read after an interruption, until it is known which frames they are.
  private let held: UnsafeMutablePointer<Float>
  private let mostHeld: Int
  private var heldFrames = 0

  private(set) var loop: DelayLockedLoop
  private(set) var status = CaptureStatus()
  /// The next frame to be read.
  private var next: Int64 = 0
  /// Frames read since the device was last started.
  private var sinceStart: Int64 = 0
  /// Whether the position after a start is known.
  private var isPlaced = false
  private var placements = 0
  private var placed = 0.0
  private var stamps = 0
  private var doubts = 0
  private var failures = 0
  private var steadyReads = 0
  private var lastProgress = MonotonicTime.distantPast
  private var restartedAt = MonotonicTime.distantPast

  /// Stamps after which the clock is good to a few microseconds on a real card: half a second.
  private static let settledStamps = 40
  /// Stamps that place an input after an interruption.
  private static let placingStamps = 4
  /// Without a frame for so long it has stopped delivering.
  private static let patienceNanoseconds: Int64 = 3_000_000_000

  init(
    device: any CaptureDevice, keptChannels: Int, host: any HostClock,
    clockCell: LatestValueWriter<FrameClock>, statusCell: LatestValueWriter<CaptureStatus>,
    blocks: SPSCQueueEnds<CaptureBlock>
  ) {
    self.device = device
    self.host = host
    self.clockCell = clockCell
    self.statusCell = statusCell
    self.blocks = blocks
    let configuration = device.configuration
    kept = min(keptChannels, configuration.channelCount)
    loop = DelayLockedLoop(
      clock: FrameClock(
        frame: FrameIndex(0), heardAt: host.now(),
        framesPerSecond: Int64(configuration.framesPerSecond)))
    let bytes = configuration.periodFrames * configuration.bytesPerFrame
    unsafe packed = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 16)
    unsafe packed.initializeMemory(as: UInt8.self, repeating: 0, count: bytes)
    let samples = configuration.periodFrames * kept
    unsafe decoded = UnsafeMutablePointer<Float>.allocate(capacity: samples)
    unsafe decoded.initialize(repeating: 0, count: samples)
    mostHeld = configuration.periodFrames * 4 * CaptureLoop.placingStamps
    unsafe held = UnsafeMutablePointer<Float>.allocate(capacity: mostHeld * kept)
    unsafe held.initialize(repeating: 0, count: mostHeld * kept)
  }

  deinit {
    unsafe packed.deallocate()
    unsafe decoded.deallocate()
    unsafe held.deallocate()
  }

  var hasEnded: Bool { status.state == .ended }

  /// Starts the device.
  func begin() {
    lastProgress = host.now()
    restart()
    publish()
  }

  /// One wait, and everything that can be read after it.
  func turn() {
    let before = host.now()
    let ready = device.wait(milliseconds: longestWait)
    let hasWaited = host.now().nanoseconds(since: before) > 50_000
    if ready < 0 {
      handle(ready)
      return publish()
    }
    let seen = device.status()
    let code = seen.code < 0 ? seen.code : XrunRecovery.code(for: seen.state)
    if code < 0 {
      handle(code)
      return publish()
    }
    // As with playback: only a wake-up of the card itself has a position that belongs to its stamp.
    if (ready > 0 && hasWaited) || hasNoFreshStamps, let time = believableTime(seen) {
      learn(seen, time)
    }
    read(seen.availableFrames)
    if host.now().nanoseconds(since: lastProgress) > CaptureLoop.patienceNanoseconds {
      end(EIO)
    }
    publish()
  }

  /// Two periods and some patience, rounded up.
  private var longestWait: Int32 {
    let configuration = device.configuration
    let rate = max(configuration.framesPerSecond, 1)
    return Int32(clamping: (2 * configuration.periodFrames * 1000 + rate - 1) / rate + 10)
  }

  /// A device that always has something to read, such as a plug-in, is never seen at a wake-up: a
  /// clock of any stamps is better than none.
  private var hasNoFreshStamps: Bool {
    stamps < CaptureLoop.settledStamps && (!isPlaced || next > loop.clock.framesPerSecond * 2)
      && host.now().nanoseconds(since: restartedAt) > 2_000_000_000
  }

  private func learn(_ seen: PCMStatus, _ time: MonotonicTime) {
    let position = sinceStart + Int64(seen.delayFrames)
    guard position > 0 else { return }
    guard isPlaced else { return place(position, time) }
    let captured = next + Int64(seen.delayFrames)
    if stamps == 0 {
      loop.restart(
        from: FrameClock(
          frame: FrameIndex(captured), heardAt: time,
          framesPerSecond: loop.clock.framesPerSecond))
    } else {
      loop.observe(frame: FrameIndex(captured), heardAt: time)
    }
    stamps += 1
    if stamps >= CaptureLoop.settledStamps, status.state == .settling { status.state = .running }
  }

  /// After an interruption the clock, which went on, says which frame comes next.
  private func place(_ position: Int64, _ time: MonotonicTime) {
    placed += loop.clock.exactFrame(at: time) - Double(position)
    placements += 1
    if placements >= CaptureLoop.placingStamps { settlePlace() }
  }

  private func settlePlace() {
    guard placements > 0 else { return }
    let first = Int64((placed / Double(placements)).rounded())
    status.missingFrames += max(0, first - next)
    next = max(next, first)
    isPlaced = true
    unsafe handOn(held, heldFrames)
    next += Int64(heldFrames)
    heldFrames = 0
  }

  private func read(_ available: Int) {
    let period = device.configuration.periodFrames
    var left = max(available, 0)
    while left > 0 {
      let count = unsafe device.read(packed, frameCount: min(left, period))
      guard count > 0 else {
        if count < 0, XrunRecovery(code: Int32(clamping: count)) != .retry {
          handle(Int32(clamping: count))
        }
        return
      }
      unsafe device.configuration.format.decode(
        packed, channelCount: device.configuration.channelCount, kept: kept, frameCount: count,
        into: decoded)
      if isPlaced {
        unsafe handOn(decoded, count)
        next += Int64(count)
      } else {
        hold(count)
      }
      sinceStart += Int64(count)
      left -= count
      lastProgress = host.now()
    }
    steadyReads += 1
    if steadyReads == 256 { failures = 0 }
  }

  /// Where no stamp can be believed for long, the next one that can places what follows.
  private func hold(_ count: Int) {
    guard heldFrames + count <= mostHeld else {
      settlePlace()
      // Without a single stamp nothing is known: it waits to be placed from here on.
      guard isPlaced else {
        heldFrames = 0
        return
      }
      unsafe handOn(decoded, count)
      next += Int64(count)
      return
    }
    for index in 0..<(count * kept) {
      unsafe held[heldFrames * kept + index] = decoded[index]
    }
    heldFrames += count
  }

  /// What finds no room is a hole between two blocks.
  private func handOn(_ samples: UnsafeMutablePointer<Float>, _ count: Int) {
    let most = CaptureBlock.sampleCapacity / kept
    var done = 0
    var block = CaptureBlock()
    block.channelCount = Int32(kept)
    while done < count {
      let frames = min(most, count - done)
      block.frame = next + Int64(done)
      block.frameCount = Int32(frames)
      for index in 0..<(frames * kept) {
        unsafe block.samples[index] = samples[done * kept + index]
      }
      if !blocks.push(block) { status.missingFrames += Int64(frames) }
      done += frames
    }
  }

  private func handle(_ code: Int32) {
    switch XrunRecovery(code: code) {
    case .retry:
      return
    case .prepare:
      interrupt(code)
    case .resume:
      let resumed = device.resume()
      if resumed == -EAGAIN {
        host.sleep(until: host.now().advanced(byNanoseconds: 100_000_000))
        lastProgress = host.now()
        return
      }
      interrupt(code)
    case .reopen:
      end(code < 0 ? -code : code)
    }
  }

  private func interrupt(_ code: Int32) {
    status.xruns += 1
    failures += 1
    steadyReads = 0
    guard failures <= 8 else { return end(code < 0 ? -code : code) }
    restart()
  }

  private func restart() {
    let prepared = device.prepare()
    guard prepared >= 0 else { return end(-prepared) }
    sinceStart = 0
    restartedAt = host.now()
    placements = 0
    heldFrames = 0
    placed = 0
    // The first start is where frames are counted from.
    isPlaced = stamps == 0
    let started = device.start()
    if started < 0 { end(-started) }
  }

  private func end(_ code: Int32) {
    status.state = .ended
    status.code = code
  }

  /// As for playback: a stamp is from the last second and not from the future.
  private func believableTime(_ seen: PCMStatus) -> MonotonicTime? {
    let now = host.now()
    let age = now.nanoseconds(since: seen.time)
    if age >= 0 && age < 1_000_000_000 { return seen.time }
    doubts += 1
    return doubts > 8 ? now : nil
  }

  private func publish() {
    status.frame = next
    status.driftPPM = loop.clock.driftPPM
    status.jitterNanoseconds = Int(loop.jitterNanoseconds)
    clockCell.store(loop.clock)
    statusCell.store(status)
  }
}
