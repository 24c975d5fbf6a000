public import MetronomeModel
import MusicalTime
public import RealtimeEngine

/// A song as the engine walks it, and the owner of its memory.
///
/// Keep it until the engine has said `retiredScore(identifier)` for it.
///
/// - Thread: conductor makes and frees it; the audio thread reads through `reference`.
@safe public final class ScoreTable: @unchecked Sendable {
  public let reference: ScoreReference
  public let map: TempoMap
  /// For each section of the engine's table, that of the song.
  public let songSections: [Int]
  /// For each section of the song, where it first stands in the engine's table.
  public let engineSections: [Int32]

  private let sections: UnsafeMutableBufferPointer<EngineSection>
  private let tempos: UnsafeMutableBufferPointer<Tempo>

  /// - Throws: what keeps the song from being played.
  public init(_ map: TempoMap, identifier: Int32) throws(TempoMapError) {
    let walk = try TempoMapWalk(map)
    let places = ScoreTable.places(map)
    var tempoList: [Tempo] = []
    var courses: [EngineSection.TempoCourse] = []
    for section in map.sections {
      switch section.tempo {
      case .keep: courses.append(.keep)
      case .steady(let tempo): courses.append(.constant(tempo))
      case .ramp(let from, let to):
        courses.append(from == to ? .constant(from) : .ramp(from: from, to: to))
      case .perBeat(let beats):
        courses.append(.perBeat(first: Int32(tempoList.count), count: Int32(beats.count)))
        tempoList += beats
      }
    }
    let table = walk.steps.map { step in
      let section = map.sections[step.section]
      return EngineSection(
        barCount: Int32(section.bars), meter: section.meter,
        pattern: section.pattern ?? .standard(for: section.meter), tempo: courses[step.section],
        gain: Float(section.gain), firstBar: places[step.section].bar,
        firstTick: places[step.section].position, next: step.next.map { Int32($0) } ?? -1)
    }
    unsafe sections = .allocate(capacity: table.count)
    _ = unsafe sections.initialize(from: table)
    unsafe tempos = .allocate(capacity: max(1, tempoList.count))
    _ = unsafe tempos.initialize(from: tempoList)
    reference = unsafe ScoreReference(
      identifier: identifier, sections: UnsafePointer(sections.baseAddress),
      sectionCount: Int32(table.count), tempos: UnsafePointer(tempos.baseAddress),
      tempoCount: Int32(tempoList.count))
    self.map = map
    songSections = walk.steps.map(\.section)
    engineSections = walk.firstSteps.map { Int32($0) }
  }

  deinit {
    unsafe sections.deallocate()
    unsafe tempos.deallocate()
  }

  /// What `EngineCommand.jump` needs to go to the section that a person meant, by label or number.
  public func engineSection(_ wanted: NameOrNumber) -> Int32? {
    switch wanted {
    case .number(let number):
      engineSections.indices.contains(number &- 1) ? engineSections[number - 1] : nil
    case .name(let label):
      map.index(of: label).map { engineSections[$0] }
    }
  }

  /// The song's section, from 0, that a `SectionEvent` means; nil at the end of the song.
  public func songSection(_ engineSection: Int32) -> Int? {
    songSections.indices.contains(Int(engineSection)) ? songSections[Int(engineSection)] : nil
  }

  /// What the section is called: its label, or its number from 1.
  public func name(ofSongSection index: Int) -> String {
    guard map.sections.indices.contains(index) else { return "" }
    return map.sections[index].label ?? "\(index + 1)"
  }

  /// Where each section begins in the song as it is written, each section once.
  private static func places(_ map: TempoMap) -> [(bar: Int32, position: ScorePosition)] {
    var bar: Int32 = 0
    var position = ScorePosition.zero
    return map.sections.map { section in
      defer {
        // A thousand sections of 9999 bars of 64 whole notes still fit.
        bar += Int32(section.bars)
        position = ScorePosition(
          ticks: position.ticks + section.meter.barLength.ticks * Int64(section.bars))
      }
      return (bar, position)
    }
  }
}
