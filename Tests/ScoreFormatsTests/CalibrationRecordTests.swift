import Glibc
import MetronomeModel
import ScoreFormats
import Testing

@Suite("Measured latencies on disk")
struct CalibrationRecordTests {
  static func record(_ device: String, machine: String = "m") -> CalibrationRecord {
    let end = AudioRoute.End(
      device: device, card: "USB", rate: 48_000, periodFrames: 240, channels: 2)
    return CalibrationRecord(
      route: AudioRoute(output: end, input: end), roundTripMilliseconds: 123.456,
      inputMilliseconds: 2, madMilliseconds: 0.01, spreadMilliseconds: 0.2, verdict: "green",
      accepted: 16, count: 16, isCable: true, measuredAt: 1_790_000_000, machine: machine)
  }

  @Test("what is written is read back")
  func roundTrip() throws {
    let records = [Self.record("hw:CARD=USB"), Self.record("default \"x\"")]
    let text = CalibrationRecordsFormat.write(records)
    #expect(try CalibrationRecordsFormat.read(Array(text.utf8), file: "latency.json") == records)
    #expect(records[0].outputMilliseconds == 121.456)
  }

  @Test("a result takes the place of the one before of its route, and of no other")
  func keep() throws {
    var template = Array("/tmp/tactus-latency-XXXXXX".utf8CString)
    mkdtemp(&template)
    let folder = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    defer {
      unlink("\(folder)/latency.json")
      rmdir(folder)
    }
    let store = CalibrationStore(folder: folder)
    #expect(try store.load().isEmpty)
    _ = try store.keep(Self.record("a"))
    _ = try store.keep(Self.record("b"))
    _ = try store.keep(Self.record("a", machine: "other"))
    var again = Self.record("a")
    again.verdict = "yellow"
    let kept = try store.keep(again)
    #expect(kept.map(\.route.output.device) == ["b", "a", "a"])
    #expect(kept.map(\.verdict) == ["green", "green", "yellow"])
    #expect(try store.load() == kept)
  }

  @Test(
    "a damaged file is refused with its place",
    arguments: [
      "", "[]", "{}", #"{"version": 2}"#, #"{"version": 1, "calibrations": [{}]}"#,
      #"{"version": 1, "calibrations": [{"output": {"device": "a"}}]}"#,
    ])
  func damaged(text: String) {
    #expect(throws: FormatError.self) {
      try CalibrationRecordsFormat.read(Array(text.utf8), file: "latency.json")
    }
  }

  @Test("the analysis's answer is read as it is written, red ones too")
  func answer() throws {
    let green = try CalibrationAnswer(
      Array(
        #"{"verdict":"green","latencyFrames":480.5,"latencyMilliseconds":10,"madMilliseconds":0.01,"accepted":16,"count":16,"advice":"","driftPPM":1,"sweeps":[]}"#
          .utf8))
    #expect(green.latencyFrames == 480.5 && green.accepted == 16)
    let red = try CalibrationAnswer(
      Array(#"{"verdict":"red","latencyFrames":null,"advice":"closer"}"#.utf8))
    #expect(red.latencyFrames == nil && red.advice == "closer")
    #expect(throws: FormatError.self) { try CalibrationAnswer([]) }
  }
}
