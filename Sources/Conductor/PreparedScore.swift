import MetronomeModel
import MusicalTime
import RealtimeEngine

/// A song as the engine walks it, and the owner of its memory.
///
/// Kept until the engine has said `retiredScore(identifier)` for it.
///
/// - Thread: control makes and frees it; the audio thread reads through `reference`.
@safe final class PreparedScore: @unchecked Sendable {
  let reference: ScoreReference
  private let sections: UnsafeMutableBufferPointer<EngineSection>
  private let tempos: UnsafeMutableBufferPointer<Tempo>

  init(_ map: TempoMap, walk: TempoMapWalk, identifier: Int32) throws(Refusal) {
    let table = TempoTable(map)
    let starts = try SectionStart.all(of: map)
    let steps = walk.steps
    let count = steps.count
    unsafe sections = UnsafeMutableBufferPointer<EngineSection>.allocate(capacity: count)
    unsafe tempos = UnsafeMutableBufferPointer<Tempo>.allocate(capacity: table.tempos.count)
    _ = unsafe tempos.initialize(from: table.tempos)
    for (index, step) in steps.enumerated() {
      let section = map.sections[step.section]
      let start = starts[step.section]
      unsafe sections.initializeElement(
        at: index,
        to: EngineSection(
          barCount: Int32(section.bars), meter: section.meter,
          pattern: section.pattern ?? .standard(for: section.meter),
          tempo: table.course(of: step.section, in: map), gain: Float(section.gain),
          firstBar: start.bar, firstTick: start.tick, next: Int32(step.next ?? -1)))
    }
    reference = unsafe ScoreReference(
      identifier: identifier, sections: UnsafePointer(sections.baseAddress),
      sectionCount: Int32(count), tempos: UnsafePointer(tempos.baseAddress),
      tempoCount: Int32(table.tempos.count))
  }

  deinit {
    unsafe sections.deallocate()
    unsafe tempos.deallocate()
  }
}

/// Where a section lies in the song as it is written, each section once.
private struct SectionStart {
  let bar: Int32
  let tick: ScorePosition

  static func all(of map: TempoMap) throws(Refusal) -> [SectionStart] {
    var starts: [SectionStart] = []
    var bar: Int32 = 0
    var tick: Int64 = 0
    for section in map.sections {
      starts.append(SectionStart(bar: bar, tick: ScorePosition(ticks: tick)))
      let length = section.meter.barLength.ticks.multipliedReportingOverflow(
        by: Int64(section.bars))
      let end = tick.addingReportingOverflow(length.partialValue)
      // A quarter of what 64 bits hold: the engine adds positions to positions.
      guard !length.overflow, !end.overflow, end.partialValue < Int64.max / 4 else {
        throw Refusal(.value, "the song is longer than two years: use fewer or shorter bars")
      }
      tick = end.partialValue
      bar += Int32(section.bars)
    }
    return starts
  }
}

/// The tempos of sections with one tempo a beat, one after the other.
private struct TempoTable {
  var tempos: [Tempo] = []
  private var firsts: [Int: Int32] = [:]

  init(_ map: TempoMap) {
    for (index, section) in map.sections.enumerated() {
      guard case .perBeat(let list) = section.tempo else { continue }
      firsts[index] = Int32(tempos.count)
      tempos += list
    }
  }

  func course(of section: Int, in map: TempoMap) -> EngineSection.TempoCourse {
    switch map.sections[section].tempo {
    case .keep: .keep
    case .steady(let tempo): .constant(tempo)
    case .ramp(let from, let to): .ramp(from: from, to: to)
    case .perBeat(let list): .perBeat(first: firsts[section] ?? 0, count: Int32(list.count))
    }
  }
}
