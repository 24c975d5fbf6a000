import MetronomeModel
import MusicalTime

/// What the engine last said is in force: where the state goes back to if a request fails.
///
/// - Thread: control
struct EngineFacts: Equatable, Sendable {
  var transport = TransportState.stopped
  var tempo = Tempo(unchecked: 120_000, unit: .quarter)
  var meter = Meter.common
  var pattern = AccentPattern.standard(for: .common)
  /// Facts that came in, and those that are known to have been lost.
  var received: Int64 = 0
  var lost: Int64 = 0
  /// Refusals that came in, and those known to have been lost.
  var refusals: Int64 = 0

  init() {}

  init(_ state: MetronomeState) {
    tempo = state.tempo
    meter = state.meter
    pattern = state.pattern
  }
}
