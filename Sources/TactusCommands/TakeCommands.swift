import CommandLineOptions
import ScoreFormats
import TakeRecorder

/// `tactus take`: what is done with takes
enum TakeCommands {
  static let commands = [
    TakeLiveCommands.record, TakeLiveCommands.play, list, TakeReportCommand.command,
    TakeExportCommand.command, repair, delete,
  ]

  static let folderOption = OptionDeclaration.value(
    "folder", "PATH", "User folder of presets, maps, sounds and takes.")

  static func folder(_ parsed: ParsedOptions) -> TakeFolder {
    TakeFolder(path: ProgramFolders.here(user: parsed.value("folder")).takes)
  }

  /// The path of a take: as it is typed where it is one, else by name in the folder.
  static func path(_ parsed: ParsedOptions) throws(CommandFailure) -> String {
    guard let text = parsed.arguments.first else {
      throw CommandFailure(.missingArgument("TAKE"))
    }
    let endings = [".wav", ".flac", ".aiff", ".aif", ".rf64", ".w64"]
    if text.contains("/") || endings.contains(where: { text.lowercased().hasSuffix($0) }) {
      return text
    }
    do throws(TakeError) { return try folder(parsed).take(text) } catch {
      throw CommandFailure(.failed, error.description)
    }
  }

  private static let list = Subcommand(
    "take list",
    OptionParser(
      command: "tactus take list", summary: "List the takes and what is known about them.",
      options: [folderOption])
  ) { (parsed, console) throws(CommandFailure) in
    let folder = folder(parsed)
    let entries: [TakeFolder.Entry]
    do throws(TakeError) { entries = try folder.entries() } catch {
      throw CommandFailure(.failed, error.description)
    }
    if entries.isEmpty { console.print("no takes in '\(folder.path)'") }
    for entry in entries {
      var line = entry.name
      do throws(TakeError) {
        let outcome = try TakeRepair.repair("\(folder.path)/\(entry.name).wav", isDryRun: true)
        let rate = Int64(outcome.encoding.rate)
        line += "  \(TimeText.text(milliseconds: outcome.frames * 1_000 / rate))"
        line += "  \(rate) Hz, \(outcome.encoding.channels) channels"
        if outcome.gained != 0 { line += "  not closed: 'tactus take repair \(entry.name)'" }
      } catch { line += "  \(error)" }
      if !entry.hasSheet { line += "  no side file" }
      console.print(line)
    }
    return 0
  }

  private static let repair = Subcommand(
    "take repair",
    OptionParser(
      command: "tactus take repair",
      summary: "Make a take whole that a crash or a power cut left open.",
      usage: "TAKE [OPTIONS]",
      positionals: [PositionalDeclaration("TAKE", "Its name, or the path of its WAV.")],
      options: [folderOption])
  ) { (parsed, console) throws(CommandFailure) in
    let path = try path(parsed)
    do throws(TakeError) {
      let outcome = try TakeRepair.repair(path)
      let milliseconds = outcome.gained * 1_000 / Int64(outcome.encoding.rate)
      console.print(
        outcome.gained == 0
          ? "'\(path)' is whole: \(outcome.frames) frames"
          : "'\(path)': \(outcome.frames) frames, \(milliseconds) ms more than its "
            + "head said")
    } catch { throw CommandFailure(.failed, error.description) }
    return 0
  }

  private static let delete = Subcommand(
    "take delete",
    OptionParser(
      command: "tactus take delete", summary: "Delete a take and its side file.",
      usage: "NAME [OPTIONS]",
      positionals: [PositionalDeclaration("NAME", "As 'tactus take list' shows it.")],
      options: [folderOption])
  ) { (parsed, console) throws(CommandFailure) in
    guard let name = parsed.arguments.first else {
      throw CommandFailure(.missingArgument("NAME"))
    }
    do throws(TakeError) { try folder(parsed).delete(name) } catch {
      throw CommandFailure(.failed, error.description)
    }
    console.print("deleted '\(name)'")
    return 0
  }
}
