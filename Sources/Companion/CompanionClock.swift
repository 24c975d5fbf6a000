public import MusicalTime
internal import RealtimeHost

/// The companion's own clock: CLOCK_MONOTONIC, or for a trial one that is set wrong and drifts.
///
/// - Thread: companion
public struct CompanionClock: Sendable {
  /// How far it is set wrong, in nanoseconds.
  public var offset: Int64
  public var driftPPM: Double
  private let start: Int64

  public init(offset: Int64 = 0, driftPPM: Double = 0) {
    self.offset = offset
    self.driftPPM = driftPPM
    start = MonotonicClock.now().nanoseconds
  }

  public func now() -> MonotonicTime { reading(at: MonotonicClock.now()) }

  /// What this clock shows at an instant of the host's.
  public func reading(at host: MonotonicTime) -> MonotonicTime {
    let passed = Double(host.nanoseconds - start)
    return host.advanced(byNanoseconds: offset + Int64(passed * driftPPM / 1e6))
  }

  /// The host's instant at which this clock shows `reading`.
  public func host(of reading: MonotonicTime) -> MonotonicTime {
    let passed = Double(reading.nanoseconds - offset - start) / (1 + driftPPM / 1e6)
    return MonotonicTime(nanoseconds: start + Int64(passed.rounded()))
  }
}
