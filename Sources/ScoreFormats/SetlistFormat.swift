public import MetronomeModel

/// Setlists as JSON text with comments: `entries` of `{ title, preset, map }`, or a preset's bare
/// name.
///
/// - Thread: any
public enum SetlistFormat {
  static let rootKeys: [PresetKeys.Key] = [
    .init("title", "text", "for people"),
    .init(
      "entries", "list of { } or texts",
      "in order, \(Setlist.entryCounts.lowerBound) to \(Setlist.entryCounts.upperBound); a text is a "
        + "preset's name"),
  ]
  static let entryKeys: [PresetKeys.Key] = [
    .init("title", "text", "what the entry is called"),
    .init("preset", "text", "name of a preset"),
    .init("map", "text", "name of a tempo map, loaded after the preset"),
  ]
  static let groups: [KeyGroup] = [
    KeyGroup(
      "", rootKeys, [#"{ "title": "Friday", "entries": ["default", "practice-swing"] }"#]),
    KeyGroup(
      "entries[].", entryKeys,
      [
        """
        {
          "entries": [
            { "title": "Opener", "preset": "stage", "map": "example" },
            { "map": "example" }
          ]
        }
        """
      ]),
  ]

  public static func read(_ bytes: [UInt8], file: String) throws(FormatError) -> Setlist {
    let node = try JSONParser.parse(bytes, file: file)
    let root = try JSONObjectReader(node, path: "", file: file, keys: PresetKeys.names(rootKeys))
    var setlist = Setlist(title: try root.string("title"))
    let nodes = try root.required(
      "entries", try root.list("entries", atMost: Setlist.entryCounts.upperBound))
    guard !nodes.isEmpty else {
      throw root.error("entries", "is empty: name 1 to \(Setlist.entryCounts.upperBound) presets")
    }
    for (index, node) in nodes.enumerated() {
      setlist.entries.append(try entry(node, path: "entries[\(index)]", file: file))
    }
    return setlist
  }

  private static func entry(
    _ node: JSONNode, path: String, file: String
  ) throws(FormatError) -> Setlist.Entry {
    if case .string(let text) = node.value {
      do { return Setlist.Entry(preset: try SafeName(text).text) } catch {
        throw FormatError(
          file: file, line: node.place.line, column: node.place.column, key: path,
          reason: error.description)
      }
    }
    let object = try JSONObjectReader(
      node, path: path, file: file, keys: PresetKeys.names(entryKeys))
    let entry = Setlist.Entry(
      title: try object.string("title"), preset: try object.name("preset"),
      map: try object.name("map"))
    guard entry.preset != nil || entry.map != nil else {
      throw object.error("preset", "is missing: an entry names a preset, a map or both")
    }
    return entry
  }

  public static func write(_ setlist: Setlist) -> String {
    JSONValue.members([
      ("title", setlist.title.map { .string($0) }),
      (
        "entries",
        .list(
          setlist.entries.map { entry in
            .members([
              ("title", entry.title.map { .string($0) }),
              ("preset", entry.preset.map { .string($0) }),
              ("map", entry.map.map { .string($0) }),
            ])
          })
      ),
    ]).text()
  }
}
