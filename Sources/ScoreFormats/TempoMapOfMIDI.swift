public import MetronomeModel
import MusicalTime

extension TempoMap {
  /// What had to be changed on the way from a MIDI file.
  public struct ImportNote: Equatable, Sendable, CustomStringConvertible {
    /// From 1.
    public var bar: Int
    public var text: String

    public var description: String { "bar \(bar): \(text)" }
  }

  /// The tempo track of a MIDI file: tempos, meters, and markers as labels.
  ///
  /// A tempo that changes between two beats becomes the mean tempo of that beat, so that every
  /// beat keeps its instant.
  ///
  /// - Throws: where a meter or a tempo is beyond what can be played.
  public init(
    midi file: StandardMIDIFile, name: String
  ) throws(FormatError) {
    self = try TempoMap.imported(file, name: name).map
  }

  /// The song, and what had to be changed.
  public static func imported(
    _ file: StandardMIDIFile, name: String
  ) throws(FormatError) -> (map: TempoMap, notes: [ImportNote]) {
    var builder = MIDIMapBuilder(file: file, name: name)
    try builder.build()
    return (builder.map, builder.notes)
  }
}

/// Cuts the tempo track into bars and joins bars alike to sections.
private struct MIDIMapBuilder {
  let file: StandardMIDIFile
  let name: String
  var map = TempoMap()
  var notes: [TempoMap.ImportNote] = []
  private var bar = 0
  private var tempoIndex = 0
  /// Tempos of the last section, while it has one for each beat.
  private var openBeats: [Tempo] = []

  /// A bar a second for a day and more.
  private static let mostBars = 100_000

  init(file: StandardMIDIFile, name: String) {
    self.file = file
    self.name = name
  }

  mutating func build() throws(FormatError) {
    var meter = Meter.common
    var tick: Int64 = 0
    var meterIndex = 0
    var markerIndex = 0
    // A file without notes still has the bars of its last mark.
    let lastMark = max(
      file.tempos.last?.tick ?? 0, file.meters.last?.tick ?? 0, file.markers.last?.tick ?? 0)
    let end = max(file.endTick, lastMark + 1)
    while tick < end {
      while meterIndex < file.meters.count, file.meters[meterIndex].tick <= tick {
        meter = try self.meter(file.meters[meterIndex])
        meterIndex += 1
      }
      var label: String?
      while markerIndex < file.markers.count, file.markers[markerIndex].tick <= tick {
        label = file.markers[markerIndex].text
        markerIndex += 1
      }
      var played = meter
      var length = try ticks(meter)
      if meterIndex < file.meters.count, file.meters[meterIndex].tick < tick + length {
        // A meter in the middle of a bar, as after an upbeat: the bar is cut there.
        played = try shortened(meter, to: file.meters[meterIndex].tick - tick)
        length = file.meters[meterIndex].tick - tick
      }
      if markerIndex < file.markers.count, file.markers[markerIndex].tick < tick + length {
        note("marker '\(file.markers[markerIndex].text)' is moved to the next bar line")
      }
      try add(played, beats: try tempos(played, from: tick), label: label)
      tick += length
      bar += 1
      guard bar <= MIDIMapBuilder.mostBars else {
        throw error("more than \(MIDIMapBuilder.mostBars) bars")
      }
    }
    closeBeats()
  }

  // MARK: Bars

  private func meter(_ mark: StandardMIDIFile.MeterMark) throws(FormatError) -> Meter {
    // Three written units to a click of the metronome are a compound beat.
    let unitPulses = 96 / max(1, mark.denominator)
    let compound =
      mark.denominator > 1 && mark.numerator % 3 == 0 && mark.pulsesPerClick == 3 * unitPulses
      && unitPulses > 0
    do { return try Meter(mark.numerator, mark.denominator, compound: compound) } catch {
      throw self.error(error.description)
    }
  }

  private func ticks(_ meter: Meter) throws(FormatError) -> Int64 {
    let (whole, rest) = (Int64(file.ticksPerQuarter) * meter.barLength.ticks)
      .quotientAndRemainder(dividingBy: ScorePosition.ticksPerQuarter)
    guard rest == 0, whole > 0 else {
      throw error("a bar of \(meter) is no whole number of \(file.ticksPerQuarter)ths of a quarter")
    }
    return whole
  }

