import Glibc
import MusicalTime

@testable import ALSAAudio

/// Time that passes only when somebody waits for it.
final class SimulatedTime: HostClock {
  var time = MonotonicTime(nanoseconds: 10_000_000_000)
  /// Calls that did not let time pass, since it last did: a busy loop lets this grow.
  var idleCalls = 0
  var worstIdleCalls = 0

  func now() -> MonotonicTime { time }

  func sleep(until instant: MonotonicTime) { pass(until: instant) }

  func pass(until instant: MonotonicTime) {
    if instant > time {
      time = instant
      idleCalls = 0
    }
  }

  func pass(milliseconds: Int64) {
    pass(until: time.advanced(byNanoseconds: milliseconds * 1_000_000))
  }

  func countCall() {
    idleCalls += 1
    worstIdleCalls = max(worstIdleCalls, idleCalls)
  }
}

/// A card in simulated time that plays what is written to it, and that can fail.
final class SimulatedCard: PCMDevice {
  enum Call: Hashable { case wait, write, status, available, prepare, start, resume }

  let configuration: PCMConfiguration
  let clock: SimulatedTime
  /// The card's own rate against the host's, in parts per million.
  let driftPPM: Double
  /// Nanoseconds that stamps may be early or late, in turn.
  var stampJitter: Int64 = 0
  /// Stamps read 0 for so many times after a start, as snd-aloop's do.
  var staleStamps = 0
  /// Answers to come, before the card's own: the first of each list is used up by each call.
  var planned: [Call: [Int]] = [:]
  /// After this many further frames a write is cut short (and what follows is planned).
  var shortWrite: Int?
  /// The position moves in steps of so many milliseconds only, and stamps are the time of the
  /// call, as with snd-aloop on a kernel of 250 Hz; 0 is a card that knows where it is.
  var tickMilliseconds: Int64 = 0
  /// A mixer's wake-ups (dmix): only where the card behind it has played a multiple of so many
  /// frames, though the position is known at any time; 0 is a card of its own.
  var mixerPeriodFrames: Int64 = 0
  /// Frames into the mixer's period at which this stream starts.
  var mixerPhaseFrames: Int64 = 0
  /// Frames between the buffer and the converter, which `delay` counts too (USB transfers).
  var transferFrames = 0
  /// The position stands still from this instant on.
  var frozenAt: MonotonicTime?

  /// Frames still to be played at the emptiest wake-up since half a second has been written.
  private(set) var leastQueued = Int64.max

  private(set) var state = PCMState.prepared
  private(set) var calls: [Call: Int] = [:]
  private(set) var isClosed = false
  /// Every sample of the first channel, with the instant at which it is heard.
  private(set) var heard: [(time: MonotonicTime, sample: Float)] = []
  /// Off where a day of it would fill the memory.
  var isRecording = true
  private var written: Int64 = 0
  private var startedAt = MonotonicTime(nanoseconds: 0)
  /// Where it stands while it is paused.
  private var heldPosition: Int64 = 0
  private var jitterSign: Int64 = 1

  init(
    _ clock: SimulatedTime, framesPerSecond: Int = 48_000, driftPPM: Double = 0,
    periodFrames: Int = 256, bufferFrames: Int = 1024
  ) {
    self.clock = clock
    self.driftPPM = driftPPM
    configuration = PCMConfiguration(
      framesPerSecond: framesPerSecond, channelCount: 2, format: .float32,
      periodFrames: periodFrames, bufferFrames: bufferFrames)
  }

  private var frameNanoseconds: Double {
    1e9 / (Double(configuration.framesPerSecond) * (1 + driftPPM / 1e6))
  }

  private func instant(of position: Int64) -> MonotonicTime {
    startedAt.advanced(byNanoseconds: Int64((Double(position) * frameNanoseconds).rounded(.up)))
  }

  private var position: Int64 {
    var now = frozenAt.map { min($0, clock.time) } ?? clock.time
    if tickMilliseconds > 0 {
      now = MonotonicTime(nanoseconds: now.nanoseconds - now.nanoseconds % tickNanoseconds)
      if now < startedAt { return 0 }
    }
    // A millionth of a frame makes up for the division of what is a whole number of frames.
    return max(
      Int64(Double(now.nanoseconds(since: startedAt)) / frameNanoseconds + 1e-6), heldPosition)
  }

  private var tickNanoseconds: Int64 { tickMilliseconds * 1_000_000 }

  private func update() {
    if state == .running && position > written { state = .xrun }
  }

  private func plannedAnswer(_ call: Call) -> Int? {
    calls[call, default: 0] += 1
    clock.countCall()
    update()
    guard var answers = planned[call], !answers.isEmpty else { return nil }
    let answer = answers.removeFirst()
    planned[call] = answers
    return answer
  }

  private func begin() {
    state = .running
    startedAt = clock.time
    // What lies in the buffer already is heard from now on.
    for index in heard.indices.suffix(Int(written)) {
      let position = Int64(index) - Int64(heard.count) + written
      heard[index].time = instant(of: position + Int64(transferFrames))
    }
  }

  func suspend() { state = .suspended }

  /// Stands still for a while without a word, as a stream that a sound server moves.
  func pause(milliseconds: Int64) {
    heldPosition = position
    let queued = Int(written - position)
    startedAt = startedAt.advanced(byNanoseconds: milliseconds * 1_000_000)
    for index in heard.indices.suffix(queued) {
      heard[index].time = heard[index].time.advanced(byNanoseconds: milliseconds * 1_000_000)
    }
  }

