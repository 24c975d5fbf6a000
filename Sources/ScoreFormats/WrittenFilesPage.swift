/// The page `Presets/README.md`: how presets, setlists and tempo maps are written, all keys and an
/// example of each.
///
/// - Thread: any
public enum WrittenFilesPage {
  public static func markdown() -> String {
    var text = """
      # Presets, setlists and tempo maps

      Each is one JSON file; comments (`// ...` and `/* ... */`) are allowed, an unknown key is an error that names
      its line and the nearest known key. This page is made by `tactus preset keys --markdown`.

      | what | shipped in | your own, in `~/.config/tactus` |
      | --- | --- | --- |
      | presets | this folder | `presets` |
      | setlists | `setlists` | `setlists` |
      | tempo maps | `maps` | `maps`; also klick's `.klick`, and `.mid` |

      A file of your own stands in for a shipped one of the same name. `tactus preset list`, `tactus map list` and
      `tactus sound list` show what can be loaded. `/tactus/preset/save NAME` writes what is in force, and refuses to
      replace a file with comments: save it under another name.

      Presets are called by name or by number. A text is a name first, and a number where no preset has that name;
      a number is a number. `default` comes first, so that `preset/next` from nothing does no harm.

      """
    for file in [WrittenFile.preset, .setlist, .map] {
      text += "\n## \(title(file))\n\n\(wrapped(file.summary))\n\n\(file.table)"
      text += "\nExamples:\n"
      for group in file.groups {
        let name = group.prefix.isEmpty ? "The whole file" : "`\(group.prefix.dropLast())`"
        text += "\n\(name):\n"
        for example in group.examples { text += "\n```json\n\(example)\n```\n" }
      }
    }
    return text
  }

  private static func title(_ file: WrittenFile) -> String {
    switch file {
    case .preset: "Presets"
    case .setlist: "Setlists"
    case .map: "Tempo maps"
    case .mapping: "Mappings"
    }
  }

  /// Lines of up to 120 letters.
  private static func wrapped(_ text: String) -> String {
    var lines: [String] = []
    for word in text.split(separator: " ") {
      if let last = lines.last, last.count + word.count < 120 {
        lines[lines.count - 1] = "\(last) \(word)"
      } else {
        lines.append(String(word))
      }
    }
    return lines.joined(separator: "\n")
  }
}