  private mutating func shortened(_ meter: Meter, to length: Int64) throws(FormatError) -> Meter {
    for denominator in [Int(meter.denominator), 8, 16, 32] {
      let unit = 4 * Int64(file.ticksPerQuarter)
      guard unit % Int64(denominator) == 0, length % (unit / Int64(denominator)) == 0 else {
        continue
      }
      let count = Int(length / (unit / Int64(denominator)))
      if let short = try? Meter(count, denominator) {
        note("the meter changes inside it: it is cut to \(short)")
        return short
      }
    }
    throw error("the meter changes where no note value ends")
  }

  /// Joins the bar to the section before it where both can be one.
  private mutating func add(
    _ meter: Meter, beats: [Tempo], label: String?
  ) throws(FormatError) {
    let isSteady = beats.allSatisfy { $0 == beats.first }
    if label == nil, let last = map.sections.indices.last, map.sections[last].meter == meter,
      map.sections[last].bars < Limits.bars.upperBound
    {
      switch map.sections[last].tempo {
      case .steady(let tempo) where isSteady && tempo == beats.first:
        map.sections[last].bars += 1
        return
      case .perBeat where !isSteady:
        openBeats += beats
        map.sections[last].bars += 1
        return
      default:
        break
      }
    }
    guard map.sections.count < TempoMap.sectionCounts.upperBound, let first = beats.first else {
      throw error("more than \(TempoMap.sectionCounts.upperBound) sections")
    }
    closeBeats()
    if !isSteady { openBeats = beats }
    map.sections.append(
      TempoMap.Section(
        label: unique(label), bars: 1, meter: meter,
        tempo: isSteady ? .steady(first) : .perBeat([])))
  }

  private mutating func closeBeats() {
    guard let last = map.sections.indices.last, !openBeats.isEmpty else { return }
    map.sections[last].tempo = .perBeat(openBeats)
    openBeats = []
  }

  /// Markers repeat ("Verse", "Verse"); labels must not.
  private func unique(_ label: String?) -> String? {
    guard let label, !label.isEmpty else { return nil }
    var candidate = label
    var number = 2
    while map.sections.contains(where: { $0.label == candidate }) {
      candidate = "\(label) \(number)"
      number += 1
    }
    return candidate
  }

  // MARK: Tempos

  /// The tempo of each beat of a bar.
  private mutating func tempos(
    _ meter: Meter, from start: Int64
  ) throws(FormatError) -> [Tempo] {
    let count = Int64(meter.beatCount)
    let length = try ticks(meter)
    var result: [Tempo] = []
    for beat in 0..<count {
      // Beats need not fall on ticks of a coarse file; the nearest tick is where they are heard.
      let from = start + length * beat / count
      let to = start + length * (beat + 1) / count
      let time = advance(from: from, to: to)
      guard to > from else { throw error("a beat of \(meter) is shorter than a tick") }
      // 60 000 000 us a minute in thousandths: 6 x 10^10 over the microseconds of a quarter.
      let thousandths =
        (2 * 60_000_000_000 * Int128(to - from) + Int128(time)) / (2 * Int128(time))
      guard thousandths < 1 << 40, let tempo = Tempo(thousandths: Int64(thousandths)) else {
        throw error(
          "tempo of \(ThousandthsText.text(Int64(clamping: thousandths))): allowed are 5 to 999 "
            + "quarters a minute")
      }
      result.append(tempo)
    }
    return result
  }

  /// Microseconds times ticks a quarter, from one tick to another at or after the last one asked
  /// for.
  private mutating func advance(from: Int64, to: Int64) -> Int64 {
    var time: Int64 = 0
    var tick = from
    while tick < to {
      while tempoIndex < file.tempos.count, file.tempos[tempoIndex].tick <= tick {
        tempoIndex += 1
      }
      // The standard's tempo before the first mark is 120.
      let value = tempoIndex > 0 ? file.tempos[tempoIndex - 1].microsecondsPerQuarter : 500_000
      let next = tempoIndex < file.tempos.count ? min(file.tempos[tempoIndex].tick, to) : to
      if next < to { note("the tempo changes between beats: each beat keeps its instant") }
      time += Int64(value) * (next - tick)
      tick = next
    }
    return time
  }

  private mutating func note(_ text: String) {
    // One remark a bar is enough, and a thousand in all.
    if notes.last?.bar != bar + 1, notes.count < 1_000 {
      notes.append(TempoMap.ImportNote(bar: bar + 1, text: text))
    }
  }

  private func error(_ reason: String) -> FormatError {
    FormatError(file: name, line: 1, column: 1, key: "bar \(bar + 1)", reason: reason)
  }
}
