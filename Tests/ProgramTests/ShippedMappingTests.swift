import ALSASequencer
import Foundation
import MetronomeModel
import ScoreFormats
import Testing

@testable import TactusDaemon

/// What comes with Tactus, armed as the daemon arms it.
@Suite struct ShippedMappings {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Presets")

  @Test("every mapping of every shipped preset does something")
  func armed() throws {
    var rules = 0
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
    for file in files where file.hasSuffix(".json") && file != "lights.json" {
      let bytes = try Data(contentsOf: Self.folder.appendingPathComponent(file))
      let preset = try PresetFormat.read(Array(bytes), file: file)
      guard let mappings = preset.mappings else { continue }
      rules += mappings.count
      var control = MIDIControl(read: CommandText.command)
      #expect(control.use(MIDIMapping(rules: mappings)).isEmpty, "\(file)")
      #expect(control.mapping.rules == mappings)
    }
    #expect(rules >= 3)
  }

  @Test(
    "a rule is decoded with its value, or refused when it is read",
    arguments: [
      ("program *", "preset 1..128", true), ("note 36", "volume 0..1", true),
      ("note 36", "volume 0..2", false), ("cc 1", "tempo 60..180", true), ("cc 1", "tap 1", false),
      ("key pagedown", "toggle", true), ("key pagedown", "preset {}", false),
      ("note 1", "preset/next", true), ("note 1", "frobnicate", false),
      ("cc 64", "mute toggle", true),
      ("cc 64", "tempo/push hold", true), ("program 3", #"preset "My Song""#, true),
    ])
  func decoded(trigger: String, action: String, isGood: Bool) throws {
    var control = MIDIControl(read: CommandText.command)
    let rule = MIDIMapping.Rule(trigger: try MIDITrigger(trigger), action: try MIDIAction(action))
    #expect(control.use(MIDIMapping(rules: [rule])).isEmpty == isGood)
  }
}
