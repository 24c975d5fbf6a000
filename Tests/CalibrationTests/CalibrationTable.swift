import Glibc
import Testing

@testable import Calibration

/// Random rooms in number, and a table beside the plain peak detector: `Tests/Benchmarks/calibration`
/// sets TACTUS_ROOMS to 1000 and shows what is printed.
@Suite("Many rooms")
struct CalibrationTable {
  private static let rooms: Int? =
    getenv("TACTUS_ROOMS").flatMap { Int(String(cString: $0)) }

  private func milliseconds(_ value: Double?) -> String {
    value.map { "\(Double(($0 * 10_000).rounded()) / 10_000)" } ?? "-"
  }

  @Test("no green is wrong by over 5 ms, in as many random rooms as asked for")
  func manyRooms() throws {
    var verdicts: [CalibrationResult.Verdict: Int] = [:]
    var errors: [Double] = []
    var plain: [Double] = []
    for seed in 100..<(100 + (Self.rooms ?? 4)) {
      let room = RandomRooms.room(UInt64(seed))
      let recording = room.recording()
      let result = try #require(
        LatencyEstimator().estimate(channels: [recording], rate: room.rate))
      verdicts[result.verdict, default: 0] += 1
      if let frames = PlainPeakDetector.latency(recording, rate: room.rate) {
        plain.append(abs(frames - room.latencyFrames) / room.rate * 1_000)
      }
      guard result.verdict == .green, let frames = result.latencyFrames else { continue }
      let error = abs(frames - room.latencyFrames) / room.rate * 1_000
      #expect(error <= 5, "room \(seed)")
      errors.append(error)
    }
    guard let rooms = Self.rooms, !errors.isEmpty else { return }
    errors.sort()
    plain.sort()
    print(
      "\(rooms) random rooms: \(verdicts[.green] ?? 0) green, \(verdicts[.yellow] ?? 0) yellow,",
      terminator: " ")
    print("\(verdicts[.red] ?? 0) red")
    print(
      "green, error in ms: median \(milliseconds(errors[errors.count / 2])), most \(milliseconds(errors.last))"
    )
    if !plain.isEmpty {
      print(
        "plain peak detector: \(plain.count) answers, \(plain.filter { $0 > 5 }.count) of them wrong by over 5 ms"
      )
    }
  }

  @Test("the table beside the plain peak detector")
  func table() throws {
    guard Self.rooms != nil else { return }
    let base = SyntheticRoom(delayFrames: 4_800.25)
    var rows: [(String, SyntheticRoom)] = [("clean", base)]
    for level in [20.0, 10, 0, -10, -20] {
      var room = base
      room.signalToNoise = level
      rows.append(("noise, \(Int(level)) dB", room))
    }
    var echo = base
    echo.echoes = [(480, 0.7), (1_900, -0.5)]
    rows.append(("echoes", echo))
    var louder = base
    louder.echoes = [(480, 1.3)]
    rows.append(("echo louder than the sweep", louder))
    var reverberant = base
    reverberant.reverberation = (1.2, 6)
    rows.append(("reverberation of 1.2 s, 6 dB over", reverberant))
    var hum = base
    hum.humGain = 0.3
    rows.append(("hum as loud as the sweeps", hum))
    var cough = base
    cough.bursts = [(6, 3, 0.5)]
    rows.append(("cough over three sweeps", cough))
    var codec = base
    codec.bandLimitHertz = 3_400
    rows.append(("codec of a telephone", codec))
    var drift = base
    drift.driftPPM = 100
    rows.append(("clocks 100 ppm apart", drift))
    var quiet = base
    quiet.gain = 0.005
    rows.append(("recorded at -46 dB", quiet))
    var far = base
    far.delayFrames = 24_000
    rows.append(("delay of 500 ms", far))
    print("room                                verdict  error, frames   plain detector, frames")
    for (name, room) in rows {
      let recording = room.recording()
      let result = try #require(
        LatencyEstimator().estimate(channels: [recording], rate: room.rate))
      let plain = PlainPeakDetector.latency(recording, rate: room.rate)
      func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
      }
      print(
        pad(name, 36) + pad(result.verdict.rawValue, 9)
          + pad(milliseconds(result.latencyFrames.map { abs($0 - room.latencyFrames) }), 16)
          + (plain.map { milliseconds(abs($0 - room.latencyFrames)) } ?? "no answer"))
    }
  }
}
