internal import MetronomeModel
internal import MusicalTime
internal import OSCProtocol
internal import RealtimeEngine

/// The engine's facts as they travel.
extension BeatMessage {
  init(_ event: BeatEvent, run: Int32, sequence: Int32, due: MonotonicTime) {
    self.init(
      run: run, sequence: sequence, bar: event.barForPeople, beat: Int32(event.beat) + 1,
      quarterTempo: Float(Double(event.quarterThousandths) / 1000),
      count: Int32(event.beatCount), accent: Int32(event.accent.rawValue),
      flags: Int32(event.flags.rawValue), due: due)
  }

  init(_ event: ClickEvent, run: Int32, sequence: Int32, due: MonotonicTime) {
    self.init(
      run: run, sequence: sequence, bar: event.bar >= 0 ? event.bar &+ 1 : event.bar,
      beat: Int32(event.beat) + 1,
      quarterTempo: Float(Double(event.quarterThousandths) / 1000), count: Int32(event.sub),
      accent: Int32(event.accent.rawValue), flags: Int32(event.flags.rawValue), due: due)
  }
}
