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
  private let levelFrames: Int32
  private let muteFrames: Int32

  init(gain: Float, rate: Int64) {
    level = LinearRamp(value: gain)
    mute = LinearRamp(value: 1)
    startUp = LinearRamp(value: 0)
    // 10 ms keep a fader from crackling; the mute's 5 ms and the start-up's 50 ms are promised.
    levelFrames = Int32(rate / 100)
    muteFrames = Int32(rate / 200)
    startUp.move(to: 1, over: Int32(rate / 20))
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
        let base = channel &* stride
        var frame = 0
        while frame < frameCount {
          unsafe output[base &+ frame] = OutputStage.limit(output[base &+ frame] * gain)
          frame &+= 1
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

  /// Linear up to the knee, then bent so that it never passes the ceiling and has no corner.
  @_noAllocation @_noLocks
  static func limit(_ x: Float) -> Float {
    let magnitude = x < 0 ? -x : x
    guard magnitude > knee else { return x }
    let room = ceiling - knee
    let over = (magnitude - knee) / room
    let bent = knee + room * (over / (1 + over))
    return x < 0 ? -bent : bent
  }
}

/// A gain that moves to its target in equal steps, one a frame.
struct LinearRamp {
  private(set) var value: Float
  private var target: Float
  private var step: Float = 0
  private var framesLeft: Int32 = 0

  init(value: Float) {
    self.value = value
    target = value
  }

  var isSteady: Bool {
    @_noAllocation @_noLocks get { framesLeft == 0 }
  }

  @_noAllocation @_noLocks
  mutating func move(to newTarget: Float, over frames: Int32) {
    target = newTarget
    framesLeft = frames
    step = (newTarget - value) / Float(frames)
  }

  @_noAllocation @_noLocks
  mutating func next() -> Float {
    guard framesLeft > 0 else { return value }
    framesLeft &-= 1
    value = framesLeft == 0 ? target : value + step
    return value
  }

  @_noAllocation @_noLocks
  mutating func skip(_ frames: Int) {
    guard framesLeft > 0 else { return }
    if frames >= Int(framesLeft) {
      framesLeft = 0
      value = target
    } else {
      framesLeft &-= Int32(frames)
      value += step * Float(frames)
    }
  }
}
