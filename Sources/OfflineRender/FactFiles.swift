import MetronomeModel
import MusicalTime
import RealtimeEngine
import ScoreFormats

/// Counts what was played, and which layers were heard.
struct RenderTally {
  var bars = 0
  var beats = 0
  var clicks = 0
  var pulses = 0
  var heard: Set<Stem> = []

  mutating func take(_ fact: EngineEvent) {
    switch fact {
    case .pulse(let pulse): if !pulse.flags.contains(.free) { pulses += 1 }
    case .beat(let beat):
      beats += 1
      if beat.beat == 0, !beat.flags.contains(.countIn) { bars += 1 }
    case .click(let click): take(click)
    case .timer: heard.insert(.timer)
    default: break
    }
  }

  private mutating func take(_ click: ClickEvent) {
    clicks += 1
    guard click.flags.isDisjoint(with: [.mutedBar, .mute]) else { return }
    // A count-in is heard whatever the pattern says of its beats.
    guard click.flags.contains(.countIn) || click.accent != .silent else { return }
    switch click.source {
    case .subdivision: heard.insert(.subdivision)
    case .layer: heard.insert(.layer)
    case .beat where click.flags.contains(.countIn): heard.insert(.countin)
    case .beat:
      switch click.accent {
      case .strong: heard.insert(.strong)
      case .normal: heard.insert(.normal)
      case .soft: heard.insert(.soft)
      case .silent: break
      }
    }
  }
}

/// The event list and the MIDI file of a render.
final class FactFiles {
  private(set) var tally = RenderTally()
  private let length: Int64
  private let events: ByteFile?
  private let writer: EventListWriter
  private let midi: RenderDestination?
  private var builder: ClickTrackBuilder

  init(_ outputs: RenderOutputs, plan: RenderPlan, length: Int64) throws(RenderError) {
    self.length = length
    if let destination = outputs.events {
      events = try ByteFile(destination)
    } else {
      events = nil
    }
    writer = EventListWriter(selection: outputs.eventSelection)
    midi = outputs.midi
    builder = ClickTrackBuilder(
      rate: Int(plan.rate), exact: outputs.exactMIDI, meter: plan.state.meter)
    builder.sectionNames = plan.sectionNames
  }

  /// Takes a fact that is due; those beyond the music are left out.
  func take(_ fact: EngineEvent) {
    guard fact.frame.value < length || isEnding(fact) else { return }
    // What was set before the start holds at frame 0; the start says it again.
    guard fact.frame.value >= 0 else { return }
    tally.take(fact)
    if let events { writer.append(fact, to: &events.bytes) }
    if midi != nil { builder.add(fact) }
  }

  /// What happens at the very end of the music and belongs to it.
  private func isEnding(_ fact: EngineEvent) -> Bool {
    guard fact.frame.value == length else { return false }
    switch fact {
    case .stopped, .timer, .trainer: return true
    default: return false
    }
  }

  func flush() throws(RenderError) { try events?.flushIfFull() }

  func close() throws(RenderError) -> ClickTrackReport? {
    try events?.close()
    guard let midi else { return nil }
    let (file, report) = builder.file(end: FrameIndex(length))
    let target = try ByteFile(midi)
    target.bytes = file.encoded()
    try target.close()
    return report
  }
}
