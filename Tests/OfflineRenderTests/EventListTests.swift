import MetronomeModel
import MusicalTime
import RealtimeEngine
import Testing

@testable import OfflineRender

@Suite("Event lists")
struct EventListTests {
  func line(_ event: EngineEvent, _ selection: EventListWriter.Selection = .timing) -> String {
    var bytes: [UInt8] = []
    EventListWriter(selection: selection).append(event, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  func click(
    bar: Int32, sub: UInt8 = 0, _ source: ClickEvent.Source = .beat, flags: BeatFlags = []
  ) -> EngineEvent {
    .click(
      ClickEvent(
        frame: FrameIndex(24_000), place: .zero, bar: bar, beat: 1, sub: sub, source: source,
        accent: .normal,
        flags: flags, quarterThousandths: 99_950))
  }

  @Test("bars and beats count from one, a count-in counts down to minus one")
  func clicks() {
    #expect(
      line(click(bar: 0))
        == #"{"frame":24000,"kind":"click","bar":1,"beat":2,"accent":"normal","bpm":99.95,"#
        + "\"muted\":false}\n")
    #expect(
      line(click(bar: -1, flags: .countIn))
        == #"{"frame":24000,"kind":"click","bar":-1,"beat":2,"accent":"normal","bpm":99.95,"#
        + "\"muted\":false}\n")
  }

  @Test("clicks between beats and of the layer say so, muted ones too")
  func others() {
    #expect(line(click(bar: 2, sub: 1, .subdivision)).hasSuffix("\"muted\":false,\"sub\":1}\n"))
    #expect(line(click(bar: 2, sub: 0, .layer)).hasSuffix("\"muted\":false,\"layer\":1}\n"))
    #expect(line(click(bar: 2, flags: .mutedBar)).hasSuffix("\"muted\":true}\n"))
    #expect(line(click(bar: 2, flags: .mute)).hasSuffix("\"muted\":true}\n"))
  }

  @Test("each kind has its line")
  func kinds() {
    let frame = FrameIndex(-5)
    #expect(
      line(.pulse(PulseEvent(frame: frame, number: -24, songPulse: 7, flags: [])))
        == "{\"frame\":-5,\"kind\":\"pulse\",\"pulse\":-24,\"position\":7}\n")
    #expect(
      line(.started(StartEvent(frame: frame, firstFrame: frame, firstPulse: 0)))
        == "{\"frame\":-5,\"kind\":\"start\"}\n")
    #expect(
      line(.stopped(StopEvent(frame: frame, nextPulse: 0, songPulse: 0, isPanic: false)))
        == "{\"frame\":-5,\"kind\":\"stop\"}\n")
    #expect(
      line(
        .tempo(
          TempoEvent(
            frame: frame, tempo: Tempo(113.125)!, quarterThousandths: 113_125, isGlide: false)))
        == "{\"frame\":-5,\"kind\":\"tempo\",\"bpm\":113.125}\n")
    #expect(line(.timer(TimerEvent(frame: frame))) == "")
    #expect(
      line(.timer(TimerEvent(frame: frame)), .everything) == "{\"frame\":-5,\"kind\":\"timer\"}\n")
    #expect(line(.retiredSounds(1), .everything) == "")
  }

  @Test("the greatest and the least frame are written whole")
  func extremes() {
    #expect(
      line(.started(StartEvent(frame: FrameIndex(.min), firstFrame: FrameIndex(0), firstPulse: 0)))
        .hasPrefix("{\"frame\":-9223372036854775808,"))
    #expect(
      line(.started(StartEvent(frame: FrameIndex(.max), firstFrame: FrameIndex(0), firstPulse: 0)))
        .hasPrefix("{\"frame\":9223372036854775807,"))
  }
}
