import MetronomeModel
import MusicalTime

/// What the engine last said is in force: where the state goes back to if a wish fails.
///
/// - Thread: conductor
struct EngineFacts: Equatable, Sendable {
  var transport = TransportState.stopped
  var tempo = Tempo(unchecked: 120_000, unit: .quarter)
  var meter = Meter.common
  var pattern = AccentPattern.standard(for: .common)

  init() {}

  init(_ state: MetronomeState) {
    tempo = state.tempo
    meter = state.meter
    pattern = state.pattern
  }
}
