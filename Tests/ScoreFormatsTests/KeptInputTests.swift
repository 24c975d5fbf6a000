import MetronomeModel
import Glibc
import Testing

@testable import ScoreFormats

/// What fuzzing has kept: each of these once took a way through a reader that no other took.
@Suite("Kept inputs")
struct KeptInputTests {
  static let folder =
    #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(2)
    .joined(separator: "/") + "/Fuzz/ScoreFiles/corpus"

  static func inputs(_ kind: String) -> [(name: String, bytes: [UInt8])] {
    FolderListing.entries(of: "\(folder)/\(kind)").sorted().compactMap { name in
      (try? WholeFile.read("\(folder)/\(kind)/\(name)")).flatMap { $0 }.map { (name, $0) }
    }
  }

  @Test("a song that a file gives can be played or says why not, and comes back from our text")
  func songs() throws {
    let inputs = Self.inputs("midi") + Self.inputs("klick") + Self.inputs("json")
    #expect(inputs.count > 10)
    for (name, bytes) in inputs {
      guard let song = try? SongFile.read(bytes, file: name) else { continue }
      guard (try? TempoMapWalk(song.map)) != nil else { continue }
      let text = Array(TempoMapFormat.write(song.map).utf8)
      guard text.count <= JSONParser.largestText else { continue }
      #expect(try TempoMapFormat.read(text, file: name) == song.map, "\(name)")
    }
  }

  @Test("JSON that is read comes back from its own text")
  func values() throws {
    for (name, bytes) in Self.inputs("json") {
      guard let node = try? JSONParser.parse(bytes, file: name) else { continue }
      let again = try JSONParser.parse(Array(node.value.text().utf8), file: name)
      #expect(again.value == node.value, "\(name)")
    }
  }
}
