internal import MetronomeModel
internal import MusicalTime

extension EngineCore {
  /// Installs a song that waits for the bar line, or takes the present one away.
  @_noAllocation @_noLocks
  mutating func takePendingScore() {
    if pending.clearsScore {
      pending.clearsScore = false
      pending.score = nil
      installScore(nil)
    }
    if let newScore = pending.score {
      pending.score = nil
      installScore(newScore)
      bar.section = -1
    }
  }

  @_noAllocation @_noLocks
  mutating func installScore(_ newScore: ScoreReference?) {
    if let old = score, old.identifier != newScore?.identifier { retire(score: old.identifier) }
    score = newScore
    pending.jump = nil
    if newScore == nil {
      bar.section = -1
      bar.gain = 1
    }
  }

  /// Makes `next` the next bar of the song: of the same section, the following one, or the one
  /// jumped to.
  ///
  /// - Returns: false where the song is over.
  @_noAllocation @_noLocks
  mutating func enterSection(
    _ next: inout BarCursor, from old: BarCursor, frame: FrameIndex
  ) -> Bool {
    guard next.songBar >= 0 || !old.isCountIn, next.songBar >= 0 else { return true }
    guard let song = score, let sections = unsafe song.sections, song.sectionCount > 0 else {
      return true
    }
    var index = old.section
    var barIndex = old.barInSection &+ 1
    if let jump = pending.jump, jump >= 0, jump < song.sectionCount {
      pending.jump = nil
      next.landedJump = jump
      index = jump
      barIndex = 0
    } else if bar.section < 0 || index < 0 || index >= song.sectionCount {
      index = startSection
      barIndex = 0
    } else {
      let current = unsafe sections[Int(index)]
      if current.barCount > 0, barIndex >= current.barCount {
        index = current.next
        barIndex = 0
        guard index >= 0, index < song.sectionCount else {
          outlet.announce(.section(SectionEvent(frame: frame, index: -1)))
          return false
        }
      }
    }
    unsafe apply(sections[Int(index)], index: index, bar: barIndex, to: &next)
    if barIndex == 0 { outlet.announce(.section(SectionEvent(frame: frame, index: index))) }
    return true
  }

  @_noAllocation @_noLocks
  mutating func apply(
    _ section: EngineSection, index: Int32, bar barIndex: Int32, to next: inout BarCursor
  ) {
    next.section = index
    next.barInSection = barIndex
    if barIndex == 0 {
      next.keepsMeter = false
      next.keepsPattern = false
    }
    next.scoreIdentifier = score?.identifier ?? -1
    next.gain = section.gain
    next.songBar = Int64(section.firstBar) &+ Int64(barIndex)
    if !next.keepsPattern { next.pattern = section.pattern }
    if !next.keepsMeter {
      next.meter = section.meter
      next.songStart = ScorePosition(
        ticks: section.firstTick.ticks &+ section.meter.barLength.ticks &* Int64(barIndex))
    }
    meter = next.meter
    pattern = next.pattern
  }

  /// What the score says of the tempo at a beat.
  @_noAllocation @_noLocks
  mutating func walkScoreTempo(at tick: ScorePosition, isBarLine: Bool) {
    guard let song = score, bar.section >= 0, bar.section < song.sectionCount,
      let sections = unsafe song.sections
    else { return }
    let section = unsafe sections[Int(bar.section)]
    switch section.tempo {
    case .keep:
      return
    case .constant(let steady):
      guard isBarLine, bar.barInSection == 0 else { return }
      landIfOther(steady, at: tick)
    case .ramp(let from, let to):
      guard isBarLine, bar.barInSection == 0 else { return }
      beginGlide(
        GlideRamp(unchecked: from, to: to, length: .bars(max(section.barCount, 1))), at: tick,
        cause: .score)
    case .perBeat(let first, let count):
      guard count > 0, let tempos = unsafe song.tempos, first &+ count <= song.tempoCount else {
        return
      }
      let beats = Int64(bar.barInSection) &* Int64(bar.meter.beatCount) &+ Int64(bar.nextBeat)
      let tempo = unsafe tempos[Int(Int64(first) &+ beats % Int64(count))]
      landIfOther(tempo, at: tick)
    }
  }

  @_noAllocation @_noLocks
  private mutating func landIfOther(_ newTempo: Tempo, at tick: ScorePosition) {
    guard isGliding || !tempo.soundsLike(newTempo) else { return }
    land(newTempo, at: tick, cause: .score)
  }

  /// The section's tempo at its first beat, for the count-in.
  @_noAllocation @_noLocks
  func firstTempo(of section: EngineSection, in song: ScoreReference) -> Tempo? {
    switch section.tempo {
    case .keep: return nil
    case .constant(let steady): return steady
    case .ramp(let from, _): return from
    case .perBeat(let first, let count):
      guard count > 0, let tempos = unsafe song.tempos, first &+ count <= song.tempoCount else {
        return nil
      }
      return unsafe tempos[Int(first)]
    }
  }

  /// The song's tempo at a place inside a section, where no beat will say it again.
  @_noAllocation @_noLocks
  mutating func locateTempo(in target: BarCursor, beat: Int64) {
    guard let song = score, let sections = unsafe song.sections, target.section >= 0 else {
      return
    }
    let section = unsafe sections[Int(target.section)]
    switch section.tempo {
    case .keep, .perBeat:
      return
    case .constant(let steady):
      resumeGlide = nil
      glide = nil
      tempo = steady
    case .ramp(let from, let to):
      let passed =
        target.meter.barLength.ticks &* Int64(target.barInSection)
        &+ target.meter.beatLength.ticks &* beat
      tempo = to
      // At its first beat the section begins it by itself.
      resumeGlide = nil
      glide = nil
      let bars = max(section.barCount, 1)
      let length = ScorePosition(ticks: target.meter.barLength.ticks &* Int64(bars))
      guard passed > 0, passed < length.ticks, !from.soundsLike(to) else { return }
      resumeGlide = PausedGlide(
        shape: .glideInScore(from: from, to: to, length: length), passedTicks: passed)
      glide = GlideRamp(unchecked: from, to: to, length: .bars(bars))
      glideIsScore = true
    }
  }

  /// The section that holds a 0-based bar of the song as written; nil where there is none.
  @_noAllocation @_noLocks
  func sectionIndex(ofBar songBar: Int64) -> Int32? {
    guard let song = score, let sections = unsafe song.sections else { return nil }
    var index: Int32 = 0
    while index < song.sectionCount {
      let section = unsafe sections[Int(index)]
      let offset = songBar &- Int64(section.firstBar)
      if offset >= 0, section.barCount == 0 || offset < Int64(section.barCount) { return index }
      index &+= 1
    }
    return nil
  }
}
