public import MetronomeModel

/// What was learned of pedals, pads and keys, as JSON text with comments: `learned` of
/// `{ when, do }`, both as a mapping's rule is written.
///
/// - Thread: any
public enum LearnedRulesFormat {
  public static func read(_ bytes: [UInt8], file: String) throws(FormatError) -> [MIDIMapping.Rule]
  {
    let node = try JSONParser.parse(bytes, file: file)
    let root = try JSONObjectReader(node, path: "", file: file, keys: ["learned"])
    let rows =
      try root.objects("learned", atMost: MIDIMapping.mostRules, keys: ["when", "do"]) ?? []
    var rules: [MIDIMapping.Rule] = []
    for row in rows {
      let when = try row.required("when", try row.string("when"))
      let action = try row.required("do", try row.string("do"))
      do throws(MIDIMappingError) {
        rules.append(
          MIDIMapping.Rule(trigger: try MIDITrigger(when), action: try MIDIAction(action)))
      } catch { throw row.error(error.text == when ? "when" : "do", error.reason) }
    }
    return rules
  }

  public static func write(_ rules: [MIDIMapping.Rule]) -> String {
    JSONValue.members([
      (
        "learned",
        .list(
          rules.map {
            .members([("when", .string($0.trigger.text)), ("do", .string($0.action.text))])
          })
      )
    ]).text()
  }
}

/// The file that learned rules are kept in, for good: they hold after a restart, and over the
/// mappings of every preset.
///
/// - Thread: control; reads and writes files.
public struct LearnedRulesStore: Sendable {
  public let folder: String
  public static let file = "learned.json"

  public init(folder: String) { self.folder = folder }

  public var path: String { "\(folder)/\(LearnedRulesStore.file)" }

  /// - Returns: none where nothing was learned yet.
  public func load() throws(StoreError) -> [MIDIMapping.Rule] {
    guard let bytes = try WholeFile.read(path) else { return [] }
    do { return try LearnedRulesFormat.read(bytes, file: path) } catch { throw .format(error) }
  }

  /// A power cut leaves the old rules or the new ones.
  public func save(_ rules: [MIDIMapping.Rule]) throws(StoreError) {
    WholeFile.makeFolder(folder)
    try WholeFile.replace(
      Array(LearnedRulesFormat.write(rules).utf8), folder: folder, file: LearnedRulesStore.file)
  }
}
