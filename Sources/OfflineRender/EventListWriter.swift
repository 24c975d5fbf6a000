import MetronomeModel
public import MusicalTime
public import RealtimeEngine

/// Writes facts as text, one JSON object a line.
///
/// `frame` and `kind` are always there; a click or a beat has `bar` and `beat` as people count (a
/// count-in is bar -n to -1), `accent`, `bpm` (quarters a minute) and `muted`; a click between the
/// beats has `sub`, one of the layer `layer`, both from 1; a pulse has `pulse` and `position`,
/// its numbers in the run and in the song.
///
/// - Thread: any
public struct EventListWriter {
  /// Which facts are written.
  public enum Selection: Sendable {
    /// `click`, `pulse`, `beat`, `start`, `stop`, `tempo`; Continue counts as `start`.
    case timing
    /// Also `meter`, `section`, `jump`, `trainer`, `timer`.
    case everything
  }

  public let selection: Selection
  /// Taken off every frame, so that frame 0 is where the list begins.
  public let origin: FrameIndex

  public init(selection: Selection = .timing, origin: FrameIndex = FrameIndex(0)) {
    self.selection = selection
    self.origin = origin
  }

  /// Appends the fact's line, with its line feed, or nothing where it is not selected.
  public func append(_ event: EngineEvent, to text: inout [UInt8]) {
    switch event {
    case .click(let click): append(click, to: &text)
    case .beat(let beat): append(beat, to: &text)
    case .pulse(let pulse):
      begin("pulse", pulse.frame, &text)
      member("pulse", pulse.number, &text)
      member("position", pulse.songPulse, &text)
      end(&text)
    case .started(let start):
      begin("start", start.frame, &text)
      end(&text)
    case .continued(let start):
      begin("start", start.frame, &text)
      member("pulse", start.firstPulse, &text)
      end(&text)
    case .stopped(let stop):
      begin("stop", stop.frame, &text)
      end(&text)
    case .tempo(let tempo):
      begin("tempo", tempo.frame, &text)
      member("bpm", thousandths: tempo.quarterThousandths, &text)
      end(&text)
    default:
      if selection == .everything { appendOther(event, to: &text) }
    }
  }

  private func append(_ click: ClickEvent, to text: inout [UInt8]) {
    begin("click", click.frame, &text)
    place(bar: click.bar, beat: click.beat, &text)
    member("accent", click.accent.name, &text)
    member("bpm", thousandths: click.quarterThousandths, &text)
    member("muted", click.flags, &text)
    switch click.source {
    case .beat: break
    case .subdivision: member("sub", Int64(click.sub), &text)
    case .layer: member("layer", Int64(click.sub) + 1, &text)
    }
    end(&text)
  }

  private func append(_ beat: BeatEvent, to text: inout [UInt8]) {
    begin("beat", beat.frame, &text)
    place(bar: beat.bar, beat: beat.beat, &text)
    member("beats", Int64(beat.beatCount), &text)
    member("accent", beat.accent.name, &text)
    member("bpm", thousandths: beat.quarterThousandths, &text)
    member("muted", beat.flags, &text)
    end(&text)
  }

  private func appendOther(_ event: EngineEvent, to text: inout [UInt8]) {
    switch event {
    case .meter(let meter):
      begin("meter", meter.frame, &text)
      member("meter", meter.meter.description, &text)
      member("pattern", meter.pattern.description, &text)
    case .section(let section):
      begin("section", section.frame, &text)
      member("section", Int64(section.index) + 1, &text)
    case .jumped(let jump):
      begin("jump", jump.frame, &text)
      member("position", jump.songPulse, &text)
    case .trainer(let trainer):
      begin("trainer", trainer.frame, &text)
      member("level", Int64(trainer.level) + 1, &text)
      member("levels", Int64(trainer.levelCount), &text)
      member("bpm", thousandths: trainer.tempo.quarterThousandths, &text)
    case .timer(let timer):
      begin("timer", timer.frame, &text)
    default:
      return
    }
    end(&text)
  }

  // MARK: Members

  private func begin(_ kind: StaticString, _ frame: FrameIndex, _ text: inout [UInt8]) {
    literal("{\"frame\":", &text)
    number(frame.value &- origin.value, &text)
    literal(",\"kind\":\"", &text)
    literal(kind, &text)
    literal("\"", &text)
  }

  private func end(_ text: inout [UInt8]) { literal("}\n", &text) }

  private func place(bar: Int32, beat: UInt8, _ text: inout [UInt8]) {
    member("bar", Int64(bar) + (bar >= 0 ? 1 : 0), &text)
    member("beat", Int64(beat) + 1, &text)
  }

  private func name(_ name: StaticString, _ text: inout [UInt8]) {
    literal(",\"", &text)
    literal(name, &text)
    literal("\":", &text)
  }

  private func member(_ key: StaticString, _ value: Int64, _ text: inout [UInt8]) {
    name(key, &text)
    number(value, &text)
  }

  private func member(_ key: StaticString, _ value: String, _ text: inout [UInt8]) {
    name(key, &text)
    literal("\"", &text)
    text.append(contentsOf: value.utf8)
    literal("\"", &text)
  }

  private func member(_ key: StaticString, _ flags: BeatFlags, _ text: inout [UInt8]) {
    name(key, &text)
    literal(flags.isDisjoint(with: [.mutedBar, .mute]) ? "false" : "true", &text)
  }

  private func member(
    _ key: StaticString, thousandths value: Int32, _ text: inout [UInt8]
  ) {
    name(key, &text)
    text.append(contentsOf: ThousandthsText.text(Int64(value)).utf8)
  }

  private func literal(_ value: StaticString, _ text: inout [UInt8]) {
    unsafe text.append(
      contentsOf: UnsafeBufferPointer(start: value.utf8Start, count: value.utf8CodeUnitCount))
  }

  /// A render writes millions of these: no string is made for each.
  private func number(_ value: Int64, _ text: inout [UInt8]) {
    if value < 0 { text.append(UInt8(ascii: "-")) }
    var rest = value.magnitude
    let start = text.count
    repeat {
      text.append(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
    } while rest > 0
    text[start...].reverse()
  }
}
