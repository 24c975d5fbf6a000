public import MetronomeModel
import ScoreFormats

/// Where presets, setlists and songs are found by name or number.
///
/// - Thread: control
public protocol PresetLibrary: Sendable {
  /// In the order of their numbers, which count from 1.
  var presetNames: [String] { get }
  var setlistNames: [String] { get }
  var mapNames: [String] { get }
  func preset(_ wanted: NameOrNumber) throws(Refusal) -> NamedPreset
  func save(_ preset: Preset, as name: String) throws(Refusal)
  func setlist(_ wanted: NameOrNumber) throws(Refusal) -> NamedSetlist
  func map(named name: String) throws(Refusal) -> NamedMap
}

/// A preset and the name that it was found by.
public struct NamedPreset: Sendable {
  public let name: String
  public let preset: Preset

  public init(name: String, preset: Preset) {
    self.name = name
    self.preset = preset
  }
}

/// A setlist and the name that it was found by.
public struct NamedSetlist: Sendable {
  public let name: String
  public let setlist: Setlist

  public init(name: String, setlist: Setlist) {
    self.name = name
    self.setlist = setlist
  }
}

/// A song and the name that it was found by.
public struct NamedMap: Sendable {
  public let name: String
  public let map: TempoMap
  /// What had to be changed to read it.
  public let notes: [String]

  public init(name: String, map: TempoMap, notes: [String] = []) {
    self.name = name
    self.map = map
    self.notes = notes
  }
}

/// A library may have presets alone.
extension PresetLibrary {
  public var setlistNames: [String] { [] }
  public var mapNames: [String] { [] }
}
