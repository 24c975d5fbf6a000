public import MetronomeModel

/// The presets that there are: the user's own, and those that came with the program.
///
/// - Thread: conductor; reads and writes files.
public struct PresetStore: Sendable {
  public let files: NamedFiles

  public init(userFolder: String, shippedFolders: [String] = []) {
    files = NamedFiles(kind: "preset", userFolder: userFolder, shippedFolders: shippedFolders)
  }

  /// In the order of their numbers, which count from 1.
  public var names: [String] { files.names() }

  /// Reads by name or number; nothing changes where it fails.
  public func load(_ wanted: NameOrNumber) throws(StoreError) -> (name: String, preset: Preset) {
    let name = try files.name(wanted)
    return (name, try load(named: name))
  }

  private func load(named name: String) throws(StoreError) -> Preset {
    let found = try files.read(name)
    do { return try PresetFormat.read(found.bytes, file: found.path) } catch {
      throw .format(error)
    }
  }

  public func save(_ preset: Preset, as name: String) throws(StoreError) {
    try files.save(PresetFormat.write(preset), as: name)
  }
}
