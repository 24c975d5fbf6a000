import MetronomeModel
import MusicalTime
import RealtimeEngine
import ScoreFormats

/// Makes a Standard MIDI File of what the engine announces: tempo map, meters, markers, and the
/// clicks as notes.
///
/// Facts are given in the engine's order, pulses included. Clicks carry their place in the score;
/// for everything else the pulse at the same frame is its place.
///
/// - Thread: any
struct ClickTrackBuilder {
  /// Frames a second of the facts.
  let rate: Int
  /// Whether tempo marks alternate, so that no beat is off by more than a tick.
  let exact: Bool
  var notes = ClickNotes()
  var format = StandardMIDIFile.Format.parallel
  /// Markers of sections, by their index.
  var sectionNames: [String] = []

  private var meter: Meter
  private(set) var lastPulse: PulsePoint?
  private(set) var firstPulse: Int64?
  /// Facts after the last pulse whose place is that of the next one.
  private var waiting: [EngineEvent] = []
  private(set) var clicks: [(position: ScorePosition, note: ClickNotes.Note)] = []
  private(set) var meters: [(position: ScorePosition, meter: Meter)] = []
  private(set) var markers: [(position: ScorePosition, text: String)] = []
  private(set) var tempos: [TempoChange] = []
  /// The pulse from which the steady tempo counts; nil after a pause, whose length is no tempo.
  private var anchor: PulsePoint?
  private var isAfterPause = false
  /// The steady tempo away from which pulses were found to be bent.
  private var unbent: (numerator: Int64, denominator: Int64)?

  /// A pulse and its exact instant.
  struct PulsePoint {
    var position: ScorePosition
    var frame: FrameIndex
    /// Frames from the frame, at most half of one either way.
    var fraction: Double

    init(_ pulse: PulseEvent) {
      position = ScorePosition(pulses: pulse.number)
      frame = pulse.frame
      fraction = Double(pulse.fraction) / 4_294_967_296
    }

    func frames(since other: PulsePoint) -> Double {
      Double(frame.value &- other.frame.value) + (fraction - other.fraction)
    }
  }

  struct TempoChange {
    var position: ScorePosition
    /// Microseconds a quarter as a fraction; nil where the tempo is not steady or not known exactly.
    var steady: (numerator: Int64, denominator: Int64)?
    /// Its pulses where it is nil.
    var measured: [PulsePoint] = []
  }

  init(rate: Int, exact: Bool = false, meter: Meter) {
    self.rate = rate
    self.exact = exact
    self.meter = meter
  }

  // MARK: Facts

  mutating func add(_ event: EngineEvent) {
    switch event {
    case .pulse(let pulse):
      guard !pulse.flags.contains(.free) else { return }
      add(pulse)
    case .click(let click):
      add(click)
    case .continued:
      anchor = nil
      isAfterPause = true
    case .beat, .tempo, .meter, .section:
      if let lastPulse, event.frame <= lastPulse.frame {
        place(event, at: lastPulse.position)
      } else {
        waiting.append(event)
      }
    default:
      break
    }
  }

  private mutating func add(_ pulse: PulseEvent) {
    let point = PulsePoint(pulse)
    if firstPulse == nil {
      firstPulse = pulse.number
      meters.append((point.position, meter))
      if pulse.number < 0 { markers.append((.zero, "1")) }
    }
    follow(point)
    lastPulse = point
    let due = waiting
    waiting.removeAll(keepingCapacity: true)
    for event in due {
      if event.frame > pulse.frame {
        waiting.append(event)
      } else {
        place(event, at: point.position)
      }
    }
  }

  /// Notes the pulses of what is not steady, and finds where a steady tempo is left without a word:
  /// pushed, pulled, or catching up with a tap.
  private mutating func follow(_ point: PulsePoint) {
    defer { isAfterPause = false }
    guard let last = tempos.last else { return }
    if let steady = last.steady {
      guard let anchor, let lastPulse, !isAfterPause else {
        self.anchor = point
        return
      }
      let distance = Double(point.position.ticks - anchor.position.ticks)
      let due = distance / Double(ScorePosition.ticksPerPulse) * framesAPulse(steady)
      // A thousandth of a frame is more than what 64 bits round by in a day.
      guard abs(point.frames(since: anchor) - due) > 0.001 else { return }
      unbent = steady
      let change = TempoChange(position: lastPulse.position, measured: [lastPulse, point])
      if last.position == lastPulse.position { tempos.removeLast() }
      tempos.append(change)
      return
    }
    if isAfterPause {
      tempos.append(TempoChange(position: point.position, measured: [point]))
      return
    }
    if let unbent, let lastPulse,
      abs(point.frames(since: lastPulse) - framesAPulse(unbent)) < 0.001
    {
      // Back to what it was.
      if last.position == lastPulse.position { tempos.removeLast() }
      tempos.append(TempoChange(position: lastPulse.position, steady: unbent))
      anchor = lastPulse
      self.unbent = nil
      return
    }
    tempos[tempos.count - 1].measured.append(point)
  }

  func framesAPulse(_ steady: (numerator: Int64, denominator: Int64)) -> Double {
    Double(steady.numerator) / Double(steady.denominator) * Double(rate) / 24e6
  }

  private mutating func place(_ event: EngineEvent, at position: ScorePosition) {
    switch event {
    case .beat(let beat):
      if tempos.isEmpty {
        // Nothing was said about the tempo before: the beat carries it.
        tempos.append(
          TempoChange(
            position: position, steady: (60_000_000_000, Int64(max(1, beat.quarterThousandths)))))
      }
    case .tempo(let tempo):
      add(tempo, at: position)
    case .meter(let change):
      if meters.last?.meter != change.meter {
        if meters.last?.position == position { meters.removeLast() }
        meters.append((position, change.meter))
      }
      meter = change.meter
    case .section(let section):
      let index = Int(section.index)
      if sectionNames.indices.contains(index) {
        markers.append((position, sectionNames[index]))
      }
    default:
      break
    }
  }

  private mutating func add(_ click: ClickEvent) {
    guard click.flags.isDisjoint(with: [.mutedBar, .mute]) else { return }
    // A count-in is heard whatever the pattern says of its beats.
    let isCountIn = click.flags.contains(.countIn)
    guard isCountIn || click.accent != .silent else { return }
    let note: ClickNotes.Note? =
      switch click.source {
      case .beat: isCountIn ? notes.countIn : notes.beat(click.accent)
      case .subdivision: notes.subdivision
      case .layer: notes.layer
      }
    if let note { clicks.append((click.place, note)) }
  }

  private mutating func add(_ event: TempoEvent, at position: ScorePosition) {
    var change = TempoChange(position: position)
    if event.isGlide {
      change.measured = lastPulse.map { [$0] } ?? []
    } else if event.quarterThousandths == event.tempo.quarterThousandths {
      change.steady = event.tempo.microsecondsPerQuarter
    } else if event.tempo.unit == .quarter {
      // Bent away from the tempo as given (pushed, pulled, or catching up with a tap), by whole
      // thousandths of its unit.
      change.steady = (60_000_000_000, Int64(max(1, event.quarterThousandths)))
    } else {
      change.measured = lastPulse.map { [$0] } ?? []
    }
    if tempos.last?.position == position { tempos.removeLast() }
    tempos.append(change)
    anchor = lastPulse
    unbent = nil
  }
}
