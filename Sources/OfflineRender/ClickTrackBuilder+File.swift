import MusicalTime
import ScoreFormats

extension ClickTrackBuilder {
  /// The file up to a frame.
  func file(end: FrameIndex) -> (file: StandardMIDIFile, report: ClickTrackReport) {
    let origin = ScorePosition(pulses: min(0, firstPulse ?? 0))
    let clicks = self.clicks.sorted { $0.position < $1.position }
    // The place of the end is taken from frames: it may seem to lie on a click that is a frame
    // before it.
    let endPosition = max(position(of: end), origin, clicks.last?.position ?? origin)
    let division = ClickTrackBuilder.division(for: clicks.map(\.position))
    var file = StandardMIDIFile(format: format, ticksPerQuarter: division)
    var rounding = 0.0
    func tick(_ position: ScorePosition) -> Int64 {
      let scaled = Int128(position.ticks - origin.ticks) * Int128(division)
      let unit = Int128(ScorePosition.ticksPerQuarter)
      let tick = (2 * scaled + unit) / (2 * unit)
      rounding = max(rounding, abs(Double(scaled - tick * unit)) / Double(unit))
      return Int64(tick)
    }

    let track = tempoTrack(end: endPosition)
    file.tempos = track.marks.map {
      .init(tick: tick($0.position), microsecondsPerQuarter: $0.microseconds)
    }
    file.meters = meters.map { MIDIFileMeters.mark($0.meter, tick: tick($0.position)) }
    file.markers = markers.map { .init(tick: tick($0.position), text: $0.text) }
    let ticks = clicks.map { (tick: tick($0.position), note: $0.note) }
    // A file may be cut anywhere; what counts is where its notes and marks lie.
    let roundingOfMarks = rounding
    file.endTick = tick(endPosition)
    file.notes = noteList(ticks, division: division, end: file.endTick)
    let fastest = file.tempos.map(\.microsecondsPerQuarter).min() ?? 500_000
    return (
      file,
      ClickTrackReport(
        largestTempoError: track.largestError, endTempoError: track.errorMicroseconds,
        largestRounding: roundingOfMarks, shortestTick: Double(fastest) / Double(division))
    )
  }

  private func noteList(
    _ clicks: [(tick: Int64, note: ClickNotes.Note)], division: Int, end: Int64
  ) -> [StandardMIDIFile.Note] {
    var list: [StandardMIDIFile.Note] = []
    // A thirty-second, but never beyond the next note of the same key.
    let longest = Int64(max(1, division / 8))
    var next: [UInt8: Int64] = [:]
    for click in clicks.reversed() {
      let room = (next[click.note.key] ?? end) - click.tick
      next[click.note.key] = click.tick
      list.append(
        .init(
          tick: click.tick, length: max(1, min(longest, room)), channel: notes.channel,
          key: click.note.key, velocity: click.note.velocity))
    }
    return list.reversed()
  }

  private func tempoTrack(end: ScorePosition) -> TempoTrack {
    var track = TempoTrack(exact: exact)
    for (index, change) in tempos.enumerated() {
      let next = index + 1 < tempos.count ? tempos[index + 1].position : end
      let stop = min(next, end)
      guard stop > change.position else { continue }
      if let steady = change.steady {
        track.add(
          .init(
            start: change.position, end: stop,
            course: .steady(numerator: steady.numerator, denominator: steady.denominator)))
      } else if let first = change.measured.first {
        let places = change.measured.filter { $0.position <= stop }.map { place in
          (
            position: place.position,
            microseconds: place.frames(since: first) * 1e6 / Double(rate)
          )
        }
        track.add(.init(start: change.position, end: stop, course: .measured(places)))
      }
    }
    return track
  }

  /// The place of a frame at or after the last pulse.
  private func position(of frame: FrameIndex) -> ScorePosition {
    guard let lastPulse else { return .zero }
    let framesPerPulse = max(1, framesAPulse)
    let pulses = Double(frame.value &- lastPulse.frame.value) / framesPerPulse
    guard abs(pulses) < 1e9 else { return lastPulse.position }
    let nearest = pulses.rounded()
    // Within a frame of a pulse it is that pulse, since bars end on one; the next pulse of a glide
    // is only about as far as the last one was.
    let tolerance = tempos.last?.steady == nil ? framesPerPulse / 20 : 1
    let place = abs(pulses - nearest) * framesPerPulse <= tolerance ? nearest : pulses
    return ScorePosition(
      ticks: lastPulse.position.ticks
        + Int64((place * Double(ScorePosition.ticksPerPulse)).rounded()))
  }

  /// Frames from the last pulse to the next.
  private var framesAPulse: Double {
    if let steady = tempos.last?.steady {
      return Double(steady.numerator) / Double(steady.denominator) * Double(rate) / 24e6
    }
    // A glide: as far as the last two of its pulses were apart.
    let last = tempos.last?.measured.suffix(2) ?? []
    guard last.count == 2, let first = last.first, let second = last.last else {
      return Double(rate) / 48
    }
    return second.frames(since: first)
  }

  /// Ticks a quarter that divide every place, where 15 bits can name them.
  static func division(for places: [ScorePosition]) -> Int {
    // Pulses always: tempos and meters change on them.
    var step = ScorePosition.ticksPerPulse
    for place in places {
      var (a, b) = (step, abs(place.ticks))
      while b != 0 { (a, b) = (b, a % b) }
      step = a
    }
    let needed = ScorePosition.ticksPerQuarter / step
    let common: Int64 = 960
    if common % needed == 0 { return Int(common) }
    // 20160 = 2^6 x 3^2 x 5 x 7 has every subdivision of every beat unit.
    guard needed <= 32_767 else { return 20_160 }
    let raised = (common + needed - 1) / needed * needed
    return Int(raised <= 32_767 ? raised : needed)
  }
}
