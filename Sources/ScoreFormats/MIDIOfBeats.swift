public import MusicalTime

/// A beat as it was played.
public struct PlayedBeat: Equatable, Sendable {
  /// From the first beat.
  public var seconds: Double
  public var meter: Meter
  public var isDownbeat: Bool

  public init(seconds: Double, meter: Meter, isDownbeat: Bool) {
    self.seconds = seconds
    self.meter = meter
    self.isDownbeat = isDownbeat
  }
}

extension StandardMIDIFile {
  /// The tempo map of beats that were played, tick 0 being the first: a mark wherever the tempo
  /// changes, each rounded so that no error is added up.
  public init(beats: [PlayedBeat]) {
    self.init(format: .parallel, ticksPerQuarter: 960)
    var tick: Int64 = 0
    var meter: Meter?
    var reached = beats.first?.seconds ?? 0
    for (index, beat) in beats.enumerated() {
      if beat.isDownbeat, beat.meter != meter {
        meters.append(MIDIFileMeters.mark(beat.meter, tick: tick))
        meter = beat.meter
      }
      let quarters =
        Double(beat.meter.beatLength.ticks) / Double(ScorePosition.ticksPerQuarter)
      if index + 1 < beats.count {
        let exact = (beats[index + 1].seconds - reached) / quarters * 1_000_000
        let steady = (beats[index + 1].seconds - beat.seconds) / quarters * 1_000_000
        // 24 bits hold 16.7 s a quarter.
        var microseconds = Int(min(max(exact.rounded(), 1), 16_777_215))
        // Within half a microsecond the mark before goes on, so that a steady tempo has one mark.
        if let last = tempos.last?.microsecondsPerQuarter, abs(Double(last) - steady) < 0.5 + 1e-6,
          abs(Double(last) - exact) < 100
        {
          microseconds = last
        } else {
          tempos.append(.init(tick: tick, microsecondsPerQuarter: microseconds))
        }
        reached += Double(microseconds) * quarters / 1_000_000
      }
      tick += Int64((quarters * 960).rounded())
    }
    endTick = tick
  }
}
