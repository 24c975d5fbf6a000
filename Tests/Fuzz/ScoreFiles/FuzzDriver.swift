import Glibc
import MetronomeModel
import ScoreFormats

/// The readers; the variable TACTUS_FUZZ_READER says which one is fed.
enum FuzzDriver {
  /// Read once: libFuzzer's own command line has no place for it.
  static let reader: @Sendable (UnsafePointer<UInt8>?, Int) -> Int32 = {
    switch getenv("TACTUS_FUZZ_READER").map({ String(cString: $0) }) {
    case "midi": return fuzzMIDI
    case "klick": return fuzzKlick
    case "json": return fuzzJSON
    case "state": return fuzzState
    case let other:
      fatalError("TACTUS_FUZZ_READER is \(other ?? "not set"): give midi, klick, json or state")
    }
  }()
}

private func bytes(_ data: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
  Array(UnsafeBufferPointer(start: data, count: count))
}

/// A song that was read can be played, and comes back from our own text.
private func check(_ map: TempoMap) {
  guard (try? TempoMapWalk(map)) != nil else { return }
  let text = Array(TempoMapFormat.write(map).utf8)
  guard text.count < JSONParser.largestText else { return }
  guard let again = try? TempoMapFormat.read(text, file: "again") else {
    fatalError("a song that can be played cannot be read back")
  }
  precondition(again == map, "a song came back otherwise")
  _ = try? StandardMIDIFile(map).encoded()
}

@Sendable private func fuzzMIDI(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  guard let file = try? StandardMIDIFile(bytes: bytes(data, count)) else { return 0 }
  if let map = try? TempoMap(midi: file, name: "fuzz") { check(map) }
  return 0
}

@Sendable private func fuzzKlick(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  let input = bytes(data, count)
  _ = try? KlickMap.read(
    arguments: input.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) })
  guard let map = try? KlickMap.read(input, file: "fuzz") else { return 0 }
  check(map)
  let text = try? KlickMap.write(map)
  guard let text, let again = try? KlickMap.read(Array(text.utf8), file: "again") else {
    fatalError("a klick map cannot be said again")
  }
  precondition(again == map, "a klick map came back otherwise")
  return 0
}

@Sendable private func fuzzJSON(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  let input = bytes(data, count)
  guard let node = try? JSONParser.parse(input, file: "fuzz") else { return 0 }
  let text = Array(node.value.text().utf8)
  if text.count < JSONParser.largestText {
    guard let again = try? JSONParser.parse(text, file: "again") else {
      fatalError("written JSON cannot be read")
    }
    precondition(again.value == node.value, "JSON came back otherwise")
  }
  if let preset = try? PresetFormat.read(input, file: "fuzz") {
    let again = try? PresetFormat.read(Array(PresetFormat.write(preset).utf8), file: "again")
    precondition(again == preset, "a preset came back otherwise")
  }
  if let setlist = try? SetlistFormat.read(input, file: "fuzz") {
    let again = try? SetlistFormat.read(Array(SetlistFormat.write(setlist).utf8), file: "again")
    precondition(again == setlist, "a setlist came back otherwise")
  }
  if let map = try? TempoMapFormat.read(input, file: "fuzz") { check(map) }
  return 0
}

/// A state that was read, written and read again is the same.
@Sendable private func fuzzState(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  guard let last = try? StateFormat.read(bytes(data, count), file: "fuzz") else { return 0 }
  guard let again = try? StateFormat.read(Array(StateFormat.write(last).utf8), file: "again") else {
    fatalError("a state that was kept cannot be read back")
  }
  precondition(again == last, "a state came back otherwise")
  return 0
}
