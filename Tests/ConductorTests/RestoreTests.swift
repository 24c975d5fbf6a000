import Glibc
import MetronomeModel
import MusicalTime
import RealtimeEngine
import ScoreFormats
import Testing

@testable import Conductor

@Suite("Last state")
struct RestoreTests {
  @Test("what was set is back after a restart, and nothing plays")
  func restored() throws {
    var rig = Rig(state: OutputTests.ports(), library: Shelf.evening)
    rig.submit(.setlist(.name("gig")))
    rig.submit(.nextPreset)
    rig.submit(.pattern("X.-"))
    rig.submit(.tempo(99.95, unit: nil, when: .beat))
    rig.submit(.trainerEnd(.loop))
    rig.submit(.midi(port: "Drums", .offset(milliseconds: -20)))
    rig.submit(.level(.strong, decibels: -3))
    rig.submit(.start)
    let text = StateFormat.write(LastState(of: rig.state))
    let last = try StateFormat.read(Array(text.utf8), file: "state.json")
    var after = Rig(state: OutputTests.ports(), library: Shelf.evening)
    after.restore(last)
    var expected = rig.state
    expected.transport = .stopped
    #expect(after.state == expected)
    #expect(after.changed.contains(.tempo))
    // The setlist goes on where it was.
    after.submit(.nextPreset)
    #expect(!after.outputs.contains { if case .refused = $0 { true } else { false } })
    #expect(after.state.map == "song")
  }

  @Test("mappings and targets of a preset come back with the rest")
  func edges() throws {
    var rig = Rig(library: Shelf.evening)
    var preset = Preset()
    preset.feedback = [FeedbackTarget(host: "tablet", port: 9, topics: [.beat])]
    preset.mappings = []
    preset.horizonMilliseconds = 300
    rig.outputs = rig.conductor.apply(preset, named: "lamps", now: rig.now)
    let last = rig.conductor.lastState
    #expect(last.settings.feedback == preset.feedback)
    var after = Rig(library: Shelf.evening)
    after.restore(last)
    #expect(after.conductor.lastState == last)
    #expect(after.state.preset == "lamps")
  }

  @Test("a song or setlist that is gone is left out, and reported")
  func gone() {
    var rig = Rig(library: Shelf.evening)
    rig.submit(.setlist(.name("gig")))
    rig.submit(.loadMap(name: "song"))
    rig.submit(.tempo(88, unit: nil, when: .beat))
    var after = Rig()
    after.restore(LastState(of: rig.state))
    #expect(after.state.tempo == .quarters(88))
    #expect(after.state.map == nil)
    #expect(after.state.setlist == nil)
    #expect(after.notices.contains { $0.contains("came back in part") })
  }
}

@Suite("Folders")
struct FolderLibraryTests {
  @Test("setlists and songs are read from their folders; what is missing names itself")
  func folders() throws {
    var template = Array("/tmp/tactus-library-XXXXXX".utf8CString)
    let folder = try #require(mkdtemp(&template).map { String(cString: $0) })
    let songs = SongStore(userFolder: "\(folder)/songs")
    let setlists = SetlistStore(userFolder: "\(folder)/setlists")
    let presets = PresetStore(userFolder: "\(folder)/presets")
    defer {
      for file in ["songs/song.json", "setlists/gig.json", "presets/mine.json"] {
        unlink("\(folder)/\(file)")
      }
      for inner in ["songs", "setlists", "presets"] { rmdir("\(folder)/\(inner)") }
      rmdir(folder)
    }
    let song = try #require(Shelf.evening.maps["song"])
    try songs.save(song, as: "song")
    try setlists.save(Setlist(entries: [Setlist.Entry(map: "song")]), as: "gig")
    let library = FolderLibrary(presets: presets, setlists: setlists, songs: songs)
    var rig = Rig(library: library)
    #expect(rig.submit(.savePreset(name: "mine")) == .accepted)
    #expect(rig.submit(.setlist(.number(1))) == .effective(FrameIndex(1_000)))
    #expect(rig.state.map == "song")
    #expect(rig.conductor.sectionNames == ["intro", "verse", "end"])
    #expect(library.presetNames == ["mine"])
    #expect(library.setlistNames == ["gig"])
    #expect(library.mapNames == ["song"])
    for command in [
      ControlCommand.setlist(.name("gog")), .loadMap(name: "sang"), .preset(.name("mein")),
      .setlist(.number(2)), .loadMap(name: "../song"), .preset(.name("/etc/passwd")),
    ] {
      #expect(rig.submit(command) == .refused(.name))
    }
    #expect(rig.submit(.savePreset(name: "../x")) == .refused(.name))
  }
}

@Suite("Shipped presets")
struct ShippedPresetTests {
  static var library: FolderLibrary {
    // Tests/ConductorTests/RestoreTests.swift -> the package's folder.
    let folder = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    return FolderLibrary(
      presets: PresetStore(userFolder: "/nonexistent", shippedFolders: ["/\(folder)/Presets"]))
  }

  @Test("every one is applied whole, stopped and rolling")
  func applied() {
    let names = Self.library.presetNames
    #expect(names.count >= 30)
    for isRolling in [false, true] {
      let rig = LiveRig(state: OutputTests.ports(), library: Self.library)
      if isRolling { rig.submit(.start) }
      rig.run(seconds: 1)
      for name in names {
        let request = rig.submit(.preset(.name(name)))
        rig.run(seconds: isRolling ? 3 : 0.1)
        #expect(rig.refusal(request) == nil, "\(name)")
        // One that changes nothing in the engine has no frame.
        #expect(rig.answerCount(request) == 1, "\(name)")
        #expect(rig.state.preset == name)
      }
      #expect(rig.state.isRunning == isRolling)
    }
  }
}
