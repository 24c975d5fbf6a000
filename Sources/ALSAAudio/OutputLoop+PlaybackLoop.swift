internal import CLinux
internal import Glibc
internal import MusicalTime

// The clock with a card: stamps teach the frame clock, periods are rendered, packed and written.

extension OutputLoop {
  /// Fills a prepared device with silence and starts it; then its position can be measured.
  func prime(_ stream: OutputStream) {
    let configuration = stream.configuration
    join = JoinMeasurement(startedAt: host.now())
    phase = .joining
    var room = configuration.bufferFrames
    while room > 0 {
      let taken = writeSilence(stream, frameCount: min(room, configuration.periodFrames))
      if taken == -Int(EAGAIN) { break }
      guard taken > 0 else { return handle(taken == 0 ? -EIO : Int32(taken), stream) }
      room -= taken
    }
    let status = stream.device.status()
    guard status.code >= 0 else { return handle(status.code, stream) }
    if status.state == .prepared {
      let code = stream.device.start()
      if code < 0 { handle(code, stream) }
    }
  }

  /// Keeps the device on silence and the source in pace until the position is known.
  func joinTurn(_ stream: OutputStream) {
    guard let (status, isFresh) = waitForRoom(stream) else { return }
    keepPace()
    if isFresh, isInPace, let time = believableTime(status, patience: 8),
      join.take(status, time: time, clock: loop.clock)
    {
      return comeIn(stream, status, time: time)
    }
    if join.isStalled(at: host.now()) { return lose(-EIO) }
    fillWithSilence(stream, room: status.availableFrames)
  }

  /// Fills the buffer, so that the next wake-up is the card's and not that of room left over.
  ///
  /// Whole periods, as while playing. A stream that started within a period of its card (dmix) is
  /// woken with up to a period more room than it asked for; if only whole periods were written,
  /// that part of the buffer would never be used. So much is left that a position which wobbles
  /// does not miss a wake-up.
  private func fillWithSilence(_ stream: OutputStream, room: Int) {
    let period = stream.configuration.periodFrames
    let spare = room % period - period / 4
    var left = room - room % period + max(spare, 0)
    while left > 0 {
      let taken = writeSilence(stream, frameCount: min(left, period))
      guard taken > 0 else {
        if taken < 0 { handle(Int32(taken), stream) }
        return
      }
      left -= taken
    }
  }

  /// The position is known: the next frame written is the one that is due when it will be heard.
  private func comeIn(_ stream: OutputStream, _ status: PCMStatus, time: MonotonicTime) {
    let clock = loop.clock
    let delay = FrameClock(
      frame: FrameIndex(0), heardAt: time, framesPerSecond: clock.framesPerSecond)
    deviceNext = clock.frame(at: delay.time(of: FrameIndex(Int64(status.delayFrames))))
    observedNext = deviceNext
    // A source that is ahead waits behind silence; see `playTurn`.
    skip(to: deviceNext)
    countMissing(to: next)
    breakFrame = nil
    steps = ClockStepDetector()
    hasPlayed = true
    phase = .playing
    tell(StreamFact(kind: .playing))
  }

  func playTurn(_ stream: OutputStream) {
    let period = stream.configuration.periodFrames
    var room: Int
    // A stamp every 10 ms teaches the clock all that it can learn.
    if (deviceNext - observedNext).value >= Int64(stream.configuration.framesPerSecond / 100) {
      guard let (seen, isFresh) = waitForRoom(stream) else { return }
      if isFresh, let time = believableTime(seen, patience: 0) {
        observedNext = deviceNext
        status.delayFrames = seen.delayFrames
        let heard = deviceNext - FrameCount(Int64(seen.delayFrames))
        switch steps.take(
          errorNanoseconds: time.nanoseconds(since: loop.clock.time(of: heard)),
          jitterNanoseconds: loop.jitterNanoseconds)
        {
        case .steady: loop.observe(frame: heard, heardAt: time)
        case .doubtful: break
        // The stream has been moved without a word: another sink, a pause in a sound server.
        case .step: return restall(stream)
        }
      }
      room = seen.availableFrames
    } else {
      let ready = stream.device.wait(milliseconds: longestWait(stream))
      room = ready < 0 ? Int(ready) : stream.device.available()
      if room < 0 {
        if XrunRecovery(code: Int32(clamping: room)) != .retry {
          handle(Int32(clamping: room), stream)
        }
        return
      }
    }
    if room < period {
      // The device reports ready but has no room: never ask again before it can have.
      guard !isStalled() else { return restall(stream) }
      return waitForFrames(period - room)
    }
    while room >= period {
      guard writePeriod(stream) else { return }
      room -= period
    }
    steadyTurns += 1
    if steadyTurns == 256 { failures = 0 }
  }

  /// Renders and writes one period, or pays the silence that is owed.
  ///
  /// - Returns: false when the device had to be handled.
  private func writePeriod(_ stream: OutputStream) -> Bool {
    let configuration = stream.configuration
    let period = configuration.periodFrames
    let owed = (next - deviceNext).value
    if owed > 0 {
      let taken = writeSilence(stream, frameCount: Int(min(owed, Int64(period))))
      guard taken >= 0 else {
        handle(Int32(taken), stream)
        return false
      }
      deviceNext = deviceNext + FrameCount(Int64(taken))
      return taken > 0
    }
    unsafe render(
      into: stream.planar, channelStride: period, channelCount: configuration.channelCount,
      frameCount: period)
    unsafe configuration.format.convert(
      planar: stream.planar, channelStride: period, channelCount: configuration.channelCount,
      frameCount: period, into: stream.packed)
    return writeAll(stream, frameCount: period)
  }

