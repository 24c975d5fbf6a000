import CommandLineOptions
import MetronomeModel
import ScoreFormats
import SoundFiles

/// `tactus preset list`, `tactus map list`, `tactus sound list` and `tactus preset keys`.
enum ListCommands {
  static let all = [presets, maps, sounds, keys]

  private static let folderOptions: [OptionDeclaration] = [
    .value("folder", "PATH", "User folder of presets, setlists, maps and sounds."),
    .value("shipped-presets", "PATH", "Folder of the presets that came with Tactus."),
    .flag("json", "As JSON."),
  ]

  private static func folders(_ parsed: ParsedOptions) -> ProgramFolders {
    ProgramFolders.here(user: parsed.value("folder"), shipped: parsed.value("shipped-presets"))
  }

  static let presets = Subcommand(
    "preset list",
    OptionParser(
      command: "tactus preset list", summary: "List the presets that can be loaded, by number.",
      options: folderOptions)
  ) { (parsed, console) throws(CommandFailure) in
    let folders = folders(parsed)
    let store = PresetStore(
      userFolder: folders.presets, shippedFolders: folders.shippedPresets)
    let rows = store.names.map { name in
      (name, (try? store.load(.name(name)))?.preset.title)
    }
    for fault in store.faults { console.complain("tactus preset list: \(fault.reason)") }
    try write(rows, "presets", store.files.folders, numbered: true, parsed, console)
    return 0
  }

  static let maps = Subcommand(
    "map list",
    OptionParser(
      command: "tactus map list", summary: "List the tempo maps that can be loaded.",
      options: folderOptions)
  ) { (parsed, console) throws(CommandFailure) in
    let folders = folders(parsed)
    let store = SongStore(userFolder: folders.maps, shippedFolders: folders.shippedMaps)
    var rows: [(String, String?)] = []
    for name in store.names {
      do throws(StoreError) { rows.append((name, try store.load(name).map.title)) } catch {
        console.complain("tactus map list: \(error)")
      }
    }
    try write(
      rows, "tempo maps", [folders.maps] + folders.shippedMaps, numbered: false, parsed, console)
    return 0
  }

  static let sounds = Subcommand(
    "sound list",
    OptionParser(
      command: "tactus sound list", summary: "List the sounds: built in, and in the sound folder.",
      options: [folderOptions[0], folderOptions[2]])
  ) { (parsed, console) throws(CommandFailure) in
    let folders = folders(parsed)
    let rows: [(String, String?)] =
      BuiltInSound.allCases.map { ($0.rawValue, "built in") }
      + SoundFolder(paths: [folders.sounds]).names.map { ($0, nil) }
    try write(rows, "sounds", [folders.sounds], numbered: false, parsed, console)
    return 0
  }

  static let keys = Subcommand(
    "preset keys",
    OptionParser(
      command: "tactus preset keys",
      summary: "List the keys of presets, setlists, tempo maps and mappings.",
      usage: "[preset|setlist|map|mapping] [OPTIONS]",
      positionals: [
        PositionalDeclaration("KIND", "preset, setlist, map or mapping; all unless given.")
      ],
      options: [
        .flag("json", "As JSON, with an example of each object."),
        .flag("markdown", "As the page of the folder Presets."),
      ])
  ) { (parsed, console) throws(CommandFailure) in
    var files: [WrittenFile] = [.preset, .setlist, .map]
    if let kind = parsed.arguments.first {
      // `maps` is as good as `map`.
      guard
        let file = WrittenFile.allCases.first(where: {
          [$0.rawValue, $0.rawValue + "s"].contains(kind)
        })
      else {
        throw CommandFailure(
          .value(
            "KIND", given: kind,
            allowed: WrittenFile.allCases.map(\.rawValue).joined(separator: ", ")))
      }
      files = [file]
    }
    if parsed.has("markdown") {
      console.write(WrittenFilesPage.markdown())
    } else if parsed.has("json") {
      console.write(WrittenFile.json(files))
    } else {
      for file in files {
        console.print("\(file.rawValue): \(file.summary)\n")
        let rows = file.groups.flatMap { group in
          group.keys.map { ("\(group.prefix)\($0.name)", $0.value, $0.meaning) }
        }
        let width = rows.map(\.0.count).max() ?? 0
        for row in rows {
          let gap = String(repeating: " ", count: width - row.0.count)
          console.print("  \(row.0)\(gap)  \(row.1): \(row.2)")
        }
        console.print("\nExample:\n\(file.groups.first?.examples.first ?? "")\n")
      }
    }
    return 0
  }

  private static func write(
    _ rows: [(name: String, title: String?)], _ kind: String, _ folders: [String], numbered: Bool,
    _ parsed: ParsedOptions, _ console: Console
  ) throws(CommandFailure) {
    if parsed.has("json") {
      console.write(NameList.json(rows.map { ($0.name, $0.title) }))
      return
    }
    guard !rows.isEmpty else {
      throw CommandFailure(
        .failed, "there are no \(kind) in \(folders.joined(separator: ", "))")
    }
    let width = rows.map(\.name.count).max() ?? 0
    for (index, row) in rows.enumerated() {
      let number =
        numbered
        ? String(repeating: " ", count: max(0, 3 - "\(index + 1)".count)) + "\(index + 1)  " : ""
      let title = row.title.map {
        String(repeating: " ", count: width - row.name.count) + "  \($0)"
      }
      console.print("\(number)\(row.name)\(title ?? "")")
    }
  }
}
