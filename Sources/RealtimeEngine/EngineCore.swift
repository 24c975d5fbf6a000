internal import MetronomeModel
internal import MusicalTime

/// All that the audio thread owns, in one place that no other thread touches.
///
/// The walk goes through the score in ticks, one announced place after the other; `now` (S in the
/// rules) is the first frame not yet rendered.
///
/// - Thread: audio; free of allocation and locks after `init`.
struct EngineCore {
  let outlet: EventOutlet
  var rate: Int64
  var now: FrameIndex
  /// Counting in or rolling: the walk announces beats.
  var isRunning = false
  var plan: TempoPlan

  // The walk. Everything up to and including `cursor` is announced.
  var cursor = ScorePosition(ticks: -1)
  var nextPulse: Int64 = 0
  var nextSync: Int64 = 0
  var lastBeat = ScorePosition(ticks: Int64.min)
  var lastBeatFrame = FrameIndex.distantPast
  var bar: BarCursor
  var history: BarHistory
  /// The first pulse of this stretch of playing.
  var firstPulse: Int64 = 0
  /// Where the walk ends by itself, and whether that is announced already.
  var stopTick: ScorePosition?
  var scheduledStop: FrameIndex?

  // Where Continue resumes.
  var resumePulse: Int64 = 0
  var resumeBar: BarCursor
  var resumeGlide: TempoSegment.Shape?
  var trainerElapsed = ExactFrame(raw: 0)
  var timerElapsed = ExactFrame(raw: 0)
  /// The section at which Start begins a song.
  var startSection: Int32 = 0

  // Free pulses while stopped.
  var wantsFreeClock = false
  var freeClockRuns = false
  /// Free pulses at or after this frame are not sent, because a start is coming.
  var freeClockEnd = FrameIndex.distantFuture

  // What a musician asked for.
  var tempo: Tempo
  var bendThousandths: Int32 = 1000
  /// The pulse at which a tap's phase is caught up; the plain tempo is back from there.
  var phaseEndPulse: Int64?
  var glide: GlideRamp?
  var meter = Meter.common
  var pattern = AccentPattern.standard(for: .common)
  var subdivision = Subdivision.none
  var layerCount: UInt8 = 0
  var layerAccent = Accent.soft
  var muting = BarMuting.off
  var isCountInMuted = false
  var isMuted = false
  var audibleLevels: UInt8 = 0xFF
  var levelGains: (silent: Float, soft: Float, normal: Float, strong: Float) = (0, 1, 1, 1)
  var syncPerQuarter: UInt8 = 0
  var pending = PendingChanges()
  var trainer: TrainerWalk?
  var score: ScoreReference?
  var sounds = unsafe SoundBankReference(
    identifier: -1, slots: nil, beats: nil, beatCount: 0)
  var retiringBanks = RetiringBanks()

  // The practice timer, in playing frames.
  var timerFrames: ExactFrame?
  var timerStops = true
  var timerOrigin = ExactFrame(raw: 0)

  var horizon: FrameCount
  var commit: FrameCount
  var leadIn: FrameCount
  var audioOffset = FrameCount(0)

  var held = HeldCommands()
  var voices = ClickVoices()
  var stage: OutputStage

  init(outlet: EventOutlet, rate: Int64, start: FrameIndex, tempo: Tempo, gain: Float) {
    self.outlet = outlet
    self.rate = rate
    self.now = start
    self.tempo = tempo
    plan = TempoPlan(
      TempoSegment(
        origin: .zero, originFrame: ExactFrame(start), rate: rate, shape: .constant(tempo)))
    bar = BarCursor(
      start: .zero, songBar: 0, songStart: .zero, meter: .common,
      pattern: AccentPattern.standard(for: .common), subdivision: .none, layerCount: 0,
      layerAccent: .soft, isMuted: false, section: -1, barInSection: 0, gain: 1)
    resumeBar = bar
    history = BarHistory(bar)
    horizon = FrameCount(milliseconds: Limits.horizonMilliseconds, rate: rate)
    commit = FrameCount(milliseconds: Limits.commitMilliseconds, rate: rate)
    leadIn = FrameCount(milliseconds: Limits.leadInMilliseconds, rate: rate)
    stage = OutputStage(gain: gain, rate: rate)
  }

  func free() {
    held.free()
    plan.free()
    history.free()
    voices.free()
  }

