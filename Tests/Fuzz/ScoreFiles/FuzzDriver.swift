import Glibc
import MetronomeModel
import ScoreFormats

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ argc: UnsafeMutablePointer<Int32>,
  _ argv: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
  _ callback: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

/// Chooses the reader by the first argument and hands the others to libFuzzer.
enum FuzzDriver {
  static func run() -> Int32 {
    guard CommandLine.arguments.count > 1 else { return 2 }
    let callback: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
    switch CommandLine.arguments[1] {
    case "midi": callback = fuzzMIDI
    case "klick": callback = fuzzKlick
    case "json": callback = fuzzJSON
    default: return 2
    }
    var words: [UnsafeMutablePointer<CChar>?] = CommandLine.arguments.map { strdup($0) }
    words.remove(at: 1)
    words.append(nil)
    var count = Int32(words.count - 1)
    return words.withUnsafeMutableBufferPointer { buffer in
      var base = buffer.baseAddress
      return runDriver(&count, &base, callback)
    }
  }
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

private func fuzzMIDI(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  guard let file = try? StandardMIDIFile(bytes: bytes(data, count)) else { return 0 }
  if let map = try? TempoMap(midi: file, name: "fuzz") { check(map) }
  return 0
}

private func fuzzKlick(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
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

private func fuzzJSON(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
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
