/// The last stage before the card: level, mute, start-up fade and the soft limit.
///
/// Every gain is a function of how many frames have passed, so the samples do not depend on how
/// the stream is cut into periods.
///
/// - Unit: linear gain, full scale 1.0
/// - Thread: audio; free of allocation and locks.
struct OutputStage {
  /// -1 dBFS: 10^(-1/20).
  static var ceiling: Float {
    @_noAllocation @_noLocks get { 0.891_250_94 }
  }
  /// Below -3 dBFS (10^(-3/20)) the limiter does nothing at all.
  static var knee: Float {
    @_noAllocation @_noLocks get { 0.707_945_78 }
  }

  private var level: LinearRamp
  private var mute: LinearRamp
  private var startUp: LinearRamp
  private var levelFrames: Int32
  private var muteFrames: Int32

  init(gain: Float, rate: Int64) {
    level = LinearRamp(value: gain)
    mute = LinearRamp(value: 1)
    startUp = LinearRamp(value: 0)
    levelFrames = 0
    muteFrames = 0
    change(rate: rate)
    startUp.move(to: 1, over: Int32(rate / 20))
  }

  /// 10 ms keep a fader from crackling; the mute's 5 ms are promised.
  @_noAllocation @_noLocks
  mutating func change(rate: Int64) {
    levelFrames = Int32(truncatingIfNeeded: rate / 100)
    muteFrames = Int32(truncatingIfNeeded: rate / 200)
  }

  @_noAllocation @_noLocks
  mutating func setGain(_ gain: Float) { level.move(to: gain, over: levelFrames) }

  @_noAllocation @_noLocks
  mutating func setMute(_ muted: Bool) { mute.move(to: muted ? 0 : 1, over: muteFrames) }

  /// Lets time pass without sound.
  @_noAllocation @_noLocks
  mutating func skip(_ frameCount: Int) {
    level.skip(frameCount)
    mute.skip(frameCount)
    startUp.skip(frameCount)
  }

  /// Applies the gains and the limit to planar channels in place.
  @_noAllocation @_noLocks
  mutating func process(
    _ output: UnsafeMutablePointer<Float>, stride: Int, channelCount: Int, frameCount: Int
  ) {
    if level.isSteady, mute.isSteady, startUp.isSteady {
      let gain = level.value * mute.value * startUp.value
      var channel = 0
      while channel < channelCount {
        let samples = unsafe output + channel &* stride
        if unsafe OutputStage.scale(samples, frameCount: frameCount, by: gain) {
          var frame = 0
          while frame < frameCount {
            unsafe samples[frame] = OutputStage.limit(samples[frame])
            frame &+= 1
          }
        }
        channel &+= 1
      }
      return
    }
    var frame = 0
    while frame < frameCount {
      let gain = level.next() * mute.next() * startUp.next()
      var channel = 0
      while channel < channelCount {
        let index = channel &* stride &+ frame
        unsafe output[index] = OutputStage.limit(output[index] * gain)
        channel &+= 1
      }
      frame &+= 1
    }
  }

  /// Applies a steady gain in a loop without branches, which becomes vector instructions.
  ///
  /// - Returns: whether the limiter has work; most often it has none.
  @_noAllocation @_noLocks
  private static func scale(
    _ samples: UnsafeMutablePointer<Float>, frameCount: Int, by gain: Float
  ) -> Bool {
    var peak: Int32 = 0
    var frame = 0
    while frame < frameCount {
      let sample = unsafe samples[frame] * gain
      unsafe samples[frame] = sample
      // Without their sign, floating-point numbers are in the order of their bits.
      let magnitude = Int32(bitPattern: sample.bitPattern & 0x7FFF_FFFF)
      peak = magnitude > peak ? magnitude : peak
      frame &+= 1
    }
    return peak > Int32(bitPattern: knee.bitPattern)
  }

  /// Keeps what was added after the limit below the ceiling.
  @_noAllocation @_noLocks
  static func clip(
    _ output: UnsafeMutablePointer<Float>, stride: Int, channelCount: Int, frameCount: Int
  ) {
    var channel = 0
    while channel < channelCount {
      let base = channel &* stride
      var frame = 0
      while frame < frameCount {
        let sample = unsafe output[base &+ frame]
        if sample > ceiling { unsafe output[base &+ frame] = ceiling }
        if sample < -ceiling { unsafe output[base &+ frame] = -ceiling }
        frame &+= 1
      }
      channel &+= 1
    }
  }

  /// Linear up to the knee, then bent so that it never passes the ceiling and has no corner.
  @_noAllocation @_noLocks
  static func limit(_ x: Float) -> Float {
    let magnitude = x < 0 ? -x : x
    guard magnitude > knee else { return x }
    let room = ceiling - knee
    let over = (magnitude - knee) / room
    let bent = min(knee + room * (over / (1 + over)), ceiling)
    return x < 0 ? -bent : bent
  }
}

/// A gain that moves to its target on a straight line.
///
/// Each value is computed from the frames that are left, so that skipping many frames and going
/// through each of them come to the same number.
struct LinearRamp {
  private var target: Float
  private var step: Float = 0
  private var framesLeft: Int32 = 0

  init(value: Float) { target = value }

  var value: Float {
    @_noAllocation @_noLocks get { target - step * Float(framesLeft) }
  }

  var isSteady: Bool {
    @_noAllocation @_noLocks get { framesLeft == 0 }
  }

  @_noAllocation @_noLocks
  mutating func move(to newTarget: Float, over frames: Int32) {
    let start = value
    target = newTarget
    framesLeft = max(frames, 1)
    step = (newTarget - start) / Float(framesLeft)
  }

  @_noAllocation @_noLocks
  mutating func next() -> Float {
    if framesLeft > 0 { framesLeft &-= 1 }
    return value
  }

  @_noAllocation @_noLocks
  mutating func skip(_ frames: Int) {
    framesLeft = frames >= Int(framesLeft) ? 0 : framesLeft &- Int32(frames)
  }
}