  func prepare() -> Int32 {
    if let answer = plannedAnswer(.prepare) { return Int32(answer) }
    state = .prepared
    written = 0
    heldPosition = 0
    return 0
  }

  func start() -> Int32 {
    if let answer = plannedAnswer(.start) { return Int32(answer) }
    guard state == .prepared else { return -EBADFD }
    begin()
    return 0
  }

  func resume() -> Int32 {
    if let answer = plannedAnswer(.resume) { return Int32(answer) }
    guard state == .suspended else { return -EBADFD }
    // The rest of the buffer is heard from now on.
    state = .running
    let held: Int64 = 512
    startedAt = clock.time.advanced(
      byNanoseconds: -Int64(Double(written - held) * frameNanoseconds))
    return 0
  }

  func wait(milliseconds: Int32) -> Int32 {
    if let answer = plannedAnswer(.wait) { return Int32(answer) }
    switch state {
    case .xrun: return -EPIPE
    case .suspended: return -ESTRPIPE
    case .prepared, .running: break
    default: return -EBADFD
    }
    let limit = clock.time.advanced(byNanoseconds: Int64(milliseconds) * 1_000_000)
    if mixerPeriodFrames > 0,
      written - position <= Int64(configuration.bufferFrames - configuration.periodFrames)
    {
      return 1
    }
    var wanted = written + Int64(configuration.periodFrames - configuration.bufferFrames)
    if mixerPeriodFrames > 0 {
      let over = (wanted + mixerPhaseFrames) % mixerPeriodFrames
      if over > 0 { wanted += mixerPeriodFrames - over }
    }
    var ready = instant(of: wanted)
    if tickMilliseconds > 0 {
      let over = ready.nanoseconds % tickNanoseconds
      if over > 0 { ready = ready.advanced(byNanoseconds: tickNanoseconds - over) }
    }
    guard state == .running, frozenAt == nil, ready <= limit else {
      clock.pass(until: limit)
      return 0
    }
    clock.pass(until: ready)
    if heard.count > 24_000 { leastQueued = min(leastQueued, written - position) }
    return 1
  }

  func write(_ frames: UnsafeRawPointer, frameCount: Int) -> Int {
    if shortWrite == nil, let answer = plannedAnswer(.write) { return answer }
    update()
    switch state {
    case .xrun: return -Int(EPIPE)
    case .suspended: return -Int(ESTRPIPE)
    case .prepared, .running: break
    default: return -Int(EBADFD)
    }
    let queued = state == .running ? written - position : written
    var count = min(frameCount, configuration.bufferFrames - Int(queued))
    if let short = shortWrite {
      count = min(count, short)
      shortWrite = nil
    }
    guard count > 0 else { return -Int(EAGAIN) }
    if !isRecording { written += Int64(count) }
    for frame in 0..<(isRecording ? count : 0) {
      let sample = frames.load(
        fromByteOffset: frame * configuration.bytesPerFrame, as: Float.self)
      heard.append((instant(of: written + Int64(transferFrames)), sample))
      written += 1
    }
    if state == .prepared && written >= Int64(configuration.bufferFrames) { begin() }
    return count
  }

  func status() -> PCMStatus {
    let code = plannedAnswer(.status) ?? 0
    jitterSign = -jitterSign
    var stamp =
      state == .running && tickMilliseconds == 0 ? instant(of: position) : clock.time
    stamp = stamp.advanced(byNanoseconds: jitterSign * stampJitter)
    if staleStamps > 0 {
      staleStamps -= 1
      stamp = MonotonicTime(nanoseconds: 0)
    }
    let queued = state == .running ? written - position : written
    return PCMStatus(
      code: Int32(code), state: state, time: min(stamp, clock.time),
      delayFrames: Int(queued) + transferFrames,
      availableFrames: configuration.bufferFrames - Int(queued))
  }

  func available() -> Int {
    if let answer = plannedAnswer(.available) { return answer }
    switch state {
    case .xrun: return -Int(EPIPE)
    case .suspended: return -Int(ESTRPIPE)
    default: break
    }
    let queued = state == .running ? written - position : written
    return configuration.bufferFrames - Int(queued)
  }

  func close() { isClosed = true }
}

/// A source whose sample is its frame, counted from one so that silence is told apart.
final class CountingSource: AudioSource, @unchecked Sendable {
  private(set) var frame: Int64 = 0
  private(set) var skipped: Int64 = 0
  private(set) var skips = 0
  private(set) var renders = 0
  private(set) var wakes = 0
  private(set) var rates: [Int] = []
  var followsRate = true

  /// Float32 is exact up to 2^24.
  static func sample(of frame: Int64) -> Float { Float(frame + 1) / 16_777_216 }
  static func frame(of sample: Float) -> Int64? {
    sample == 0 ? nil : Int64(sample * 16_777_216) - 1
  }

  @_noAllocation @_noLocks
  func render(
    into output: UnsafeMutablePointer<Float>, channelStride: Int, channelCount: Int,
    frameCount: Int
  ) {
    var channel = 0
    while channel < channelCount {
      var index = 0
      while index < frameCount {
        output[channel * channelStride + index] = Float(frame + Int64(index) + 1) / 16_777_216
        index += 1
      }
      channel += 1
    }
    frame += Int64(frameCount)
    renders += 1
  }

  func skip(frameCount: Int64) {
    frame += frameCount
    skipped += frameCount
    skips += 1
  }

  func didRender() { wakes += 1 }

  func changeRate(framesPerSecond: Int) -> Bool {
    if followsRate { rates.append(framesPerSecond) }
    return followsRate
  }
}
