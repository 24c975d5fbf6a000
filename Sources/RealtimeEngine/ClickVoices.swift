internal import MusicalTime

/// One sounding click.
struct ClickVoice {
  var sound = ClickSound.silence
  /// The sound's frame at the start of the block; negative before its first sample.
  var position: Int64 = 0
  var gain: Float = 0
  var isSync = false
  var bank: Int32 = -1
  /// The sound's frame at which a short fade to silence begins.
  var fadeFrom = Int64.max

  // 64 frames are 1.3 ms at 48 kHz: short enough to be "now", long enough not to crack.
  static var fadeFrames: Int64 {
    @_noAllocation @_noLocks get { 64 }
  }

  /// The sound's frame at which nothing is left of it.
  var end: Int64 {
    @_noAllocation @_noLocks get {
      let length = Int64(sound.frameCount)
      guard fadeFrom < length &- ClickVoice.fadeFrames else { return length }
      return fadeFrom &+ ClickVoice.fadeFrames
    }
  }
}

/// Scheduled clicks, and the voices that are sounding in the order in which they began.
///
/// A voice that still sounds when the next one starts is mixed with it, never cut. When all voices
/// are taken the oldest one fades, which is counted. Voices are mixed in the order of their starts
/// and every gain is a function of the voice's own time, so the samples do not depend on how the
/// stream is cut into periods.
///
/// - Thread: audio; free of allocation and locks after `init`.
@safe struct ClickVoices {
  /// Voices that sound at one moment.
  static var voiceCount: Int {
    @_noAllocation @_noLocks get { 64 }
  }
  // Those that end within the block stay until it is mixed; beyond that a click is dropped.
  private static var capacity: Int {
    @_noAllocation @_noLocks get { 1024 }
  }

  private var queue = ClickQueue()
  private let voices: UnsafeMutablePointer<ClickVoice>
  private var count = 0
  private(set) var droppedClicks: Int64 = 0

  init() {
    unsafe voices = UnsafeMutablePointer<ClickVoice>.allocate(capacity: ClickVoices.capacity)
    unsafe voices.initialize(repeating: ClickVoice(), count: ClickVoices.capacity)
  }

  func free() {
    queue.free()
    unsafe voices.deallocate()
  }

  @_noAllocation @_noLocks
  mutating func schedule(_ click: ScheduledClick) {
    if !queue.insert(click) { droppedClicks &+= 1 }
  }

  /// Voids what is due at or after a frame of the grid; what has begun rings out.
  @_noAllocation @_noLocks
  mutating func cancel(from frame: FrameIndex) { queue.cancel(from: frame) }

  /// Everything that sounds fades within 64 frames, and nothing follows.
  @_noAllocation @_noLocks
  mutating func silence() {
    queue.removeAll()
    var index = 0
    while index < count {
      if unsafe voices[index].fadeFrom > voices[index].position {
        unsafe voices[index].fadeFrom = voices[index].position
      }
      index &+= 1
    }
  }

  /// Whether a scheduled or sounding click still uses a bank.
  @_noAllocation @_noLocks
  func uses(bank: Int32) -> Bool {
    var index = 0
    while index < count {
      if unsafe voices[index].bank == bank { return true }
      index &+= 1
    }
    return queue.uses(bank: bank)
  }

  /// Whether nothing sounds at this moment.
  var isQuiet: Bool {
    @_noAllocation @_noLocks get { count == 0 }
  }

  /// The frame of the next click that has not begun.
  var nextFrame: FrameIndex {
    @_noAllocation @_noLocks get { queue.nextFrame }
  }

  @_noAllocation @_noLocks
  mutating func change(to epoch: RateChange) { queue.change(to: epoch) }

  /// Begins every click due before `end`; those due before `start` fell into a hole and are
  /// skipped.
  @_noAllocation @_noLocks
  mutating func begin(from start: FrameIndex, to end: FrameIndex, audibleLevels: UInt8) {
    while let click = queue.pop(before: end) {
      guard click.frame >= start else {
        droppedClicks &+= 1
        continue
      }
      guard click.levelBit == 0 || audibleLevels & click.levelBit != 0 else { continue }
      guard unsafe click.sound.samples != nil, click.sound.frameCount > 0 else { continue }
      beginVoice(click, delay: (click.frame - start).value)
    }
  }