  /// Walks up to `end` and mixes what sounds until then; `output` nil lets time pass unheard.
  @_noAllocation @_noLocks
  mutating func advance(
    to end: FrameIndex, output: UnsafeMutablePointer<Float>?, stride: Int, channelCount: Int
  ) {
    announce(asOf: end)
    let frameCount = Int((end - now).value)
    guard let target = unsafe output else {
      // A hole: what should have begun in it is skipped, what sounds goes on beneath it.
      voices.begin(from: end, to: end, audibleLevels: audibleLevels)
      unsafe voices.mix(
        sync: false, output: nil, stride: stride, channelCount: channelCount,
        frameCount: frameCount)
      unsafe voices.mix(
        sync: true, output: nil, stride: stride, channelCount: channelCount,
        frameCount: frameCount)
      stage.skip(frameCount)
      pass(end)
      return
    }
    unsafe clear(target, stride: stride, channelCount: channelCount, frameCount: frameCount)
    voices.begin(from: now, to: end, audibleLevels: audibleLevels)
    if voices.isQuiet {
      stage.skip(frameCount)
    } else {
      unsafe voices.mix(
        sync: false, output: target, stride: stride, channelCount: channelCount,
        frameCount: frameCount)
      unsafe stage.process(
        target, stride: stride, channelCount: channelCount, frameCount: frameCount)
      // Analog sync is a signal for machines: no fader and no mute reaches it.
      unsafe voices.mix(
        sync: true, output: target, stride: stride, channelCount: channelCount,
        frameCount: frameCount)
    }
    pass(end)
  }

  @_noAllocation @_noLocks
  private func clear(
    _ output: UnsafeMutablePointer<Float>, stride: Int, channelCount: Int, frameCount: Int
  ) {
    var channel = 0
    while channel < channelCount {
      let base = channel &* stride
      var frame = 0
      while frame < frameCount {
        unsafe output[base &+ frame] = 0
        frame &+= 1
      }
      channel &+= 1
    }
  }

  /// Time has come to `end`: a stop that the score, the trainer or the timer scheduled takes hold.
  @_noAllocation @_noLocks
  private mutating func pass(_ end: FrameIndex) {
    now = end
    if let stop = scheduledStop, end >= stop { settleScheduledStop() }
    if let bank = retiringBanks.takeUnused(voices) { outlet.announce(.retiredSounds(bank)) }
  }
}

extension EngineCore {
  // Optionals are asked by pattern: their `==` is not open to the real-time checks.
  var isGliding: Bool {
    @_noAllocation @_noLocks get {
      if case .some = glide { return true }
      return false
    }
  }

  var isCatchingUp: Bool {
    @_noAllocation @_noLocks get {
      if case .some = phaseEndPulse { return true }
      return false
    }
  }

  var hasScore: Bool {
    @_noAllocation @_noLocks get {
      if case .some = score { return true }
      return false
    }
  }

  var stopIsScheduled: Bool {
    @_noAllocation @_noLocks get {
      if case .some = scheduledStop { return true }
      return false
    }
  }

  /// Another rate from S on: what lies ahead keeps its distance in time.
  @_noAllocation @_noLocks
  mutating func change(rate newRate: Int64) {
    guard newRate != rate else { return }
    let oldRate = rate
    rate = newRate
    horizon = FrameCount(horizon.value &* newRate / oldRate)
    commit = FrameCount(commit.value &* newRate / oldRate)
    leadIn = FrameCount(leadIn.value &* newRate / oldRate)
    audioOffset = FrameCount(audioOffset.value &* newRate / oldRate)
    guard isRunning || freeClockRuns else { return }
    let anchor = ScorePosition(pulses: nextPulse)
    let ahead = plan.exactFrame(at: anchor) - ExactFrame(now)
    let wholeFrames = ahead.nearest.value &* newRate / oldRate
    plan.append(
      TempoSegment(
        origin: anchor, originFrame: ExactFrame(now + FrameCount(wholeFrames)), rate: newRate,
        shape: .constant(tempo)))
  }
}

/// Wishes that wait for their boundary.
struct PendingChanges {
  var tempoNow: Tempo?
  var tempoAtBeat: Tempo?
  var tempoAtBar: Tempo?
  var bendThousandths: Int32?
  var glideAtBeat: GlideRamp?
  var glideAtBar: GlideRamp?
  var endsGlideNow = false
  var meter: Meter?
  var pattern: AccentPattern?
  /// Subdivision, layer or muting differ from those of the running bar.
  var newBarShape = false
  var startsTrainer = false
  var score: ScoreReference?
  var clearsScore = false
  var jump: Int32?

  var hasMeter: Bool {
    @_noAllocation @_noLocks get {
      if case .some = meter { return true }
      return false
    }
  }

  @_noAllocation @_noLocks
  mutating func clearTempos() {
    tempoNow = nil
    tempoAtBeat = nil
    tempoAtBar = nil
    glideAtBeat = nil
    glideAtBar = nil
    endsGlideNow = false
  }
}
