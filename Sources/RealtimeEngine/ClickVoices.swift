internal import MusicalTime

/// A click that is announced and has not sounded yet.
struct ScheduledClick {
  var frame: FrameIndex
  var sound: ClickSound
  var gain: Float
  /// The level's bit in the mask of audible levels; 0 always sounds.
  var levelBit: UInt8
  var isSync: Bool
  var bank: Int32

  @_noAllocation @_noLocks
  init(
    frame: FrameIndex, sound: ClickSound, gain: Float, levelBit: UInt8, isSync: Bool, bank: Int32
  ) {
    self.frame = frame
    self.sound = sound
    self.gain = gain
    self.levelBit = levelBit
    self.isSync = isSync
    self.bank = bank
  }
}

/// Scheduled clicks in order of their frames, then the voices that are sounding.
///
/// A voice that still sounds when the next one starts is mixed with it, never cut. When all voices
/// are taken the oldest one ends, which is counted.
///
/// - Thread: audio; free of allocation and locks after `init`.
@safe struct ClickVoices {
  struct Voice {
    var sound = ClickSound.silence
    var position: Int64 = 0
    var gain: Float = 0
    var isSync = false
    var bank: Int32 = -1
    /// Frames left of a fade to silence; 0 is no fade.
    var fadeLeft: Int32 = 0
    var isActive = false
  }

  static var voiceCount: Int {
    @_noAllocation @_noLocks get { 64 }
  }
  private static var queueCapacity: Int {
    @_noAllocation @_noLocks get { 4096 }
  }
  // 64 frames are 1.3 ms at 48 kHz: short enough to be "now", long enough not to crack.
  private static var fadeFrames: Int32 {
    @_noAllocation @_noLocks get { 64 }
  }

  private let queue: UnsafeMutablePointer<ScheduledClick>
  private var head = 0
  private var tail = 0
  private let voices: UnsafeMutablePointer<Voice>
  private(set) var droppedClicks: Int64 = 0

  init() {
    unsafe queue = UnsafeMutablePointer<ScheduledClick>.allocate(
      capacity: ClickVoices.queueCapacity)
    unsafe queue.initialize(
      repeating: ScheduledClick(
        frame: .distantPast, sound: .silence, gain: 0, levelBit: 0, isSync: false, bank: -1),
      count: ClickVoices.queueCapacity)
    unsafe voices = UnsafeMutablePointer<Voice>.allocate(capacity: ClickVoices.voiceCount)
    unsafe voices.initialize(repeating: Voice(), count: ClickVoices.voiceCount)
  }

  func free() {
    unsafe queue.deallocate()
    unsafe voices.deallocate()
  }

  @_noAllocation @_noLocks
  mutating func schedule(_ click: ScheduledClick) {
    guard head &- tail < ClickVoices.queueCapacity else {
      droppedClicks &+= 1
      return
    }
    unsafe queue[head & (ClickVoices.queueCapacity &- 1)] = click
    head &+= 1
  }

  /// Voids what has not begun by `frame`; what has begun rings out.
  @_noAllocation @_noLocks
  mutating func cancel(from frame: FrameIndex) {
    while head > tail {
      let last = unsafe queue[(head &- 1) & (ClickVoices.queueCapacity &- 1)]
      guard last.frame >= frame else { break }
      head &-= 1
    }
  }

  /// Everything that sounds fades within 64 frames.
  @_noAllocation @_noLocks
  mutating func silence() {
    var index = 0
    while index < ClickVoices.voiceCount {
      if unsafe voices[index].isActive && voices[index].fadeLeft == 0 {
        unsafe voices[index].fadeLeft = ClickVoices.fadeFrames
      }
      index &+= 1
    }
  }

  /// Whether a scheduled or sounding click still uses a bank.
  @_noAllocation @_noLocks
  func uses(bank: Int32) -> Bool {
    var position = tail
    while position < head {
      if unsafe queue[position & (ClickVoices.queueCapacity &- 1)].bank == bank { return true }
      position &+= 1
    }
    var index = 0
    while index < ClickVoices.voiceCount {
      if unsafe voices[index].isActive && voices[index].bank == bank { return true }
      index &+= 1
    }
    return false
  }

  /// Whether nothing sounds at this moment.
  var isQuiet: Bool {
    @_noAllocation @_noLocks get {
      var index = 0
      while index < ClickVoices.voiceCount {
        if unsafe voices[index].isActive { return false }
        index &+= 1
      }
      return true
    }
  }

  /// The frame of the next click that has not begun.
  var nextFrame: FrameIndex {
    @_noAllocation @_noLocks get {
      head > tail
        ? unsafe queue[tail & (ClickVoices.queueCapacity &- 1)].frame : .distantFuture
    }
  }

