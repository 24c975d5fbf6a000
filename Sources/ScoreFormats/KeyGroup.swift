/// The keys of one object of a file, with what they mean and how they are written.
///
/// The readers know no other keys, and all documentation is made from these groups.
///
/// - Thread: any
public struct KeyGroup: Sendable {
  public struct Key: Equatable, Sendable {
    public var name: String
    /// What stands there: `number`, `text`, `list`, `{ }`.
    public var value: String
    /// With unit and range.
    public var meaning: String
  }

  /// The keys that lead here, with a dot at their end; empty for the file as a whole.
  public var prefix: String
  public var keys: [Key]
  /// Whole files; together they use every key of the group.
  public var examples: [String]

  init(_ prefix: String, _ keys: [PresetKeys.Key], _ examples: [String]) {
    self.prefix = prefix
    self.keys = keys.map { Key(name: $0.name, value: $0.value, meaning: $0.meaning) }
    self.examples = examples
  }
}

/// A kind of file that people write.
///
/// - Thread: any
public enum WrittenFile: String, Sendable, CaseIterable {
  case preset, setlist, map, mapping

  public var groups: [KeyGroup] {
    switch self {
    case .preset: PresetFormat.groups
    case .setlist: SetlistFormat.groups
    case .map: TempoMapFormat.groups
    case .mapping: PresetFormat.groups.filter { $0.prefix == "mappings[]." }
    }
  }

  /// What the files are, in a sentence or two.
  public var summary: String {
    switch self {
    case .preset:
      "A preset is an overlay: it changes what it names and leaves everything else as it is. "
        + "`default` brings back how everything was at the first start, outputs left alone."
    case .setlist:
      "A setlist orders presets and tempo maps; `preset/next` goes through it and stops at its end."
    case .map:
      "A tempo map is a song: sections of bars, each with its meter and tempo, in order."
    case .mapping:
      "A mapping says what a MIDI message or a key does; mappings stand in presets."
    }
  }

  /// Reads a text as this kind of file, for what is wrong with it.
  public func check(_ text: String, file: String) throws(FormatError) {
    let bytes = Array(text.utf8)
    switch self {
    case .preset, .mapping: _ = try PresetFormat.read(bytes, file: file)
    case .setlist: _ = try SetlistFormat.read(bytes, file: file)
    case .map: _ = try TempoMapFormat.read(bytes, file: file)
    }
  }

  /// The keys as lines of a Markdown table.
  public var table: String {
    var lines = ["| key | value | meaning |", "| --- | --- | --- |"]
    for group in groups {
      for key in group.keys {
        let meaning = key.meaning.split(separator: "|").joined(separator: "\\|")
        lines.append("| `\(group.prefix)\(key.name)` | \(key.value) | \(meaning) |")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
