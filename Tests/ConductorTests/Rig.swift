import MetronomeModel
import MusicalTime
import RealtimeEngine

@testable import Conductor

/// A Conductor with an engine that only answers: every command acts at the frame the test says.
struct Rig {
  enum Outcome: Equatable {
    case accepted
    case effective(FrameIndex)
    case refused(Refusal.Code)
    /// A law is broken: no answer, or more than one.
    case answers(Int)
  }

  var conductor: Conductor
  let library: (any PresetLibrary)?
  /// Where the engine says that commands act.
  var frame = FrameIndex(1_000)
  /// What the engine refuses the next command with.
  var refusal: RefusedEvent.Reason?
  var outputs: [ConductorOutput] = []
  var request: UInt32 = 0
  var now = ControlInstant(time: MonotonicTime(nanoseconds: 0), frame: FrameIndex(0))

  init(
    rate: Int64 = 48_000, state: MetronomeState = MetronomeState(),
    library: (any PresetLibrary)? = nil
  ) {
    self.library = library
    conductor = Conductor(rate: rate, state: state)
    for output in conductor.begin() { answer(output) }
    outputs = []
  }

  var state: MetronomeState { conductor.state }

  /// Submits, lets the engine answer, and gives the one answer.
  @discardableResult
  mutating func submit(
    _ command: ControlCommand, atSeconds seconds: Double = 0,
    notBefore: FrameIndex = .distantPast
  ) -> Outcome {
    request += 1
    now = ControlInstant(
      time: MonotonicTime(nanoseconds: Int64((seconds * 1e9).rounded())),
      frame: FrameIndex(Int64((seconds * Double(conductor.rate)).rounded())))
    outputs = conductor.submit(command, request: request, now: now, notBefore: notBefore)
    for output in outputs { answer(output) }
    var answers: [Outcome] = []
    for output in outputs {
      switch output {
      case .accepted(request): answers.append(.accepted)
      case .effective(request, let frame): answers.append(.effective(frame))
      case .refused(request, let refusal): answers.append(.refused(refusal.code))
      default: break
      }
    }
    return answers.count == 1 ? answers[0] : .answers(answers.count)
  }

  mutating func restore(_ last: LastState) {
    outputs = conductor.restore(last, now: now)
    for output in outputs { answer(output) }
  }

  mutating func receive(_ event: EngineEvent) { outputs += conductor.receive(event) }

  private mutating func answer(_ output: ConductorOutput) {
    switch output {
    case .engine(let command) where command.identifier != 0:
      if let reason = refusal {
        refusal = nil
        receive(
          .refused(RefusedEvent(frame: frame, command: command.identifier, reason: reason)))
      } else {
        receive(.effective(EffectiveEvent(frame: frame, command: command.identifier)))
      }
    case .read(let wanted, let ticket):
      let answered = conductor.libraryAnswered(
        wanted.answer(from: library), ticket: ticket, now: now)
      outputs += answered
      for output in answered { answer(output) }
    case .prepareSounds(_, let ticket):
      let bank = SoundBankReference(identifier: 7, slots: nil, beats: nil, beatCount: 0)
      let answered = conductor.soundsPrepared(bank, ticket: ticket)
      outputs += answered
      for output in answered { answer(output) }
    default: break
    }
  }

  // MARK: what came out

  var actions: [EngineCommand.Action] {
    outputs.compactMap { if case .engine(let command) = $0 { command.action } else { nil } }
  }

  /// The engine commands as text: easy to compare and to read in a failure.
  var sent: [String] { actions.map { "\($0)" } }

  var reason: String {
    for case .refused(_, let refusal) in outputs { return refusal.reason }
    return ""
  }

  var notices: [String] {
    outputs.compactMap { if case .notice(_, let text) = $0 { text } else { nil } }
  }

  var changed: [StateKey] {
    outputs.compactMap { if case .changed(let key) = $0 { key } else { nil } }
  }

  // MARK: facts of the engine

  mutating func started(at frame: Int64, countIn: Bool = false) {
    receive(
      .started(
        StartEvent(
          frame: FrameIndex(frame), firstFrame: FrameIndex(frame), firstPulse: countIn ? -96 : 0)))
  }

  mutating func continued(at frame: Int64) {
    receive(.continued(ContinueEvent(frame: FrameIndex(frame), firstPulse: 7, songPulse: 7)))
  }

  mutating func stopped(at frame: Int64) {
    receive(
      .stopped(
        StopEvent(frame: FrameIndex(frame), nextPulse: 5, songPulse: 5, isPanic: false)))
  }

  mutating func beat(bar: Int32, beat: UInt8, at frame: Int64, flags: BeatFlags = []) {
    receive(
      .beat(
        BeatEvent(
          frame: FrameIndex(frame), bar: bar, beat: beat, beatCount: 4, accent: .normal,
          flags: flags, quarterThousandths: 120_000)))
  }

  mutating func tempo(_ thousandths: Int32, at frame: Int64, isGlide: Bool = false) {
    receive(
      .tempo(
        TempoEvent(
          frame: FrameIndex(frame), tempo: Tempo(unchecked: thousandths, unit: .quarter),
          quarterThousandths: thousandths, isGlide: isGlide)))
  }

  mutating func trainer(
    _ kind: TrainerEvent.Kind, level: Int32, of count: Int32, at frame: Int64,
    tempo: Int32 = 80_000
  ) {
    receive(
      .trainer(
        TrainerEvent(
          frame: FrameIndex(frame), kind: kind, level: level, levelCount: count,
          tempo: Tempo(unchecked: tempo, unit: .quarter))))
  }
}

extension Tempo {
  static func quarters(_ value: Double) -> Tempo {
    Tempo(value) ?? Tempo(unchecked: 1, unit: .quarter)
  }
}
