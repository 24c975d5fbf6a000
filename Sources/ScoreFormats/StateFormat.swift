public import MetronomeModel
import MusicalTime

/// The last state as JSON text: a preset, and beside it what a preset does not hold.
///
/// `version` counts the changes that an older program could not read: whoever adds a key raises it,
/// because unknown keys are refused. A file without one is of version 1.
///
/// - Thread: any
public enum StateFormat {
  /// What this program writes; it reads every version up to it.
  public static let version = 1

  private static let keys = [
    "version", "preset", "setlistEntry", "previousTempo", "previousTempoUnit", "trainerEnd",
    "patterns",
    "settings",
  ]

  public static func write(_ last: LastState) -> String {
    let patterns = last.patterns.entries.map { entry -> (String, JSONValue?) in
      (entry.meter.description, .string(entry.pattern.description))
    }
    return JSONValue.members([
      ("version", .integer(version)),
      ("preset", last.preset.map { .string($0) }),
      ("setlistEntry", last.setlistEntry.map { .integer($0 + 1) }),
      ("previousTempo", last.previousTempo.map { .number($0.value) }),
      ("previousTempoUnit", last.previousTempo.map { .string($0.unit.description) }),
      ("trainerEnd", .string(word(for: last.trainerEnd))),
      ("patterns", patterns.isEmpty ? nil : .members(patterns)),
      ("settings", PresetWriter.value(last.settings)),
    ]).text()
  }

  /// - Parameter file: how the text is called in errors.
  public static func read(_ bytes: [UInt8], file: String) throws(FormatError) -> LastState {
    let root = try JSONParser.parse(bytes, file: file)
    if let newer = newerVersion(root) {
      throw FormatError(
        file: file, line: root.place.line, column: root.place.column, key: "version",
        reason: "\(newer) is of a newer program: this one reads up to \(version)")
    }
    let object = try JSONObjectReader(root, path: "", file: file, keys: keys)
    _ = try object.integer("version", 1...version)
    var reader = PresetReader()
    if let settings = object.node("settings") { try reader.read(settings, file: file) }
    var last = LastState(settings: reader.preset)
    last.preset = try object.name("preset")
    if let entry = try object.integer("setlistEntry", Setlist.entryCounts) {
      last.setlistEntry = entry - 1
    }
    let unit = try object.string("previousTempoUnit").flatMap { NoteValue(text: $0) }
    last.previousTempo = try PresetReader.tempo(
      "previousTempo", unit: unit ?? .quarter, in: object)
    if let word = try object.string("trainerEnd") {
      last.trainerEnd = SpeedTrainer.End.allCases.first { self.word(for: $0) == word } ?? .hold
    }
    if case .object(let members)? = object.node("patterns")?.value {
      for member in members {
        // A pattern that no longer fits is forgotten: the meter has its default.
        guard case .string(let text) = member.node.value,
          let meter = try? Meter(text: member.key),
          let pattern = try? AccentPattern(text: text, for: meter)
        else { continue }
        last.patterns.remember(pattern, for: meter)
      }
    }
    return last
  }

  /// The version of a text that a newer program wrote; nil where this one can read it, or nobody.
  static func newerVersion(of bytes: [UInt8]) -> Int? {
    guard let root = try? JSONParser.parse(bytes, file: "") else { return nil }
    return newerVersion(root)
  }

  private static func newerVersion(_ root: JSONNode) -> Int? {
    guard case .object(let members) = root.value,
      case .number(let number)? = members.first(where: { $0.key == "version" })?.node.value,
      let written = Int(exactly: number.double), written > version
    else { return nil }
    return written
  }

  private static func word(for end: SpeedTrainer.End) -> String {
    switch end {
    case .hold: "hold"
    case .stop: "stop"
    case .loop: "loop"
    case .return: "return"
    }
  }
}
