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
    #expect(Self.folders().shippedPresets.first == "/opt/bin/../share/tactus/presets")
    #expect(Self.folders().shippedPresets.contains("/usr/share/tactus/presets"))
  }
}
