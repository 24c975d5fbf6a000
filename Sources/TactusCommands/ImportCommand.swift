import CommandLineOptions
import MetronomeModel
import ScoreFormats

/// `tactus import`
enum ImportCommand {
  static let command = Subcommand(
    "import",
    OptionParser(
      command: "tactus import",
      summary: "Turn klick's tempo maps and Standard MIDI Files into our tempo maps.",
      usage: "FILE [OPTIONS]",
      positionals: [
        PositionalDeclaration("FILE", "klick's text, a MIDI file (tempo, meter, markers), or ours.")
      ],
      options: [
        .value("as", "NAME", "Save it as a map of that name in the user's folder."),
        .value("folder", "PATH", "User folder of presets, setlists, maps and sounds."),
        .flag("klick", "Write klick's format instead of ours."),
      ],
      notes: [
        "Without --as it goes to standard output. What could not be taken over is said on standard "
          + "error."
      ])
  ) { (parsed, console) throws(CommandFailure) in
    guard let path = parsed.arguments.first else {
      throw CommandFailure(.missingArgument("FILE"))
    }
    let song: (map: TempoMap, notes: [String])
    do throws(StoreError) { song = try SongFile.read(path: path) } catch {
      throw CommandFailure(.failed, error.description)
    }
    for note in song.notes { console.complain("tactus import: note: \(note)") }
    if let name = parsed.value("as") {
      let folders = ProgramFolders.here(user: parsed.value("folder"))
      do throws(StoreError) {
        try SongStore(userFolder: folders.maps).save(song.map, as: name)
      } catch { throw CommandFailure(.failed, error.description) }
      console.print("saved as '\(name)' in \(folders.maps)")
      return 0
    }
    if parsed.has("klick") {
      do throws(KlickMap.Unsayable) { console.write(try KlickMap.write(song.map)) } catch {
        throw CommandFailure(.failed, error.description)
      }
    } else {
      console.write(TempoMapFormat.write(song.map))
    }
    return 0
  }
}
