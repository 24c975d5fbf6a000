import Glibc
import MetronomeModel
import MusicalTime
import Testing

@testable import ScoreFormats

/// Two folders that are gone with the test.
final class StoreFolders {
  let base: String
  var user: String { "\(base)/user" }
  var shipped: String { "\(base)/shipped" }

  init() {
    var template = Array("/tmp/tactus-test-XXXXXX".utf8CString)
    mkdtemp(&template)
    base = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    mkdir(shipped, 0o755)
  }

  deinit {
    for folder in [user, shipped] {
      for name in FolderListing.entries(of: folder) { unlink("\(folder)/\(name)") }
      rmdir(folder)
    }
    unlink("\(base)/secret.json")
    rmdir(base)
  }

  func write(_ path: String, _ text: String) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    _ = text.withCString { Glibc.write(descriptor, $0, strlen($0)) }
    close(descriptor)
  }
}

@Suite("Preset store")
struct PresetStoreTests {
  let folders = StoreFolders()
  var store: PresetStore {
    PresetStore(userFolder: folders.user, shippedFolders: [folders.shipped])
  }

  func failure(_ wanted: NameOrNumber) -> StoreError? {
    do {
      _ = try store.load(wanted)
      return nil
    } catch { return error }
  }

  @Test("the user's preset shadows the shipped one of the same name")
  func shadowing() throws {
    folders.write("\(folders.shipped)/a.json", #"{"title": "shipped"}"#)
    #expect(try store.load(.name("a")).preset.title == "shipped")
    var mine = Preset()
    mine.title = "mine"
    try store.save(mine, as: "a")
    #expect(try store.load(.name("a")).preset.title == "mine")
    #expect(store.names == ["a"])
  }

  @Test("numbers follow the order in which people count")
  func order() throws {
    for name in ["song 10", "song 2", "Song 1", "song 2b"] {
      folders.write("\(folders.shipped)/\(name).json", #"{"title": "\#(name)"}"#)
    }
    folders.write("\(folders.shipped)/.hidden.json", "{}")
    folders.write("\(folders.shipped)/notes.txt", "")
    #expect(store.names == ["Song 1", "song 2", "song 2b", "song 10"])
    #expect(try store.load(.number(4)).name == "song 10")
    #expect(failure(.number(5)) == .number(kind: "preset", 5, count: 4))
    #expect(failure(.number(0)) == .number(kind: "preset", 0, count: 4))
    #expect(failure(.number(.min)) == .number(kind: "preset", .min, count: 4))
  }

  @Test("a name cannot leave its folder")
  func names() {
    folders.write("\(folders.base)/secret.json", "{}")
    symlink("\(folders.base)/secret.json", "\(folders.shipped)/link.json")
    for name in ["../secret", "a/../../secret", ".x", "", "a\n", "a\\b"] {
      guard case .name = failure(.name(name)) else {
        Issue.record("'\(name)' was not refused as a name")
        continue
      }
    }
    #expect(failure(.name("link")) == .symbolicLink(path: "\(folders.shipped)/link.json"))
    let long = String(repeating: "a", count: 129)
    #expect(
      failure(.name(long))
        == .name(kind: "preset", reason: "name has 129 bytes: allowed are 1 to 128"))
    #expect(throws: StoreError.self) { try store.save(Preset(), as: "../x") }
  }

  @Test("a name that nearly is one is suggested")
  func suggestion() {
    folders.write("\(folders.shipped)/practice.json", "{}")
    #expect(
      failure(.name("practise"))?.description
        == "there is no preset 'practise': did you mean 'practice'?")
    #expect(
      failure(.name("zzzzzzzz"))
        == .notFound(
          kind: "preset", name: "zzzzzzzz", nearest: nil, folders: [folders.user, folders.shipped]))
  }

  @Test("saving replaces the file in one step and leaves nothing beside it")
  func saving() throws {
    var preset = Preset()
    preset.tempo = Tempo(100)
    try store.save(preset, as: "a")
    let descriptor = open("\(folders.user)/a.json", O_RDONLY)
    defer { close(descriptor) }
    preset.tempo = Tempo(200)
    try store.save(preset, as: "a")
    // Who had it open still reads the whole old file: it was replaced, not written over.
    var buffer = [UInt8](repeating: 0, count: 4_096)
    let got = read(descriptor, &buffer, buffer.count)
    #expect(
      try PresetFormat.read(Array(buffer[..<got]), file: "a").tempo == Tempo(100))
    #expect(try store.load(.name("a")).preset.tempo == Tempo(200))
    var entries = 0
    let directory = opendir(folders.user)!
    while readdir(directory) != nil { entries += 1 }
    closedir(directory)
    // ".", ".." and the preset.
    #expect(entries == 3)
  }

  @Test("the user's folder holds so many, and an old name can still be saved")
  func full() throws {
    let small = NamedFiles(kind: "preset", userFolder: folders.user, most: 2)
    try small.save("{}", as: "a")
    try small.save("{}", as: "b")
    #expect(throws: StoreError.full(kind: "preset", folder: folders.user, most: 2)) {
      try small.save("{}", as: "c")
    }
    try small.save("{ }", as: "b")
    #expect(Limits.savedPresets == 200)
  }

  @Test("a file that was written by hand is not replaced, and the way out is told")
  func writtenByHand() throws {
    try store.save(Preset(), as: "ours")
    try store.save(Preset(), as: "ours")
    for (name, text, word) in [
      ("commented", "{ \"tempo\": 90 // slow\n}", "holds comments"),
      ("block", "{ /* mine */ }", "holds comments"),
      ("strange", "{ \"colour\": \"red\" }", "colour: unknown key"),
    ] {
      folders.write("\(folders.user)/\(name).json", text)
      do {
        try store.save(Preset(), as: name)
        Issue.record("\(name) was replaced")
      } catch {
        #expect(error.description.contains(word) && error.description.contains("another name"))
      }
      #expect(try WholeFile.read("\(folders.user)/\(name).json") == Array(text.utf8))
    }
    // What looks like a comment inside a text is none.
    folders.write("\(folders.user)/text.json", #"{ "title": "a // \"b /* c" }"#)
    try store.save(Preset(), as: "text")
    // A shipped file stays where it is.
    folders.write("\(folders.shipped)/stage.json", "{} // shipped")
    try store.save(Preset(), as: "stage")
  }

  @Test("a name is one name however its accents are written")
  func normalForms() throws {
    let (composed, decomposed) = ("\u{FC}bung", "u\u{308}bung")
    folders.write("\(folders.shipped)/\(decomposed).json", #"{ "title": "shipped" }"#)
    #expect(try store.load(.name(composed)).preset.title == "shipped")
    var preset = Preset()
    preset.title = "mine"
    try store.save(preset, as: composed)
    preset.title = "mine again"
    try store.save(preset, as: decomposed)
    #expect(FolderListing.entries(of: folders.user).count == 1)
    #expect(try store.load(.name(decomposed)).preset.title == "mine again")
    #expect(store.names.count == 1)
  }

  @Test("a text of digits is a name where there is one, a number is a number")
  func digits() throws {
    for name in ["24", "a", "b"] { folders.write("\(folders.shipped)/\(name).json", "{}") }
    #expect(try store.load(.name("24")).name == "24")
    // 24, a, b: the second is a.
    #expect(try store.load(.name("2")).name == "a")
    #expect(try store.load(.number(2)).name == "a")
    #expect(failure(.number(24)) == .number(kind: "preset", 24, count: 3))
    #expect(failure(.name("99")) == .number(kind: "preset", 99, count: 3))
  }

  @Test("numbers lead to presets that can be loaded, and default is the first")
  func loadable() throws {
    for (name, text) in [("a", "{"), ("b", "{}"), ("default", "{}"), ("c", "{\"x\": 1}")] {
      folders.write("\(folders.shipped)/\(name).json", text)
    }
    #expect(store.names == ["default", "b"])
    #expect(try store.load(.number(2)).name == "b")
    #expect(store.faults.map(\.name) == ["a", "c"])
  }

  @Test("a broken preset is an error with its place")
  func broken() {
    folders.write("\(folders.shipped)/a.json", "{\n\"tempo\": 0\n}")
    #expect(
      failure(.name("a"))?.description
        == "\(folders.shipped)/a.json:2:10: tempo: 0: allowed are 5 to 999 1/4 a minute")
  }
}

