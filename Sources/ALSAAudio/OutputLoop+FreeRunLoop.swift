internal import MusicalTime

// The clock without a card: the same source, silent, paced by CLOCK_MONOTONIC.

extension OutputLoop {
  /// Waits until a quantum is due and lets it pass.
  func freeRunTurn() {
    let due = loop.clock.time(
      of: next + FrameCount(Int64(quantumFrames)) - FrameCount(leadFrames))
    host.sleep(until: due)
    keepPace()
    // A long hole is walked in pieces, between which others may run.
    if !isInPace { host.sleep(until: host.now().advanced(byNanoseconds: 1_000_000)) }
  }

  /// Brings the source to a lead ahead of what would be heard now.
  func keepPace() {
    let now = loop.clock.frame(at: host.now())
    countMissing(to: now)
    let target = now + FrameCount(leadFrames)
    // What should have been heard already (the process was stopped, the machine slept) is gone:
    // rendering it now would only bring a burst of late events.
    if next < now { skip(to: min(target, next + longestSkip), past: (now - next).value) }
    while next + FrameCount(Int64(quantumFrames)) <= target {
      renderSilently(frameCount: quantumFrames)
    }
  }

  /// Whether all that should have been heard by now has been walked.
  var isInPace: Bool { next >= loop.clock.frame(at: host.now()) }

  /// Ten seconds of music are at most 5500 places: a millisecond or two of work. Hours of them
  /// must not be one turn of a real-time thread.
  private var longestSkip: FrameCount { FrameCount(10 * loop.clock.framesPerSecond) }

  func skip(to frame: FrameIndex, past: Int64 = 0) {
    let count = (frame - next).value
    guard count > 0 else { return }
    source.skip(frameCount: count, past: past)
    next = frame
    source.didRender()
  }

  func renderSilently(frameCount: Int) {
    unsafe render(
      into: dump, channelStride: quantumFrames, channelCount: dumpChannels, frameCount: frameCount)
  }
}
