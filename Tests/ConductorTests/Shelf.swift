import MetronomeModel
import MusicalTime
import Synchronization

@testable import Conductor

/// Presets, setlists and songs in memory.
final class Shelf: PresetLibrary {
  let presets: [(name: String, preset: Preset)]
  let setlists: [String: Setlist]
  let maps: [String: TempoMap]
  let saved = Mutex<[String: Preset]>([:])

  init(
    presets: [(name: String, preset: Preset)] = [], setlists: [String: Setlist] = [:],
    maps: [String: TempoMap] = [:]
  ) {
    self.presets = presets
    self.setlists = setlists
    self.maps = maps
  }

  var presetNames: [String] { presets.map(\.name) }
  var setlistNames: [String] { setlists.keys.sorted() }
  var mapNames: [String] { maps.keys.sorted() }

  func preset(_ wanted: NameOrNumber) throws(Refusal) -> NamedPreset {
    switch wanted {
    case .number(let number) where presets.indices.contains(number &- 1):
      return NamedPreset(name: presets[number - 1].name, preset: presets[number - 1].preset)
    case .name(let name):
      guard let found = presets.first(where: { $0.name == name }) else { break }
      return NamedPreset(name: found.name, preset: found.preset)
    default: break
    }
    throw Refusal(.name, "no such preset")
  }

  func save(_ preset: Preset, as name: String) throws(Refusal) {
    guard name != "full" else { throw Refusal(.storage, "no space") }
    saved.withLock { $0[name] = preset }
  }

  func setlist(_ wanted: NameOrNumber) throws(Refusal) -> NamedSetlist {
    guard case .name(let name) = wanted, let found = setlists[name] else {
      throw Refusal(.name, "no such setlist")
    }
    return NamedSetlist(name: name, setlist: found)
  }

  func map(named name: String) throws(Refusal) -> NamedMap {
    guard let found = maps[name] else { throw Refusal(.name, "no such map") }
    return NamedMap(name: name, map: found)
  }

  // MARK: an evening

  static func preset(_ change: (inout Preset) -> Void) -> Preset {
    var preset = Preset()
    change(&preset)
    return preset
  }

  static let three = Meter(
    unchecked: 3, denominator: 4, compound: false, grouped: false, groupStarts: 1)

  static var evening: Shelf {
    let song = TempoMap(
      sections: [
        TempoMap.Section(label: "intro", bars: 1, tempo: .steady(.quarters(120))),
        TempoMap.Section(
          label: "verse", bars: 2, meter: three, tempo: .steady(.quarters(180)), repeats: 2),
        TempoMap.Section(label: "end", bars: 1, tempo: .steady(.quarters(60))),
      ])
    return Shelf(
      presets: [
        (
          "waltz",
          preset {
            $0.tempo = .quarters(180)
            $0.meter = three
            $0.subdivision = 2
            $0.swing = .triplet
            $0.barMuting = .cycle(play: 3, mute: 1)
            $0.isMuted = true
            $0.volumeDecibels = -20
            $0.countIn = 1
          }
        ),
        ("slow", preset { $0.tempo = .quarters(60) }),
        ("quiet", preset { $0.volumeDecibels = -40 }),
        (
          "climb",
          preset {
            $0.ramp = .on(
              .trainer(
                SpeedTrainer(
                  unchecked: .quarters(100), to: .quarters(140), stepThousandths: 20_000,
                  share: .barsPerLevel(1), end: .loop)))
          }
        ),
        (
          "broken",
          preset {
            $0.tempo = .quarters(77)
            $0.map = .on("none")
          }
        ),
        (
          "bell",
          preset {
            $0.tempo = .quarters(90)
            $0.sounds[.strong] = Preset.Sound(name: "bell", decibels: -20)
          }
        ),
      ],
      setlists: [
        "gig": Setlist(entries: [
          Setlist.Entry(preset: "slow"), Setlist.Entry(title: "Dance", preset: "waltz"),
          Setlist.Entry(map: "song"),
        ])
      ],
      maps: ["song": song])
  }
}
