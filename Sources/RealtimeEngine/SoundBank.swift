/// The sound of one level or beat, prepared at the output's rate.
///
/// - Unit: frames of interleaved Float32, full scale 1.0
@frozen
@safe public struct ClickSound: @unchecked Sendable, BitwiseCopyable {
  /// Interleaved; nil is silence.
  public var samples: UnsafePointer<Float>?
  public var frameCount: Int32
  /// 1 or 2; a mono sound plays on every channel of its route.
  public var channelCount: Int32
  public var gain: Float
  /// Output channels that it plays on, bit n for channel n (0-based).
  public var route: UInt64

  @inlinable @_noAllocation @_noLocks
  public init(
    samples: UnsafePointer<Float>?, frameCount: Int32, channelCount: Int32, gain: Float,
    route: UInt64
  ) {
    unsafe self.samples = unsafe samples
    self.frameCount = frameCount
    self.channelCount = channelCount
    self.gain = gain
    self.route = route
  }

  @inlinable public static var silence: ClickSound {
    @_noAllocation @_noLocks get {
      unsafe ClickSound(samples: nil, frameCount: 0, channelCount: 1, gain: 1, route: 3)
    }
  }
}

/// What a sound is played for; the raw value is its slot in a bank.
@frozen
public enum SoundSlot: Int, Sendable, BitwiseCopyable, CaseIterable {
  case strong = 0
  case normal, soft, subdivision, layer, countIn, countInAccent, timerEnd, sync

  /// The slot's index, open to the real-time checks.
  @inlinable public var index: Int {
    @_noAllocation @_noLocks get {
      switch self {
      case .strong: return 0
      case .normal: return 1
      case .soft: return 2
      case .subdivision: return 3
      case .layer: return 4
      case .countIn: return 5
      case .countInAccent: return 6
      case .timerEnd: return 7
      case .sync: return 8
      }
    }
  }
}

/// A bank that stays alive until the engine says that it is retired.
///
/// `slots` holds `SoundSlot.allCases.count` sounds; `beats` holds `beatCount` sounds, which take
/// the place of the level's sound on that beat of the bar where their samples are not nil.
@frozen
@safe public struct SoundBankReference: @unchecked Sendable, BitwiseCopyable {
  public var identifier: Int32
  public var slots: UnsafePointer<ClickSound>?
  public var beats: UnsafePointer<ClickSound>?
  public var beatCount: Int32

  @inlinable @_noAllocation @_noLocks
  public init(
    identifier: Int32, slots: UnsafePointer<ClickSound>?, beats: UnsafePointer<ClickSound>?,
    beatCount: Int32
  ) {
    self.identifier = identifier
    unsafe self.slots = unsafe slots
    unsafe self.beats = unsafe beats
    self.beatCount = beatCount
  }
}
