public import MetronomeModel
package import MusicalTime

extension StandardMIDIFile {
  /// The tempo track of a song as it is played, once through: repeats and jumps written out, ramps
  /// as a mark on each clock pulse.
  ///
  /// - Parameter exact: tempo marks alternate, so that no beat is off by more than a microsecond.
  /// - Throws: what keeps the song from being played; an endless section, which no file can hold.
  public init(_ map: TempoMap, exact: Bool = false) throws(TempoMapError) {
    let walk = try TempoMapWalk(map)
    self.init(format: .parallel, ticksPerQuarter: 960)
    var track = TempoTrack(exact: exact)
    var position = ScorePosition.zero
    // What the standard takes for granted where nothing is said.
    var tempo = Tempo(unchecked: 120_000, unit: .quarter)
    var meter: Meter?
    var played: Set<Int> = []
    var next: Int? = 0
    while let step = next, played.insert(step).inserted {
      let section = map.sections[walk.steps[step].section]
      guard section.bars > 0 else { throw .afterEndless(section: walk.steps[step].section + 1) }
      if let label = section.label { markers.append(.init(tick: tick(position), text: label)) }
      if section.meter != meter {
        meters.append(MIDIFileMeters.mark(section.meter, tick: tick(position)))
        meter = section.meter
      }
      let length = ScorePosition(ticks: section.meter.barLength.ticks * Int64(section.bars))
      switch section.tempo {
      case .keep:
        track.addSteady(tempo, from: position, to: position + length)
      case .steady(let steady):
        tempo = steady
        track.addSteady(tempo, from: position, to: position + length)
      case .ramp(let from, let to):
        track.addRamp(from: from, to: to, start: position, length: length)
        tempo = to
      case .perBeat(let tempos):
        for (beat, each) in tempos.enumerated() {
          let start = ScorePosition(
            ticks: position.ticks + section.meter.beatLength.ticks * Int64(beat))
          track.addSteady(each, from: start, to: start + section.meter.beatLength)
          tempo = each
        }
      }
      guard track.marks.count <= MIDIFileReader.mostEvents else {
        throw .tooManyTempos(MIDIFileReader.mostEvents)
      }
      position = position + length
      guard tick(position) <= MIDIFileReader.longestTicks else {
        throw .tooManyTempos(MIDIFileReader.mostEvents)
      }
      next = walk.steps[step].next
    }
    tempos = track.marks.map {
      .init(tick: tick($0.position), microsecondsPerQuarter: $0.microseconds)
    }
    endTick = tick(position)
  }

  /// Every place where something begins lies on a pulse: 40 of 960 ticks.
  private func tick(_ position: ScorePosition) -> Int64 {
    position.ticks / (ScorePosition.ticksPerQuarter / Int64(ticksPerQuarter))
  }
}

/// Meters as files write them.
package enum MIDIFileMeters {
  package static func mark(_ meter: Meter, tick: Int64) -> StandardMIDIFile.MeterMark {
    .init(
      tick: tick, numerator: Int(meter.beatCount) * (meter.compound ? 3 : 1),
      denominator: Int(meter.denominator),
      pulsesPerClick: Int(meter.beatLength.ticks / ScorePosition.ticksPerPulse))
  }
}

extension TempoTrack {
  mutating func addSteady(_ tempo: Tempo, from start: ScorePosition, to end: ScorePosition) {
    let length = tempo.microsecondsPerQuarter
    add(
      Stretch(
        start: start, end: end,
        course: .steady(numerator: length.numerator, denominator: length.denominator)))
  }

  mutating func addRamp(
    from: Tempo, to: Tempo, start: ScorePosition, length: ScorePosition
  ) {
    // A segment at a million frames a second counts in microseconds.
    let segment = TempoSegment(
      origin: .zero, originFrame: ExactFrame(FrameIndex(0)), rate: 1_000_000,
      shape: .glideInScore(from: from, to: to, length: length))
    // A mark on each pulse, but no more than four thousand: over L quarters, from a to b seconds
    // each, that leaves L |b - a| / (8 x 4096^2) seconds between marks, a tick at the most.
    let pulses = max(1, length.ticks / ScorePosition.ticksPerPulse)
    let step = (pulses + 4_095) / 4_096
    let places = stride(from: step, to: pulses + step, by: Int(step)).map { number in
      let place = ScorePosition(pulses: min(number, pulses))
      return (
        position: start + place, microseconds: segment.frame(at: place).approximateFrames
      )
    }
    add(Stretch(start: start, end: start + length, course: .measured(places)))
  }
}