  @_noAllocation @_noLocks
  private mutating func beginVoice(_ click: ScheduledClick, delay: Int64) {
    guard count < ClickVoices.capacity else {
      droppedClicks &+= 1
      return
    }
    fadeOldestIfFull(at: delay)
    var voice = ClickVoice()
    voice.sound = click.sound
    voice.position = 0 &- delay
    voice.gain = click.gain
    voice.isSync = click.isSync
    voice.bank = click.bank
    unsafe voices[count] = voice
    count &+= 1
  }

  @_noAllocation @_noLocks
  private mutating func fadeOldestIfFull(at delay: Int64) {
    guard count >= ClickVoices.voiceCount else { return }
    var sounding = 0
    var oldest = -1
    var index = 0
    while index < count {
      let voice = unsafe voices[index]
      let position = voice.position &+ delay
      if position < voice.end, position < voice.fadeFrom {
        if oldest < 0 { oldest = index }
        sounding &+= 1
      }
      index &+= 1
    }
    guard sounding >= ClickVoices.voiceCount else { return }
    unsafe voices[oldest].fadeFrom = voices[oldest].position &+ delay
    droppedClicks &+= 1
  }

  /// Adds the voices of one kind to planar channels.
  ///
  /// - Returns: whether there were any.
  @_noAllocation @_noLocks
  func mix(
    sync: Bool, output: UnsafeMutablePointer<Float>, stride: Int, channelCount: Int,
    frameCount: Int
  ) -> Bool {
    var found = false
    var index = 0
    while index < count {
      if unsafe voices[index].isSync == sync {
        found = true
        unsafe mix(
          voices[index], output: output, stride: stride, channelCount: channelCount,
          frameCount: frameCount)
      }
      index &+= 1
    }
    return found
  }

  /// Time passes; voices that have ended make room, the others keep their order.
  @_noAllocation @_noLocks
  mutating func pass(_ frameCount: Int) {
    var kept = 0
    var index = 0
    while index < count {
      var voice = unsafe voices[index]
      voice.position &+= Int64(frameCount)
      if voice.position < voice.end {
        unsafe voices[kept] = voice
        kept &+= 1
      }
      index &+= 1
    }
    count = kept
  }

  @_noAllocation @_noLocks
  private func mix(
    _ voice: ClickVoice, output: UnsafeMutablePointer<Float>, stride: Int, channelCount: Int,
    frameCount: Int
  ) {
    let first = voice.position < 0 ? Int(0 &- voice.position) : 0
    var last = frameCount
    if voice.position &+ Int64(frameCount) > voice.end { last = Int(voice.end &- voice.position) }
    guard first < last else { return }
    var channel = 0
    var sourceChannel = 0
    while channel < channelCount, channel < 64 {
      if (voice.sound.route >> UInt64(channel)) & 1 == 1 {
        unsafe mixChannel(
          voice, sourceChannel: sourceChannel, target: output + channel &* stride, first: first,
          last: last)
        sourceChannel = (sourceChannel &+ 1) % Int(voice.sound.channelCount)
      }
      channel &+= 1
    }
  }

  @_noAllocation @_noLocks
  private func mixChannel(
    _ voice: ClickVoice, sourceChannel: Int, target: UnsafeMutablePointer<Float>, first: Int,
    last: Int
  ) {
    guard let samples = unsafe voice.sound.samples else { return }
    let step = Int(voice.sound.channelCount)
    var source = Int(voice.position &+ Int64(first)) &* step &+ sourceChannel
    let gain = voice.gain * voice.sound.gain
    var frame = first
    // The part before a fade, which is everything where there is none.
    var steadyEnd = last
    if voice.fadeFrom < voice.position &+ Int64(last) {
      steadyEnd = max(Int(voice.fadeFrom &- voice.position), first)
    }
    while frame < steadyEnd {
      unsafe target[frame] += samples[source] * gain
      source &+= step
      frame &+= 1
    }
    while frame < last {
      let left = ClickVoice.fadeFrames &- (voice.position &+ Int64(frame) &- voice.fadeFrom)
      guard left > 0 else { return }
      let fade = Float(left) / Float(ClickVoice.fadeFrames)
      unsafe target[frame] += samples[source] * gain * fade
      source &+= step
      frame &+= 1
    }
  }
}
