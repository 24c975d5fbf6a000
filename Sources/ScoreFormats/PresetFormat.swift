public import MetronomeModel

/// Presets as JSON text with comments.
///
/// What a preset does not name stays as it is when it is loaded; unknown keys are errors. Reading
/// what was written gives the same preset.
///
/// - Thread: any
public enum PresetFormat {
  public static let mostPorts = 16
  public static let mostMappings = 256
  public static let mostTargets = 64

  /// - Parameter file: how the text is called in errors.
  public static func read(_ bytes: [UInt8], file: String) throws(FormatError) -> Preset {
    let root = try JSONParser.parse(bytes, file: file)
    var reader = PresetReader()
    try reader.read(root, file: file)
    return reader.preset
  }

  public static func write(_ preset: Preset) -> String { PresetWriter.value(preset).text() }

  /// Every key with its value and meaning, as lines of a Markdown table.
  public static var documentation: String {
    table([
      ("", PresetKeys.root), ("tempo.", PresetKeys.tempo),
      ("subdivision.", PresetKeys.subdivision), ("sounds.", PresetKeys.sounds),
      ("sounds.*.", PresetKeys.sound), ("mute.", PresetKeys.mute),
      ("barMuting.", PresetKeys.barMuting), ("trainer.", PresetKeys.trainer),
      ("glide.", PresetKeys.glide), ("countIn.", PresetKeys.countIn),
      ("timer.", PresetKeys.timer), ("tap.", PresetKeys.tap), ("offsets.", PresetKeys.offsets),
      ("midi[].", PresetKeys.port), ("midi[].notes.", PresetKeys.notes),
      ("midi[].notes.*.", PresetKeys.note), ("mappings[].", PresetKeys.mapping),
      ("feedback[].", PresetKeys.feedback), ("beats[].", PresetKeys.beatTarget),
    ])
  }

  static func table(_ groups: [(String, [PresetKeys.Key])]) -> String {
    var lines = ["| key | value | meaning |", "| --- | --- | --- |"]
    for (prefix, keys) in groups {
      for key in keys {
        let meaning = key.meaning.split(separator: "|").joined(separator: "\\|")
        lines.append("| `\(prefix)\(key.name)` | \(key.value) | \(meaning) |")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
