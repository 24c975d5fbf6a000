import MetronomeModel

/// The song that plays, and the memory of those that the engine may still read.
///
/// - Thread: control
struct SongShelf: Sendable {
  struct Song: Sendable {
    let identifier: Int32
    let name: String
    let map: TempoMap
    let walk: TempoMapWalk

    /// The engine's section to jump to for the section that a person means.
    func step(of wanted: NameOrNumber) throws(Refusal) -> Int32 {
      let index: Int
      switch wanted.resolved(among: map.sections.compactMap(\.label)) {
      case .number(let number):
        guard map.sections.indices.contains(number &- 1) else {
          throw Refusal(
            .name, "there is no section \(number): '\(name)' has 1 to \(map.sections.count)")
        }
        index = number - 1
      case .name(let label):
        guard let found = map.index(of: label) else {
          let labels = map.sections.compactMap(\.label).prefix(20)
          throw Refusal(
            .name,
            "there is no section '\(label)' in '\(name)': "
              + (labels.isEmpty ? "use its number" : "there is \(labels.joined(separator: ", "))"))
        }
        index = found
      }
      return Int32(walk.firstSteps[index])
    }

    /// The bar, counted from 1, with which a written section begins.
    func firstBar(ofSection index: Int) -> Int {
      map.sections[..<index].reduce(1) { $0 + $1.bars }
    }

    /// The written section in which a bar lies; nil beyond the last.
    func section(ofBar bar: Int) -> Int? {
      map.sections.indices.last { index in
        let first = firstBar(ofSection: index)
        let count = map.sections[index].bars
        return bar >= first && (count == 0 || bar < first + count)
      }
    }

    /// The written section of the engine's section; nil where the song has ended.
    func section(ofStep step: Int32) -> Int? {
      walk.steps.indices.contains(Int(step)) ? walk.steps[Int(step)].section : nil
    }
  }

  /// The latest request.
  var song: Song?
  /// What the engine has taken: where a request that fails goes back to.
  var inForce: Song?
  /// By identifier.
  var prepared: [Int32: PreparedScore] = [:]
  private var lastIdentifier: Int32 = 0

  mutating func nextIdentifier() -> Int32 {
    // Never negative: the engine means none by that.
    repeat {
      lastIdentifier = lastIdentifier == Int32.max ? 1 : lastIdentifier + 1
    } while prepared[lastIdentifier] != nil
    return lastIdentifier
  }
}
