public import MetronomeModel
import MusicalTime

/// Songs as JSON text with comments.
///
/// - Thread: any
public enum TempoMapFormat {
  static let rootKeys: [PresetKeys.Key] = [
    .init("title", "text", "for people"),
    .init("sections", "list of { }", "the song, in order"),
    .init("loop", "text", "label to go on at after the last section, again and again"),
  ]
  static let sectionKeys: [PresetKeys.Key] = [
    .init("label", "text", "unique name of the section"),
    .init("bars", "number or \"endless\"", "1 to 9999"),
    .init("meter", "text", "as in the section before where it is left out; first 4/4"),
    .init(
      "tempo", "number, list or { }",
      "steady; one for each beat; or from and to of a ramp over the section; goes on if left out"),
    .init(
      "microseconds", "number or list",
      "exact length of a quarter, as in a MIDI file: then tempo is what is shown; null where a beat "
        + "has none"),
    .init("unit", "text", "the note value that the tempos count, \"1/4\" where it is left out"),
    .init("pattern", "text", "a letter a beat: X strong, x normal, - soft, . silent"),
    .init("volume", "number", "linear gain, 0 to 10; 1 is unchanged"),
    .init("repeat", "number", "how often it is played in a row"),
    .init("goto", "text", "label of the section to go on at"),
    .init("times", "number", "how often the jump is taken; always where it is left out"),
  ]
  static let rampKeys: [PresetKeys.Key] = [
    .init("from", "number", "at the section's begin"), .init("to", "number", "at its end"),
  ]

  public static func read(_ bytes: [UInt8], file: String) throws(FormatError) -> TempoMap {
    let node = try JSONParser.parse(bytes, file: file)
    let root = try JSONObjectReader(
      node, path: "", file: file, keys: PresetKeys.names(rootKeys))
    var map = TempoMap(title: try root.string("title"), loop: try root.string("loop"))
    let rows = try root.required(
      "sections",
      try root.objects(
        "sections", atMost: TempoMap.sectionCounts.upperBound,
        keys: PresetKeys.names(sectionKeys)))
    for row in rows {
      map.sections.append(try section(row, after: map.sections.last?.meter ?? .common))
    }
    // What only the whole shows: labels, jumps, lengths.
    do { _ = try TempoMapWalk(map) } catch {
      throw root.error("sections", error.description)
    }
    return map
  }

  private static func section(
    _ row: JSONObjectReader, after meter: Meter
  ) throws(FormatError) -> TempoMap.Section {
    var bars = 0
    if case .string? = row.node("bars")?.value {
      _ = try row.word("bars", [("endless", 0)])
    } else {
      bars = try row.required("bars", try row.integer("bars", Limits.bars, unit: "bars"))
    }
    var section = TempoMap.Section(label: try row.string("label"), bars: bars, meter: meter)
    if let text = try row.string("meter") {
      do { section.meter = try Meter(text: text) } catch {
        throw row.error("meter", error.description)
      }
    }
    if let text = try row.string("pattern") {
      do { section.pattern = try AccentPattern(text: text, for: section.meter) } catch {
        throw row.error("pattern", error.description)
      }
    }
    section.tempo = try course(row, section)
    section.gain = try row.number("volume", TempoMap.gains) ?? 1
    section.repeats = try row.integer("repeat", Limits.bars) ?? 1
    let times = try row.integer("times", Limits.bars)
    if let label = try row.string("goto") {
      section.jump = TempoMap.Jump(label: label, times: times)
    } else if times != nil {
      throw row.error("times", "belongs to goto, which is not there")
    }
    return section
  }

