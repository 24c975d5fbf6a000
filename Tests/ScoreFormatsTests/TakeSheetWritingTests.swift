import MetronomeModel
import MusicalTime
import ScoreFormats
import Testing

@Suite("The side file as it is written")
struct TakeSheetWritingTests {
  @Test("what is written is read back, with every key")
  func roundTrip() throws {
    var sheet = TakeSheet(
      rate: 44_100, barOneFrame: 66_150.25,
      tempo: [
        TakeSheet.Stretch(meter: try Meter(text: "7/8"), tempo: Tempo(95.123)!),
        TakeSheet.Stretch(
          bar: 3, beat: 2, frame: 200_000.5, meter: try Meter(text: "7/8"), tempo: Tempo(96)!,
          subdivision: Subdivision(unchecked: 2, level: .soft, swing: .percentHundredths(5_800)),
          pattern: try AccentPattern(text: "X.x.x.x", for: try Meter(text: "7/8")),
          isMuted: true),
        TakeSheet.Stretch(
          bar: 9, meter: .common, tempo: Tempo(72, unit: NoteValue(text: "1/4.")!)!,
          glide: .init(to: Tempo(80, unit: NoteValue(text: "1/4.")!)!, over: .bars(4))),
      ])
    sheet.channels = 2
    sheet.countInBars = 2
    sheet.stopFrame = 900_000
    sheet.latencyFrames = 480.125
    sheet.latencyVerdict = "yellow"
    sheet.route = "hw:A -> hw:B \"x\""
    sheet.routeChanges = [.init(frame: 5, route: "the output is now default")]
    sheet.gaps = [.init(frame: 1_000, frames: 77)]
    sheet.clipped = 3
    sheet.ended = "the disk is full"
    sheet.recordedAt = 1_790_000_000
    sheet.click = [.strong: "beep", .subdivision: "wood"]
    let text = TakeSheetFormat.write(sheet)
    #expect(try TakeSheetFormat.read(Array(text.utf8), file: "a.json") == sheet)
  }

  @Test("a take without latency says so: null, not 0")
  func unknownLatency() throws {
    let sheet = TakeSheet(rate: 48_000, barOneFrame: 0, tempo: [.init(tempo: Tempo(120)!)])
    let text = TakeSheetFormat.write(sheet)
    #expect(text.contains("\"latencyFrames\": null"))
    #expect(try TakeSheetFormat.read(Array(text.utf8), file: "a.json") == sheet)
  }
}
