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

  /// The line of the free pulses that a Start has ended and the first of them that it left out:
  /// where they go on if Stop comes before anything of the run has sounded.
  var freeBeforeRun: (line: PlannedTempo, nextPulse: Int64)?
  /// A Start that came while the music was about to end by itself.
  var putOffStart: EngineCommand?
  /// The latest Stop taken: a Start made before it that it has passed is void.
  var stopOrdinal: Int64 = 0

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
  var waiting = WaitingSettings()
  var answers = LandingAnswers()
  var trainer: TrainerWalk?
  var score: ScoreReference?
  var sounds = unsafe SoundBankReference(
    identifier: -1, slots: nil, beats: nil, beatCount: 0)
  var retiringBanks = RetiringBanks()

  var lastHoleEnd = FrameIndex.distantPast

  // The practice timer, in playing frames.
  var timerFrames: ExactFrame?
  var timerStops = true
  var timerOrigin = ExactFrame(raw: 0)

  var horizon: FrameCount
  var commit: FrameCount
  var leadIn: FrameCount
  var audioOffset = FrameCount(0)

  // What the status tells and nothing here reads.
  /// The bar and beat of the latest announced beat.
  var placeBar: Int32 = 0
  var placeBeat: UInt8 = 0
  var quarterThousandths: Int32
  var lastCommand: Int64 = 0
  var lastUrgent: Int64 = 0
  var refusals: Int64 = 0
  /// Kept, so that no block has to make one.
  var status = EngineStatus()

  var held = HeldCommands()
  var voices = ClickVoices()
  var stage: OutputStage

  init(outlet: EventOutlet, rate: Int64, start: FrameIndex, tempo: Tempo, gain: Float) {
    self.outlet = outlet
    self.rate = rate
    self.now = start
    self.tempo = tempo
    quarterThousandths = tempo.quarterThousandths
    plan = TempoPlan(
      PlannedTempo(
        TempoSegment(
          origin: .zero, originFrame: ExactFrame(start), rate: rate, shape: .constant(tempo)),
        tempo: tempo, cause: .request, level: 0))
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
      // In pieces for which memset takes vector stores: string instructions, which it takes for more
      // than 2 KiB, are slow to begin.
      var first = channel &* stride
      let end = first &+ frameCount
      while first < end {
        let next = min(first &+ 256, end)
        while first < next {
          unsafe output[first] = 0
          first &+= 1
        }
      }
      channel &+= 1
    }
  }

  /// Time has come to `end`: a stop that the score, the trainer or the timer scheduled takes hold.
  @_noAllocation @_noLocks
  private mutating func pass(_ end: FrameIndex) {
    now = end
    if let stop = scheduledStop, end >= stop {
      settleScheduledStop()
      // No fact says it: the stop was announced long before.
      outlet.noteNews()
    }
    if let bank = retiringBanks.takeUnused(voices) { outlet.announce(.retiredSounds(bank)) }
  }
}

extension EngineCore {
  /// A hole may come in pieces: only the first of them begins with a second that is announced.
  @_noAllocation @_noLocks
  mutating func beginHole(past: Int64) {
    let until = now + FrameCount(past &- rate / 2)
    let from = lastHoleEnd == now ? now : now + FrameCount(rate)
    if from < until { outlet.beQuiet(from: from, until: until) }
  }

  @_noAllocation @_noLocks
  mutating func endHole() {
    outlet.endQuiet()
    lastHoleEnd = now
  }

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
    if let free = freeBeforeRun {
      freeBeforeRun?.line.segment = epoch.moved(free.line.segment)
    }
    held.change(to: epoch)
    voices.change(to: epoch)
    stage.change(rate: newRate)
    outlet.announce(epoch: EpochEvent(frame: now, oldRate: epoch.oldRate, newRate: newRate))
  }
}
