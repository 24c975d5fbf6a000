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
  /// Where the walk ends by itself, and the frame of that place, once it is announced.
  var stopTick: ScorePosition?
  var scheduledStop: FrameIndex?

  // Where Continue resumes.
  var resumePulse: Int64 = 0
  var resumeBar: BarCursor
  var resumeGlide: PausedGlide?
  var trainerElapsed = ExactFrame(raw: 0)
  var timerElapsed = ExactFrame(raw: 0)
  /// The section at which Start begins a song.
  var startSection: Int32 = 0

  // Free pulses while stopped.
  var wantsFreeClock = false
  var freeClockRuns = false
  /// The first free pulse; those after it have one before them.
  var firstFreePulse: Int64 = 0

  // What a musician asked for.
  var tempo: Tempo
  var bendThousandths: Int32 = 1000
  /// The pulse at which a tap's phase is caught up; the plain tempo is back from there.
  var phaseEndPulse: Int64?
  var glide: GlideRamp?
  /// Whether the running glide is the score's own, which begins anew with its section.
  var glideIsScore = false
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
  var answers = LandingAnswers()
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
      PlannedTempo(
        TempoSegment(
          origin: .zero, originFrame: ExactFrame(start), rate: rate, shape: .constant(tempo)),
        tempo: tempo, cause: .wish, level: 0))
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
      voices.pass(frameCount)
      stage.skip(frameCount)
      pass(end)
      return
    }
    unsafe clear(target, stride: stride, channelCount: channelCount, frameCount: frameCount)
    voices.begin(from: now, to: end, audibleLevels: audibleLevels)
    let sounds = unsafe voices.mix(
      sync: false, output: target, stride: stride, channelCount: channelCount,
      frameCount: frameCount)
    if sounds {
      unsafe stage.process(
        target, stride: stride, channelCount: channelCount, frameCount: frameCount)
    } else {
      stage.skip(frameCount)
    }
    // Analog sync is a signal for machines: no fader and no mute reaches it, the ceiling does.
    let syncs = unsafe voices.mix(
      sync: true, output: target, stride: stride, channelCount: channelCount,
      frameCount: frameCount)
    if syncs {
      unsafe OutputStage.clip(
        target, stride: stride, channelCount: channelCount, frameCount: frameCount)
    }
    voices.pass(frameCount)
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

  /// Another rate from S on: what lies ahead keeps its distance in time, to the fraction.
  @_noAllocation @_noLocks
  mutating func change(rate newRate: Int64) {
    guard newRate != rate, newRate > 0 else { return }
    let epoch = RateChange(at: now, oldRate: rate, newRate: newRate)
    rate = newRate
    horizon = epoch.scaled(horizon)
    commit = epoch.scaled(commit)
    leadIn = epoch.scaled(leadIn)
    audioOffset = epoch.scaled(audioOffset)
    plan.change(to: epoch)
    if lastBeatFrame.value > FrameIndex.distantPast.value {
      lastBeatFrame = epoch.moved(lastBeatFrame)
    }
    if let stop = scheduledStop { scheduledStop = epoch.moved(stop) }
    timerOrigin = epoch.moved(timerOrigin)
    timerElapsed = epoch.scaled(timerElapsed)
    if let length = timerFrames { timerFrames = epoch.scaled(length) }
    trainerElapsed = epoch.scaled(trainerElapsed)
    if let walk = trainer { trainer?.start = epoch.moved(walk.start) }
    voices.change(to: epoch)
    stage.change(rate: newRate)
  }
}

/// A glide that Stop interrupted, and how far into it the music had come.
///
/// The glide keeps its own origin, so what is left of it runs exactly as it would have.
struct PausedGlide {
  var shape: TempoSegment.Shape
  var passedTicks: Int64

  @_noAllocation @_noLocks
  init(shape: TempoSegment.Shape, passedTicks: Int64) {
    self.shape = shape
    self.passedTicks = passedTicks
  }

  /// The whole glide on a line of time on which `passedTicks` fall on `origin` at `frame`.
  @_noAllocation @_noLocks
  func segment(resumedAt origin: ScorePosition, frame: FrameIndex, rate: Int64) -> TempoSegment {
    let begin = ScorePosition(ticks: origin.ticks &- passedTicks)
    let unplaced = TempoSegment(
      origin: begin, originFrame: ExactFrame(raw: 0), rate: rate, shape: shape)
    return TempoSegment(
      origin: begin, originFrame: ExactFrame(frame) - unplaced.frame(at: origin), rate: rate,
      shape: shape)
  }

  /// The tempo at the place where it was interrupted.
  var tempo: Tempo {
    @_noAllocation @_noLocks get {
      let whole = TempoSegment(
        origin: .zero, originFrame: ExactFrame(raw: 0), rate: 48_000, shape: shape)
      return Tempo(
        unchecked: whole.quarterThousandths(at: ScorePosition(ticks: passedTicks)), unit: .quarter)
    }
  }
}

/// Wishes that wait for their boundary.
struct PendingChanges {
  var tempoNow: Tempo?
  var tempoAtBeat: Tempo?
  var tempoAtBar: Tempo?
  var bendThousandths: Int32?
  var glideNow: GlideRamp?
  var glideAtBeat: GlideRamp?
  var glideAtBar: GlideRamp?
  var endsGlideNow = false
  /// A tap to whose phase the beat is moved once a waiting tempo has landed.
  var phaseTap: FrameIndex?
  var meter: Meter?
  var pattern: AccentPattern?
  var score: ScoreReference?
  var clearsScore = false
  var jump: Int32?

  var hasMeter: Bool {
    @_noAllocation @_noLocks get {
      if case .some = meter { return true }
      return false
    }
  }

  var hasScore: Bool {
    @_noAllocation @_noLocks get {
      if case .some = score { return true }
      return false
    }
  }

  var hasTempoAtBeat: Bool {
    @_noAllocation @_noLocks get {
      if case .some = tempoAtBeat { return true }
      return false
    }
  }

  @_noAllocation @_noLocks
  mutating func clearTempos() {
    tempoNow = nil
    tempoAtBeat = nil
    tempoAtBar = nil
    glideNow = nil
    glideAtBeat = nil
    glideAtBar = nil
    endsGlideNow = false
    phaseTap = nil
  }
}