  private func writeAll(_ stream: OutputStream, frameCount: Int) -> Bool {
    var done = 0
    var refusals = 0
    while done < frameCount {
      let bytes = unsafe stream.packed + done * stream.configuration.bytesPerFrame
      let taken = unsafe stream.device.write(bytes, frameCount: frameCount - done)
      if taken > 0 {
        done += taken
        deviceNext = deviceNext + FrameCount(Int64(taken))
        continue
      }
      let code = taken == 0 ? -EAGAIN : Int32(clamping: taken)
      guard XrunRecovery(code: code) == .retry else {
        handle(code, stream)
        return false
      }
      // There was room for a period; a device that takes none of it four times over is broken.
      refusals += 1
      guard refusals < 4 else {
        handle(-EIO, stream)
        return false
      }
      waitForFrames(frameCount - done)
    }
    return true
  }

  /// Waits for room and reads the status that belongs to it.
  ///
  /// A status is fresh when the card's own interrupt has just brought it: when the wait had to wait
  /// and did not time out. At other times the position of a card that counts in ticks (snd-aloop)
  /// or in transfers (USB) lies behind, while its stamp is the time of the call: milliseconds of
  /// error that repeat themselves.
  ///
  /// - Returns: nil when the device had to be handled.
  private func waitForRoom(_ stream: OutputStream) -> (status: PCMStatus, isFresh: Bool)? {
    let configuration = stream.configuration
    let before = host.now()
    let ready = stream.device.wait(milliseconds: longestWait(stream))
    // A call that returns at once takes a few microseconds.
    let hasWaited = host.now().nanoseconds(since: before) > 50_000
    if ready < 0, XrunRecovery(code: ready) != .retry {
      handle(ready, stream)
      return nil
    }
    let status = stream.device.status()
    let code = status.code < 0 ? status.code : XrunRecovery.code(for: status.state)
    if code < 0 {
      handle(code, stream)
      return nil
    }
    if phase == .joining, ready > 0, status.availableFrames < configuration.periodFrames {
      waitForFrames(configuration.periodFrames - status.availableFrames)
    }
    return (status, ready > 0 && hasWaited)
  }

  /// Two periods and some patience, rounded up: a wait that ends just before a wake-up finds the
  /// room that it would have been woken for, so the next one returns at once, and a position that
  /// belongs to an interrupt is never seen. dmix wakes at the period of its own card, which a
  /// stream that started within one sees full only at the second. The source, a buffer of two
  /// periods or more ahead, falls behind by less than the horizon meanwhile.
  private func longestWait(_ stream: OutputStream) -> Int32 {
    let configuration = stream.configuration
    let rate = max(configuration.framesPerSecond, 1)
    return Int32(clamping: (2 * configuration.periodFrames * 1000 + rate - 1) / rate + 10)
  }

  /// Sleeps while so many frames are heard.
  private func waitForFrames(_ count: Int) {
    let nanoseconds = Int64(count) * 1_000_000_000 / max(loop.clock.framesPerSecond, 1)
    host.sleep(until: host.now().advanced(byNanoseconds: max(nanoseconds, 200_000)))
  }

  /// Whether all that was written should have been heard, yet the device still holds it.
  private func isStalled() -> Bool { deviceNext < loop.clock.frame(at: host.now()) }

  /// A device that stands still or has jumped without an error: the source goes on, and sound joins
  /// in again where the device is now.
  private func restall(_ stream: OutputStream) {
    interrupt()
    join = JoinMeasurement(startedAt: host.now(), isRunning: true)
    phase = .joining
  }

  func suspendedTurn(_ stream: OutputStream) {
    freeRunTurn()
    guard nextResume <= host.now() else { return }
    nextResume = host.now().advanced(byNanoseconds: 100_000_000)
    let code = stream.device.resume()
    if code == -EAGAIN { return }
    if code < 0 {
      // Most drivers cannot resume: then the stream starts afresh.
      let prepared = stream.device.prepare()
      guard prepared >= 0 else { return lose(prepared) }
      tell(StreamFact(kind: .resumed))
      return prime(stream)
    }
    tell(StreamFact(kind: .resumed))
    join = JoinMeasurement(startedAt: host.now(), isRunning: true)
    phase = .joining
  }

  /// The instant that a status belongs to.
  ///
  /// - Parameter patience: unbelievable stamps to pass over before the time of the call stands in.
  /// - Returns: nil while patience lasts.
  private func believableTime(_ status: PCMStatus, patience: Int) -> MonotonicTime? {
    let now = host.now()
    let age = now.nanoseconds(since: status.time)
    // A stamp is from the last second and not from the future; 0 and wall-clock stamps are neither.
    if age >= 0 && age < 1_000_000_000 { return status.time }
    self.status.doubtfulStamps += 1
    join.doubts += 1
    return join.doubts > patience ? now : nil
  }

  private func writeSilence(_ stream: OutputStream, frameCount: Int) -> Int {
    let taken = unsafe stream.device.write(stream.silence, frameCount: frameCount)
    if taken > 0 { join.written += Int64(taken) }
    return taken
  }

  /// The one call into the source; everything inside is checked as real time.
  func render(
    into output: UnsafeMutablePointer<Float>, channelStride: Int, channelCount: Int,
    frameCount: Int
  ) {
    clinux_rtsan_enter()
    unsafe source.render(
      into: output, channelStride: channelStride, channelCount: channelCount,
      frameCount: frameCount)
    clinux_rtsan_exit()
    next = next + FrameCount(Int64(frameCount))
    status.periods += 1
    source.didRender()
  }
}