  private static func course(
    _ row: JSONObjectReader, _ section: TempoMap.Section
  ) throws(FormatError) -> TempoMap.Course {
    let unit = try PresetReader.unit(row)
    switch row.node("tempo")?.value {
    case nil where row.has("microseconds"):
      return .steady(try row.required("tempo", try PresetReader.exactTempo(nil, in: row)))
    case nil:
      return .keep
    case .object:
      guard let ramp = try row.object("tempo", keys: PresetKeys.names(rampKeys)) else {
        return .keep
      }
      let from = try ramp.required(
        "from", try PresetReader.tempo("from", unit: unit, in: ramp))
      let to = try ramp.required("to", try PresetReader.tempo("to", unit: unit, in: ramp))
      guard from != to else {
        throw ramp.error("to", "is the same as from: write one number for a steady tempo")
      }
      return .ramp(from: from, to: to)
    case .array:
      let nodes = try row.list("tempo", atMost: JSONParser.mostValues) ?? []
      let lengths = try row.list("microseconds", atMost: nodes.count)
      if let lengths, lengths.count != nodes.count {
        throw row.error(
          "microseconds",
          "has \(lengths.count) entries for \(nodes.count) tempos: write one for each")
      }
      var tempos: [Tempo] = []
      for (index, node) in nodes.enumerated() {
        guard case .number(let number) = node.value, let tempo = Tempo(number.double, unit: unit)
        else {
          throw row.error(
            "tempo", "\(node.value.shown): allowed are 5 to 999 quarters a minute for each beat")
        }
        guard let length = lengths?[index], case .number(let microseconds) = length.value else {
          tempos.append(tempo)
          continue
        }
        tempos.append(try PresetReader.exactTempo(microseconds.double, shown: tempo, in: row))
      }
      return .perBeat(tempos)
    default:
      let tempo = try row.required("tempo", try PresetReader.tempo("tempo", unit: unit, in: row))
      return .steady(try PresetReader.exactTempo(tempo, in: row) ?? tempo)
    }
  }

  // MARK: Writing

  public static func write(_ map: TempoMap) -> String {
    JSONValue.members([
      ("title", map.title.map { .string($0) }),
      ("sections", .list(map.sections.map(value))),
      ("loop", map.loop.map { .string($0) }),
    ]).text()
  }

  private static func value(_ section: TempoMap.Section) -> JSONValue {
    let tempo: JSONValue?
    let unit: NoteValue
    var lengths: JSONValue?
    switch section.tempo {
    case .keep:
      tempo = nil
      unit = .quarter
    case .steady(let steady):
      tempo = PresetWriter.thousandths(Int64(steady.thousandths))
      unit = steady.unit
      lengths = PresetWriter.microseconds(steady)
    case .ramp(let from, let to):
      tempo = .members([
        ("from", PresetWriter.thousandths(Int64(from.thousandths))),
        ("to", PresetWriter.thousandths(Int64(to.thousandths))),
      ])
      unit = from.unit
    case .perBeat(let tempos):
      tempo = .list(tempos.map { PresetWriter.thousandths(Int64($0.thousandths)) })
      unit = tempos.first?.unit ?? .quarter
      if tempos.contains(where: { $0.length != nil }) {
        lengths = .list(tempos.map { PresetWriter.microseconds($0) ?? .null })
      }
    }
    return .members([
      ("label", section.label.map { .string($0) }),
      ("bars", section.bars == 0 ? .string("endless") : .integer(section.bars)),
      ("meter", .string(section.meter.description)),
      ("tempo", tempo),
      ("microseconds", lengths),
      ("unit", unit == .quarter ? nil : .string(unit.description)),
      ("pattern", section.pattern.map { .string($0.description) }),
      ("volume", section.gain == 1 ? nil : .number(section.gain)),
      ("repeat", section.repeats == 1 ? nil : .integer(section.repeats)),
      ("goto", section.jump.map { .string($0.label) }),
      ("times", section.jump?.times.map { .integer($0) }),
    ])
  }

  /// Every key with its value and meaning, as lines of a Markdown table.
  public static var documentation: String { WrittenFile.map.table }

  static let groups: [KeyGroup] = [
    KeyGroup(
      "", rootKeys,
      [
        """
        {
          "title": "Song",
          "sections": [{ "label": "verse", "bars": 8, "tempo": 120 }],
          "loop": "verse"
        }
        """
      ]),
    KeyGroup(
      "sections[].", sectionKeys,
      [
        """
        {
          "sections": [
            { "label": "Intro", "bars": 4, "meter": "6/8.", "tempo": 72, "unit": "1/4.", "volume": 0.7 },
            { "label": "Verse", "bars": 8, "meter": "4/4", "tempo": 130, "microseconds": 461538 },
            { "bars": 8, "pattern": "X-x-", "repeat": 2, "goto": "Verse", "times": 1 },
            { "label": "End", "bars": "endless" }
          ]
        }
        """
      ]),
    KeyGroup(
      "sections[].tempo.", rampKeys,
      [#"{ "sections": [{ "bars": 4, "tempo": { "from": 100, "to": 140 } }] }"#]),
  ]
}