  /// Begins every click due before `end`; those due before `start` fell into a hole and are
  /// skipped.
  @_noAllocation @_noLocks
  mutating func begin(from start: FrameIndex, to end: FrameIndex, audibleLevels: UInt8) {
    while head > tail {
      let click = unsafe queue[tail & (ClickVoices.queueCapacity &- 1)]
      guard click.frame < end else { return }
      tail &+= 1
      guard click.frame >= start else {
        droppedClicks &+= 1
        continue
      }
      guard click.levelBit == 0 || audibleLevels & click.levelBit != 0 else { continue }
      guard unsafe click.sound.samples != nil, click.sound.frameCount > 0 else { continue }
      beginVoice(click, delay: click.frame - start)
    }
  }

  @_noAllocation @_noLocks
  private mutating func beginVoice(_ click: ScheduledClick, delay: FrameCount) {
    var chosen = 0
    var oldest: Int64 = Int64.min
    var index = 0
    while index < ClickVoices.voiceCount {
      if unsafe !voices[index].isActive {
        chosen = index
        break
      }
      if unsafe voices[index].position > oldest {
        oldest = unsafe voices[index].position
        chosen = index
      }
      index &+= 1
    }
    if index == ClickVoices.voiceCount { droppedClicks &+= 1 }
    var voice = Voice()
    voice.sound = click.sound
    // A negative position is the part of the block before the click's first sample.
    voice.position = 0 &- delay.value
    voice.gain = click.gain
    voice.isSync = click.isSync
    voice.bank = click.bank
    voice.isActive = true
    unsafe voices[chosen] = voice
  }

  /// Adds the voices to planar channels, or only lets time pass where `output` is nil.
  @_noAllocation @_noLocks
  mutating func mix(
    sync: Bool, output: UnsafeMutablePointer<Float>?, stride: Int, channelCount: Int,
    frameCount: Int
  ) {
    var index = 0
    while index < ClickVoices.voiceCount {
      if unsafe voices[index].isActive && voices[index].isSync == sync {
        unsafe mixVoice(
          &voices[index], output: output, stride: stride, channelCount: channelCount,
          frameCount: frameCount)
      }
      index &+= 1
    }
  }

  @_noAllocation @_noLocks
  private func mixVoice(
    _ voice: inout Voice, output: UnsafeMutablePointer<Float>?, stride: Int, channelCount: Int,
    frameCount: Int
  ) {
    let length = Int64(voice.sound.frameCount)
    let first = voice.position < 0 ? Int(0 &- voice.position) : 0
    var last = frameCount
    if voice.position &+ Int64(frameCount) > length { last = Int(length &- voice.position) }
    if unsafe output != nil, first < last {
      var channel = 0
      var sourceChannel = 0
      while channel < channelCount {
        if channel < 64, (voice.sound.route >> UInt64(channel)) & 1 == 1 {
          unsafe mixChannel(
            voice, sourceChannel: sourceChannel, output: output, offset: channel &* stride,
            first: first, last: last)
          sourceChannel = (sourceChannel &+ 1) % Int(voice.sound.channelCount)
        }
        channel &+= 1
      }
    }
    voice.position &+= Int64(frameCount)
    if voice.fadeLeft > 0 {
      voice.fadeLeft = voice.fadeLeft > Int32(frameCount) ? voice.fadeLeft &- Int32(frameCount) : 0
      if voice.fadeLeft == 0 { voice.isActive = false }
    }
    if voice.position >= length { voice.isActive = false }
  }

  @_noAllocation @_noLocks
  private func mixChannel(
    _ voice: Voice, sourceChannel: Int, output: UnsafeMutablePointer<Float>?, offset: Int,
    first: Int, last: Int
  ) {
    guard let target = unsafe output, let samples = unsafe voice.sound.samples else { return }
    let step = Int(voice.sound.channelCount)
    var source = Int(voice.position &+ Int64(first)) &* step &+ sourceChannel
    var frame = first
    let gain = voice.gain * voice.sound.gain
    if voice.fadeLeft == 0 {
      while frame < last {
        unsafe target[offset &+ frame] += samples[source] * gain
        source &+= step
        frame &+= 1
      }
      return
    }
    while frame < last {
      let left = voice.fadeLeft &- Int32(frame)
      guard left > 0 else { return }
      let fade = Float(left) / Float(ClickVoices.fadeFrames)
      unsafe target[offset &+ frame] += samples[source] * gain * fade
      source &+= step
      frame &+= 1
    }
  }
}
