public import MetronomeModel

/// A song from a file of any format that is read: our own, klick's, a Standard MIDI File.
///
/// - Thread: control; reads files.
public enum SongFile {
  public enum Kind: String, Sendable {
    case own, klick, midi
  }

  /// What a file is: MIDI by its head or its name, our own by its first sign, else klick's lines.
  public static func kind(of bytes: [UInt8], file: String = "") -> Kind {
    let name = file.lowercased()
    let endings = [".mid", ".midi", ".rmi"]
    if bytes.starts(with: "MThd".utf8) || bytes.starts(with: "RIFF".utf8)
      || endings.contains(where: name.hasSuffix)
    {
      return .midi
    }
    let first = bytes.first { ![0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "/") ? .own : .klick
  }

  /// - Returns: the song, and what had to be changed to read it.
  public static func read(
    _ bytes: [UInt8], file: String
  ) throws(FormatError) -> (map: TempoMap, notes: [String]) {
    switch kind(of: bytes, file: file) {
    case .own: return (try TempoMapFormat.read(bytes, file: file), [])
    case .klick: return (try KlickMap.read(bytes, file: file), [])
    case .midi:
      let midi: StandardMIDIFile
      do { midi = try StandardMIDIFile(bytes: bytes) } catch {
        throw FormatError(file: file, line: 1, column: 1, reason: error.description)
      }
      let imported = try TempoMap.imported(midi, name: file)
      return (imported.map, imported.notes.map(\.description))
    }
  }

  /// Reads by path.
  public static func read(
    path: String
  ) throws(StoreError) -> (map: TempoMap, notes: [String]) {
    guard
      let bytes = try WholeFile.read(
        path, atMost: MIDIFileReader.largestFile, followsLinks: true)
    else {
      throw .system(call: "open", path: path, reason: "there is no such file")
    }
    do { return try read(bytes, file: path) } catch { throw .format(error) }
  }
}

/// The songs that there are: `.json` in our own format, `.klick` and `.mid` as they are.
///
/// - Thread: control; reads and writes files.
public struct SongStore: Sendable {
  private let kinds: [NamedFiles]

  public init(userFolder: String, shippedFolders: [String] = []) {
    kinds = [".json", ".klick", ".mid", ".rmi"].map {
      NamedFiles(
        kind: "tempo map", userFolder: userFolder, shippedFolders: shippedFolders, ending: $0,
        largest: $0 == ".mid" || $0 == ".rmi" ? MIDIFileReader.largestFile : JSONParser.largestText)
    }
  }

  public var names: [String] {
    var all: Set<String> = []
    for files in kinds { all.formUnion(files.names()) }
    return all.sorted(by: NaturalOrder.precedes)
  }

  /// - Returns: the song, and what had to be changed to read it.
  public func load(_ name: String) throws(StoreError) -> (map: TempoMap, notes: [String]) {
    // The last kind's error names what is near among its own; ask the one that has the name.
    for files in kinds where files.names().contains(name) {
      let found = try files.read(name)
      do { return try SongFile.read(found.bytes, file: found.path) } catch {
        throw .format(error)
      }
    }
    let found = try kinds[0].read(name)
    do { return try SongFile.read(found.bytes, file: found.path) } catch { throw .format(error) }
  }

  public func save(_ map: TempoMap, as name: String) throws(StoreError) {
    try kinds[0].save(TempoMapFormat.write(map), as: name) { bytes, path in
      HandWritten.problem(bytes, path: path, kind: "tempo map") {
        (bytes, file) throws(FormatError) in _ = try TempoMapFormat.read(bytes, file: file)
      }
    }
  }
}

/// The setlists that there are.
///
/// - Thread: control; reads and writes files.
public struct SetlistStore: Sendable {
  public let files: NamedFiles

  public init(userFolder: String, shippedFolders: [String] = []) {
    files = NamedFiles(kind: "setlist", userFolder: userFolder, shippedFolders: shippedFolders)
  }

  public var names: [String] { files.names() }

  public func load(
    _ wanted: NameOrNumber
  ) throws(StoreError) -> (name: String, setlist: Setlist) {
    let name = try files.name(wanted)
    let found = try files.read(name)
    do { return (name, try SetlistFormat.read(found.bytes, file: found.path)) } catch {
      throw .format(error)
    }
  }

  public func save(_ setlist: Setlist, as name: String) throws(StoreError) {
    try files.save(SetlistFormat.write(setlist), as: name) { bytes, path in
      HandWritten.problem(bytes, path: path, kind: "setlist") {
        (bytes, file) throws(FormatError) in _ = try SetlistFormat.read(bytes, file: file)
      }
    }
  }
}
