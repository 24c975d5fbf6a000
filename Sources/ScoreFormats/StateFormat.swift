public import MetronomeModel
import MusicalTime

/// The last state as JSON text: a preset, and beside it what a preset does not hold.
///
/// - Thread: any
public enum StateFormat {
  private static let keys = [
    "preset", "setlistEntry", "previousTempo", "previousTempoUnit", "trainerEnd", "patterns",
    "settings",
  ]

  public static func write(_ last: LastState) -> String {
    let patterns = last.patterns.entries.map { entry -> (String, JSONValue?) in
      (entry.meter.description, .string(entry.pattern.description))
    }
    return JSONValue.members([
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
    let object = try JSONObjectReader(root, path: "", file: file, keys: keys)
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

  private static func word(for end: SpeedTrainer.End) -> String {
    switch end {
    case .hold: "hold"
    case .stop: "stop"
    case .loop: "loop"
    case .return: "return"
    }
  }
}

/// The file that the last state is kept in.
///
/// - Thread: control; reads and writes files.
public struct StateStore: Sendable {
  public let folder: String
  public static let file = "state.json"

  public init(folder: String) { self.folder = folder }

  /// nil where nothing has been kept yet.
  public func load() throws(StoreError) -> LastState? {
    let path = "\(folder)/\(StateStore.file)"
    guard let bytes = try WholeFile.read(path) else { return nil }
    do { return try StateFormat.read(bytes, file: path) } catch { throw .format(error) }
  }

  /// A power cut leaves the old state or the new one, never half of one.
  public func save(_ last: LastState) throws(StoreError) {
    WholeFile.makeFolder(folder)
    try WholeFile.replace(
      Array(StateFormat.write(last).utf8), folder: folder, file: StateStore.file)
  }
}
