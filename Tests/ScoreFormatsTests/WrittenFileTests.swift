import MetronomeModel
import Testing

@testable import ScoreFormats

@Suite("Keys of written files")
struct WrittenFileTests {
  /// The keys that are written at a prefix such as `midi[].notes.*.`.
  static func keys(_ value: JSONValue, at prefix: Substring) -> Set<String> {
    switch value {
    case .array(let elements):
      guard prefix.hasPrefix("[]") else { return [] }
      let rest = prefix.dropFirst(2)
      return elements.reduce(into: []) {
        $0.formUnion(keys($1.value, at: rest.hasPrefix(".") ? rest.dropFirst() : rest))
      }
    case .object(let members):
      if prefix.isEmpty { return Set(members.map(\.key)) }
      let name = prefix.prefix { $0 != "." && $0 != "[" }
      var rest = prefix.dropFirst(name.count)
      if rest.hasPrefix(".") { rest = rest.dropFirst() }
      return members.filter { name == "*" || $0.key == name }.reduce(into: []) {
        $0.formUnion(keys($1.node.value, at: rest))
      }
    default: return []
    }
  }

  @Test("every example can be read, and the examples of an object use each of its keys")
  func examples() throws {
    for file in WrittenFile.allCases {
      for group in file.groups {
        var used: Set<String> = []
        for example in group.examples {
          try file.check(example, file: "\(file) \(group.prefix)")
          let node = try JSONParser.parse(Array(example.utf8), file: "x")
          used.formUnion(Self.keys(node.value, at: group.prefix[...]))
        }
        #expect(Set(group.keys.map(\.name)) == used, "\(file) \(group.prefix)")
      }
    }
  }

  @Test("the page of the folder Presets is made from the keys, in lines that can be read")
  func page() throws {
    let path = ShippedPresetTests.folder + "/README.md"
    let bytes = try #require(try WholeFile.read(path))
    // Made by: tactus preset keys --markdown > Presets/README.md
    #expect(String(decoding: bytes, as: UTF8.self) == WrittenFilesPage.markdown())
    for line in WrittenFilesPage.markdown().split(separator: "\n") {
      #expect(line.count <= 160, "\(line)")
    }
  }

  @Test("the shipped setlist and map can be loaded, and everything they name is there")
  func shipped() throws {
    let folder = ShippedPresetTests.folder
    let setlists = SetlistStore(userFolder: "/nonexistent", shippedFolders: ["\(folder)/setlists"])
    let maps = SongStore(userFolder: "/nonexistent", shippedFolders: ["\(folder)/maps"])
    #expect(setlists.names == ["example"] && maps.names == ["example"])
    _ = try TempoMapWalk(try maps.load("example").map)
    for entry in try setlists.load(.name("example")).setlist.entries {
      if let preset = entry.preset { #expect(ShippedPresetTests.names.contains(preset)) }
      if let map = entry.map { #expect(maps.names.contains(map)) }
    }
    // All of the folder can be loaded, and the harmless one comes first.
    let store = PresetStore(userFolder: "/nonexistent", shippedFolders: [folder])
    #expect(store.faults.isEmpty && store.names.first == "default")
  }
}
