public import MetronomeModel
public import MusicalTime
public import RealtimeEngine

/// Makes a Standard MIDI File of what the engine announces: tempo map, meters, markers, and the
/// clicks as notes.
///
/// Facts are given in the engine's order, pulses included: their numbers are the places in the
/// score, so every note lies on its exact tick.
///
/// - Thread: any
public struct ClickTrackBuilder {
  /// Frames a second of the facts.
  public let rate: Int
  /// Whether tempo marks alternate, so that no beat is off by more than a tick.
  public let exact: Bool
  public var notes = ClickNotes()
  public var format = StandardMIDIFile.Format.parallel
  /// What divides the beats; to be set before the facts of the bar it acts on.
  public var subdivision: Subdivision
  /// Clicks of the layer a bar; likewise.
  public var layerCount: Int
  /// Markers of sections, by their index.
  public var sectionNames: [String] = []

  var meter: Meter
  var lastPulse: (number: Int64, frame: FrameIndex)?
  var firstPulse: Int64?
  /// Facts after the last pulse whose place is that of the next one.
  private var waiting: [EngineEvent] = []
  private var beatPosition = ScorePosition.zero
  private var barPosition = ScorePosition.zero
  var clicks: [(position: ScorePosition, note: ClickNotes.Note)] = []
  var meters: [(position: ScorePosition, meter: Meter)] = []
  var markers: [(position: ScorePosition, text: String)] = []
  var tempos: [TempoChange] = []

  struct TempoChange {
    var position: ScorePosition
    /// Microseconds a quarter as a fraction; nil in a glide.
    var steady: (numerator: Int64, denominator: Int64)?
    /// Pulses of a glide.
    var measured: [(position: ScorePosition, frame: FrameIndex)] = []
  }

  public init(
    rate: Int, exact: Bool = false, meter: Meter, subdivision: Subdivision = .none,
    layerCount: Int = 0
  ) {
    self.rate = rate
    self.exact = exact
    self.meter = meter
    self.subdivision = subdivision
    self.layerCount = layerCount
  }

  // MARK: Facts

  public mutating func add(_ event: EngineEvent) {
    switch event {
    case .pulse(let pulse):
      guard !pulse.flags.contains(.free) else { return }
      add(pulse)
    case .click, .beat, .tempo, .meter, .section:
      if let lastPulse, event.frame <= lastPulse.frame {
        place(event, at: ScorePosition(pulses: lastPulse.number))
      } else if case .click(let click) = event, click.source != .beat, click.sub > 0,
        lastPulse != nil, waiting.isEmpty
      {
        // Its place follows from its beat, which is known already.
        place(event, at: .zero)
      } else {
        waiting.append(event)
      }
    default:
      break
    }
  }

  private mutating func add(_ pulse: PulseEvent) {
    let position = ScorePosition(pulses: pulse.number)
    if firstPulse == nil {
      firstPulse = pulse.number
      meters.append((position, meter))
      if pulse.number < 0 { markers.append((.zero, "1")) }
    }
    if let last = tempos.indices.last, tempos[last].steady == nil {
      tempos[last].measured.append((position, pulse.frame))
    }
    lastPulse = (pulse.number, pulse.frame)
    let due = waiting
    waiting.removeAll(keepingCapacity: true)
    for event in due {
      if event.frame > pulse.frame { waiting.append(event) } else { place(event, at: position) }
    }
  }

  private mutating func place(_ event: EngineEvent, at position: ScorePosition) {
    switch event {
    case .beat(let beat):
      beatPosition = position
      barPosition = ScorePosition(
        ticks: position.ticks - Int64(beat.beat) * meter.beatLength.ticks)
      if tempos.isEmpty {
        // Nothing was said about the tempo before: the beat carries it.
        tempos.append(
          TempoChange(
            position: position, steady: (60_000_000_000, Int64(max(1, beat.quarterThousandths)))))
      }
    case .click(let click):
      place(click, at: position)
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

  private mutating func place(_ click: ClickEvent, at position: ScorePosition) {
    guard click.flags.isDisjoint(with: [.mutedBar, .mute]), click.accent != .silent else { return }
    switch click.source {
    case .beat:
      beatPosition = position
      barPosition = ScorePosition(
        ticks: position.ticks - Int64(click.beat) * meter.beatLength.ticks)
      if let note = click.flags.contains(.countIn) ? notes.countIn : notes.beat(click.accent) {
        clicks.append((position, note))
      }
    case .subdivision:
      let index = min(Int(click.sub), Int(subdivision.count) - 1)
      clicks.append(
        (
          beatPosition + subdivision.offset(of: index, beatLength: meter.beatLength),
          notes.subdivision
        ))
    case .layer:
      guard layerCount > 0, click.sub > 0 else {
        clicks.append((click.sub == 0 ? position : barPosition, notes.layer))
        return
      }
      let ticks = meter.barLength.ticks * Int64(click.sub) / Int64(layerCount)
      clicks.append((ScorePosition(ticks: barPosition.ticks + ticks), notes.layer))
    }
  }

  private mutating func add(_ event: TempoEvent, at position: ScorePosition) {
    var change = TempoChange(position: position)
    if event.isGlide {
      change.measured = [(position, event.frame)]
    } else if event.quarterThousandths == event.tempo.quarterThousandths {
      // 60 000 000 us a minute, over thousandths.
      change.steady = (
        60_000_000_000 * event.tempo.quarterDenominator, event.tempo.quarterNumerator
      )
    } else {
      // Bent away from the tempo as given: pushed, pulled, or catching up with a tap.
      change.steady = (60_000_000_000, Int64(max(1, event.quarterThousandths)))
    }
    if tempos.last?.position == position { tempos.removeLast() }
    tempos.append(change)
  }
}
