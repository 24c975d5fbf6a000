import CommandLineOptions
import Testing

@Suite struct ProgramFoldersTests {
  static func folders(
    user: String? = nil, shipped: String? = nil, _ environment: [String: String] = [:]
  ) -> ProgramFolders {
    ProgramFolders(user: user, shipped: shipped, executable: "/opt/bin/tactus") { environment[$0] }
  }

  @Test func `the user's folder is the one named, else that of XDG, else of HOME`() {
    let both = ["XDG_CONFIG_HOME": "/x", "HOME": "/home/me"]
    #expect(Self.folders(user: "here", both).presets == "here/presets")
    #expect(Self.folders(both).maps == "/x/tactus/maps")
    #expect(Self.folders(["HOME": "/home/me"]).sounds == "/home/me/.config/tactus/sounds")
    // The specification has it that a relative path is no path.
    #expect(Self.folders(["XDG_CONFIG_HOME": "x", "HOME": "/h"]).user == "/h/.config/tactus")
    #expect(Self.folders().setlists == "/etc/tactus/setlists")
  }

  @Test func `presets that came with the program lie beside it or where they are named`() {
    #expect(Self.folders(shipped: "p").shippedPresets == ["p"])
    #expect(
      Self.folders().shippedPresets == [
        "/opt/share/tactus/presets", "/opt/bin/Presets", "/opt/Presets", "/Presets",
        "/usr/local/share/tactus/presets", "/usr/share/tactus/presets",
      ])
    #expect(Self.folders().shippedMaps.first == "/opt/share/tactus/presets/maps")
    #expect(Self.folders().shippedSetlists.last == "/usr/share/tactus/presets/setlists")
  }

  @Test(
    arguments: [
      (["STATE_DIRECTORY": "/var/lib/tactus", "HOME": "/root"], "/var/lib/tactus"),
      (["STATE_DIRECTORY": "/var/lib/tactus:/var/lib/other"], "/var/lib/tactus"),
      (["XDG_STATE_HOME": "/s", "HOME": "/home/me"], "/s/tactus"),
      (["XDG_STATE_HOME": "s", "HOME": "/home/me"], "/home/me/.local/state/tactus"),
      ([:], nil),
    ] as [([String: String], String?)])
  func `the last state is kept where systemd says, else in the user's folder of states`(
    environment: [String: String], folder: String?
  ) {
    #expect(ProgramFolders.state { environment[$0] } == folder)
  }

  @Test(arguments: [
    ("/usr/bin/tactus", "/usr/share/tactus/presets"),
    ("/usr/local/bin/tactus", "/usr/local/share/tactus/presets"),
    ("/home/me/bin/tactus", "/home/me/share/tactus/presets"),
    ("/home/me/tactus/tactus", "/home/me/tactus/Presets"),
    ("/home/me/tactus/bin/tactus", "/home/me/tactus/Presets"),
    ("/src/tactus/.build/debug/tactus", "/src/tactus/Presets"),
    ("/src/tactus/.build/x86_64/debug/tactus", "/src/tactus/Presets"),
    ("/tactus", "/Presets"),
  ])
  func `wherever the programs are copied with their data, it is found`(
    program: String, presets: String
  ) {
    let folders = ProgramFolders(user: nil, shipped: nil, executable: program) { _ in nil }
    #expect(folders.shippedPresets.contains(presets))
    #expect(Set(folders.shippedPresets).count == folders.shippedPresets.count)
    // A program that was copied alone finds what is installed for the person or the system.
    let alone = ProgramFolders(user: nil, shipped: nil, executable: program) {
      $0 == "HOME" ? "/home/me" : nil
    }
    #expect(alone.shippedPresets.contains("/home/me/.local/share/tactus/presets"))
  }
}
