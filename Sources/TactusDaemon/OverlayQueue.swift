internal import ThreadCrossing

/// A piece of sound beside the clicks: sweeps, or earlier takes.
struct OverlayBlock: BitwiseCopyable {
  static let frameCapacity = 256
  /// Of the sample clock.
  var frame: Int64 = 0
  var frameCount: Int32 = 0
  /// Left and right in turn, full scale 1.0.
  var samples = InlineArray<512, Float>(repeating: 0)
}

/// What the audio thread mixes in; no queue where nothing is wanted, which costs nothing.
struct OverlaySupply: BitwiseCopyable {
  var ends: SPSCQueueEnds<OverlayBlock>?
}

/// Mixes an overlay into what the engine has rendered.
///
/// - Thread: audio; free of allocation and locks.
struct OverlayMixer {
  private var supply = OverlaySupply(ends: nil)

  /// Outside the render: the queue is another from now on.
  mutating func use(_ supply: OverlaySupply) { self.supply = supply }

  /// - Parameters:
  ///   - frame: of the first sample.
  ///   - output: planar Float32; what is added stays within full scale.
  @_noAllocation @_noLocks
  func mix(
    at frame: Int64, into output: UnsafeMutablePointer<Float>, channelStride: Int,
    channelCount: Int, frameCount: Int
  ) {
    guard let ends = supply.ends else { return }
    let end = frame &+ Int64(frameCount)
    while let block = ends.peek() {
      if block.frame >= end { return }
      let blockEnd = block.frame &+ Int64(block.frameCount)
      let from = block.frame > frame ? block.frame : frame
      let to = blockEnd < end ? blockEnd : end
      var at = from
      while at < to {
        let source = Int(at &- block.frame) &* 2
        let target = Int(at &- frame)
        let left = block.samples[source]
        let right = block.samples[source &+ 1]
        if channelCount > 1 {
          unsafe output[target] = OverlayMixer.held(output[target] + left)
          let second = channelStride &+ target
          unsafe output[second] = OverlayMixer.held(output[second] + right)
        } else {
          unsafe output[target] = OverlayMixer.held(output[target] + (left + right) * 0.5)
        }
        at &+= 1
      }
      // The rest of it belongs to the next render.
      if blockEnd > end { return }
      _ = ends.pop()
    }
  }

  @_noAllocation @_noLocks
  private static func held(_ sample: Float) -> Float {
    sample > 1 ? 1 : (sample < -1 ? -1 : sample)
  }
}

/// The queue from whoever plays beside the clicks to the audio thread, and its handing over.
///
/// - Thread: control opens and closes; one other thread feeds.
@safe final class OverlayDesk: @unchecked Sendable {
  /// What the audio thread is to use.
  let supply = LatestValue(OverlaySupply(ends: nil))
  /// The version of `supply` that the audio thread uses.
  let inUse = LatestValue<UInt64>(0)
  private var queue: SPSCQueue<OverlayBlock>?
  /// A queue that the audio thread may still read, until `inUse` has come so far.
  private var leaving: [(queue: SPSCQueue<OverlayBlock>, version: UInt64)] = []

  /// Blocks: 0.7 s at 48 kHz, half a megabyte.
  private static let capacity = 128

  /// Makes a queue, which the audio thread takes up at its next period.
  func open() -> SPSCQueue<OverlayBlock> {
    close()
    let fresh = SPSCQueue<OverlayBlock>(capacity: OverlayDesk.capacity)
    queue = fresh
    supply.store(OverlaySupply(ends: fresh.ends))
    return fresh
  }

  /// What waits in the queue is not heard any more.
  func close() {
    guard let queue else { return }
    supply.store(OverlaySupply(ends: nil))
    leaving.append((queue, supply.version))
    self.queue = nil
  }

  /// Frees what nobody reads any more.
  func service() {
    guard !leaving.isEmpty else { return }
    let seen = inUse.load()
    leaving.removeAll { $0.version <= seen }
  }
}
