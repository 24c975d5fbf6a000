internal import MusicalTime

// The clock without a card: the same source, silent, paced by CLOCK_MONOTONIC.

extension OutputLoop {
  /// Waits until a quantum is due and lets it pass.
  func freeRunTurn() {
    let due = loop.clock.time(
      of: next + FrameCount(Int64(quantumFrames)) - FrameCount(leadFrames))
    host.sleep(until: due)
    keepPace()
  }

  /// Brings the source to a lead ahead of what would be heard now.
  func keepPace() {
    let now = loop.clock.frame(at: host.now())
    let target = now + FrameCount(leadFrames)
    // What should have been heard already (the process was stopped, the machine slept) is gone:
    // rendering it now would only bring a burst of late events.
    if next < now { skip(to: target) }
    while next + FrameCount(Int64(quantumFrames)) <= target {
      renderSilently(frameCount: quantumFrames)
    }
  }

  func skip(to frame: FrameIndex) {
    let count = (frame - next).value
    guard count > 0 else { return }
    source.skip(frameCount: count)
    next = frame
    source.didRender()
  }

  func renderSilently(frameCount: Int) {
    unsafe render(
      into: dump, channelStride: quantumFrames, channelCount: dumpChannels, frameCount: frameCount)
  }
}
