public import MetronomeModel

/// The presets that there are: the user's own, and those that came with the program.
///
/// - Thread: control; reads and writes files.
public struct PresetStore: Sendable {
  public let files: NamedFiles

  public init(userFolder: String, shippedFolders: [String] = []) {
    files = NamedFiles(kind: "preset", userFolder: userFolder, shippedFolders: shippedFolders)
  }

  /// In the order of their numbers, which count from 1.
  ///
  /// Only presets that can be loaded: a number that leads to an error is of no use to a pedal.
  public var names: [String] { files.names().filter { (try? load(named: $0)) != nil } }

  /// Those that cannot be loaded, and why.
  public var faults: [(name: String, reason: String)] {
    files.names().compactMap { name in
      do throws(StoreError) {
        _ = try load(named: name)
        return nil
      } catch { return (name, error.description) }
    }
  }

  /// Reads by name or number; nothing changes where it fails.
  public func load(_ wanted: NameOrNumber) throws(StoreError) -> (name: String, preset: Preset) {
    let name = try files.name(wanted) { names }
    return (name, try load(named: name))
  }

  private func load(named name: String) throws(StoreError) -> Preset {
    let found = try files.read(name)
    do { return try PresetFormat.read(found.bytes, file: found.path) } catch {
      throw .format(error)
    }
  }

  public func save(_ preset: Preset, as name: String) throws(StoreError) {
    try files.save(PresetFormat.write(preset), as: name) { bytes, path in
      HandWritten.problem(bytes, path: path, kind: "preset") { (bytes, file) throws(FormatError) in
        _ = try PresetFormat.read(bytes, file: file)
      }
    }
  }
}
