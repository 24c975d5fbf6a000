/// What is played: the engine with its wiring.
///
/// - Thread: every method is called on the audio thread.
public protocol AudioSource: AnyObject, SendableMetatype {
  /// Renders the next `frameCount` frames and advances the sample clock by as many.
  ///
  /// - Parameters:
  ///   - output: planar Float32, full scale 1.0; every sample is written.
  ///   - channelStride: samples from one channel's first to the next channel's first.
  @_noAllocation @_noLocks
  func render(
    into output: UnsafeMutablePointer<Float>, channelStride: Int, channelCount: Int,
    frameCount: Int)

  /// Frames that pass without sound, in an xrun or while no card plays: music time goes on.
  func skip(frameCount: Int64)

  /// The same in a hole of which the first `past` frames should have been heard already.
  func skip(frameCount: Int64, past: Int64)

  /// After each render, outside the real-time context: wakes the consumers.
  func didRender()

  /// A card came that cannot play the running rate: a new epoch begins at the first frame not yet
  /// rendered.
  ///
  /// - Returns: false where the source cannot follow; the card is then given back.
  func changeRate(framesPerSecond: Int) -> Bool
}

extension AudioSource {
  public func skip(frameCount: Int64, past: Int64) { skip(frameCount: frameCount) }

  public func changeRate(framesPerSecond: Int) -> Bool { false }
}
