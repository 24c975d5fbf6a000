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
  /// Tempos keep the file's exact microseconds a quarter. One that changes between two beats becomes
  /// the mean tempo of that beat, so that every beat keeps its instant.
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
  /// What mean tempos have cost so far: exact time less time given, in 1/256 us times file ticks.
  private var owedTime: Int128 = 0
  private var remarkIndex = 0

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
    let near = nearTicks
    while tick < end {
      while meterIndex < file.meters.count, file.meters[meterIndex].tick <= tick + near {
        if file.meters[meterIndex].tick > tick {
          note(
            "the meter changes \(file.meters[meterIndex].tick - tick) ticks after its line: "
              + "taken as on it")
        }
        meter = try self.meter(file.meters[meterIndex])
        meterIndex += 1
      }
      var label: String?
      while markerIndex < file.markers.count, file.markers[markerIndex].tick <= tick + near {
        label = file.markers[markerIndex].text
        markerIndex += 1
      }
      var played = meter
      var length = try ticks(meter)
      if meterIndex < file.meters.count, file.meters[meterIndex].tick <= tick + length + near {
        let distance = file.meters[meterIndex].tick - tick
        if distance < length - near {
          // A meter in the middle of a bar, as after an upbeat: the bar is cut there.
          played = try shortened(meter, to: distance)
        } else if distance != length {
          note(
            "it lasts \(abs(distance - length)) ticks \(distance > length ? "more" : "less") than "
              + "\(meter): its last beat keeps the file's time")
        }
        length = distance
      }
      if markerIndex < file.markers.count, file.markers[markerIndex].tick < tick + length - near {
        note("marker '\(file.markers[markerIndex].text)' is moved to the next bar line")
      }
      noteRemarks(before: tick + length >= end ? Int64.max : tick + length)
      try add(played, beats: try tempos(played, from: tick, length: length), label: label)
      tick += length
      bar += 1
      guard bar <= MIDIMapBuilder.mostBars else {
        throw error("more than \(MIDIMapBuilder.mostBars) bars")
      }
    }
    closeBeats()
  }

  /// Ticks by which a meter or a marker may miss its bar line and still be meant to lie on it: a
  /// 192nd, about 10 ms at 120, or a tick where that is less; none where a tick is a note value.
  private var nearTicks: Int64 {
    Int64(max(file.ticksPerQuarter / 48, file.ticksPerQuarter > 24 ? 1 : 0))
  }

  private mutating func noteRemarks(before tick: Int64) {
    while remarkIndex < file.remarks.count, file.remarks[remarkIndex].tick < tick {
      note(file.remarks[remarkIndex].text)
      remarkIndex += 1
    }
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
    let whole = 4 * Int64(file.ticksPerQuarter)
    for slack in [0, nearTicks] {
      for denominator in [Int64(meter.denominator), 8, 16, 32] {
        guard whole % denominator == 0 else { continue }
        let unit = whole / denominator
        let count = (2 * length + unit) / (2 * unit)
        guard count > 0, abs(length - count * unit) <= min(slack, (unit - 1) / 2),
          let short = try? Meter(Int(count), Int(denominator))
        else { continue }
        note("the meter changes inside it: it is cut to \(short)")
        return short
      }
    }
    throw error(
      "the meter changes \(length) ticks after its line, at \(file.ticksPerQuarter) a quarter, where "
        + "no note value ends: move the change to a bar line in the program that made the file")
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
  ///
  /// - Parameter actual: the bar's ticks in the file, which may be a few more or less than the
  ///   meter has: its last beat makes up for them.
  private mutating func tempos(
    _ meter: Meter, from start: Int64, length actual: Int64
  ) throws(FormatError) -> [Tempo] {
    let count = Int64(meter.beatCount)
    let length = try ticks(meter)
    var result: [Tempo] = []
    for beat in 0..<count {
      // Beats need not fall on ticks of a coarse file; the nearest tick is where they are heard.
      let from = start + length * beat / count
      let written = start + length * (beat + 1) / count
      let to = beat == count - 1 ? start + actual : written
      guard to > from, written > from else {
        throw error("a beat of \(meter) is shorter than a tick")
      }
      result.append(try tempo(time: advance(from: from, to: to), ticks: written - from))
    }
    return result
  }

  /// The tempo at which so many ticks take a time, in microseconds times ticks a quarter.
  private mutating func tempo(time: Int64, ticks: Int64) throws(FormatError) -> Tempo {
    let exact = Int128(time) * 256
    let span = Int128(ticks)
    // A whole length is taken as it is; what others are rounded by, the next of them make up for.
    let isWhole = exact % (256 * span) == 0
    let length = isWhole ? exact / span : (2 * (exact + owedTime) + span) / (2 * span)
    owedTime += exact - length * span
    guard length > 0, let value = UInt32(exactly: length),
      let tempo = Tempo(QuarterLength(microseconds256: value))
    else {
      // 60 000 000 us a minute x 256 x 1000.
      let thousandths = Int64(clamping: 15_360_000_000_000 / max(1, length))
      throw error(
        "tempo of \(ThousandthsText.text(thousandths)): allowed are 5 to 999 quarters a minute, "
          + "change it in the program that made the file")
    }
    return tempo
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
    // Each thing once a bar, and a thousand in all.
    let note = TempoMap.ImportNote(bar: bar + 1, text: text)
    if !notes.suffix(8).contains(note), notes.count < 1_000 { notes.append(note) }
  }

  private func error(_ reason: String) -> FormatError {
    FormatError(file: name, line: 1, column: 1, key: "bar \(bar + 1)", reason: reason)
  }
}