@Suite("Shipped presets")
struct ShippedPresetTests {
  static let folder =
    #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
    .joined(separator: "/") + "/Presets"

  static let names = PresetStore(userFolder: "/nonexistent", shippedFolders: [folder]).names

  @Test("each is read and comes back the same", arguments: names)
  func load(name: String) throws {
    let store = PresetStore(userFolder: "/nonexistent", shippedFolders: [Self.folder])
    let preset = try store.load(.name(name)).preset
    #expect(preset != Preset() && preset.title != nil)
    let again = try PresetFormat.read(Array(PresetFormat.write(preset).utf8), file: name)
    #expect(again == preset)
  }

  @Test("practice, stage, drum machine and lights are there, trainer and timer for each length")
  func coverage() throws {
    let store = PresetStore(userFolder: "/nonexistent", shippedFolders: [Self.folder])
    for name in ["practice", "stage", "drum-machine", "lights"] {
      #expect(Self.names.contains(name))
    }
    for minutes in [1, 2, 3, 5, 10, 15, 20, 30] {
      let timer = try store.load(.name("timer-\(minutes)")).preset.timer
      #expect(timer == .on(.init(minutes: Double(minutes))))
      guard
        case .on(.trainer(let trainer)) = try store.load(.name("trainer-\(minutes)")).preset.ramp
      else {
        Issue.record("trainer-\(minutes) has no trainer")
        continue
      }
      #expect(trainer.share == .totalMilliseconds(Int64(minutes) * 60_000))
    }
  }
}
