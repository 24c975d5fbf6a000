import Glibc
import Testing

@testable import Calibration

/// Latency of a synthetic room, and how far it is off.
private func measure(_ room: SyntheticRoom) throws -> (result: CalibrationResult, error: Double?) {
  let result = try #require(
    LatencyEstimator(spacingSeconds: room.spacingSeconds, count: room.count)
      .estimate(channels: [room.recording()], rate: room.rate))
  return (result, result.latencyFrames.map { abs($0 - room.latencyFrames) })
}

@Suite("Latency from a recording")
struct LatencyEstimatorTests {
  @Test(
    "a clean recording gives the delay to 0.02 frame at every rate",
    arguments: [44_100.0, 48_000, 96_000], [137, 4_800.25, 9_600.37, 14_000])
  func clean(rate: Double, delay: Double) throws {
    let (result, error) = try measure(SyntheticRoom(rate: rate, delayFrames: delay))
    #expect(result.verdict == .green && result.accepted == 16)
    #expect(try #require(error) <= 0.02)
  }

  @Test(
    "white noise costs at most 0.1 frame at 20 dB, 0.5 at 10 dB, 1.5 at 0 dB",
    arguments: [(20.0, 0.1), (10, 0.5), (0, 1.5)], [UInt64(1), 2, 3])
  func noise(level: (decibels: Double, frames: Double), seed: UInt64) throws {
    let (result, error) = try measure(
      SyntheticRoom(delayFrames: 9_600.37, signalToNoise: level.decibels, seed: seed))
    #expect(result.verdict == .green)
    #expect(try #require(error) <= level.frames)
  }

  @Test("at -20 dB nothing is stated", arguments: [UInt64(1), 2, 3])
  func buried(seed: UInt64) throws {
    let (result, error) = try measure(
      SyntheticRoom(delayFrames: 4_800, gain: 0.05, signalToNoise: -20, seed: seed))
    #expect(result.verdict == .red && error == nil)
    #expect(result.findings == [.noise])
  }

  @Test(
    "two clocks that drift apart are told, and the latency is that at the middle of the run",
    arguments: [100.0, -100, 20], [44_100.0, 48_000, 96_000])
  func drift(ppm: Double, rate: Double) throws {
    // At 48 kHz, 100 ppm and 9 s (the middle: 1.5 s + 7.5 sweeps) it has grown by 43.2 frames.
    let (result, error) = try measure(
      SyntheticRoom(rate: rate, delayFrames: 4_800.25, driftPPM: ppm))
    #expect(result.verdict == .green)
    #expect(try #require(error) <= 0.05)
    #expect(abs(result.driftPPM - ppm) < 0.1)
    #expect(result.middleSecond == 9)
  }

  @Test("echoes, hum, clipping, a codec, a cough and a reversed cable do not move it")
  func rooms() throws {
    let base = SyntheticRoom(delayFrames: 4_800.25, signalToNoise: 20)
    var echo = base
    echo.echoes = [(480, 0.7), (1_900, -0.5)]
    var louderEcho = base
    louderEcho.echoes = [(480, 1.3)]
    var hum = base
    hum.humGain = 0.3
    var clipped = base
    clipped.ceiling = 0.1
    var codec = base
    codec.bandLimitHertz = 3_400
    var cough = base
    cough.bursts = [(6, 3, 0.5)]
    var reversed = base
    reversed.isReversed = true
    var reverberant = base
    reverberant.reverberation = (1.2, 6)
    for (name, room, least) in [
      ("echo", echo, 16), ("louder echo", louderEcho, 16), ("hum", hum, 16),
      ("clipped", clipped, 16), ("codec", codec, 16), ("cough", cough, 13),
      ("reversed", reversed, 16), ("reverberant", reverberant, 16),
    ] {
      let (result, error) = try measure(room)
      #expect(result.verdict == .green, "\(name): \(result.findings)")
      #expect(result.accepted >= least, "\(name)")
      #expect(try #require(error) <= 0.5, "\(name)")
    }
  }

  @Test(
    "a latency that changes during the run is yellow at best, and said",
    arguments: [12, 13, 4], [5.0, 100, -2_000])
  func step(sweep: Int, frames: Double) throws {
    let (result, _) = try measure(
      SyntheticRoom(delayFrames: 4_800.25, signalToNoise: 20, step: (sweep, frames)))
    #expect(result.verdict == .yellow)
    #expect(
      result.findings.contains {
        if case .step(_, let milliseconds) = $0 {
          abs(milliseconds - frames / 48) < 0.1
        } else {
          false
        }
      })
  }

  @Test(
    "a delay over the spacing is not taken for one a spacing shorter",
    arguments: [46_560.0, 57_600])
  func long(delay: Double) throws {
    let (result, error) = try measure(SyntheticRoom(delayFrames: delay))
    #expect(result.verdict == .red && error == nil)
    #expect(result.findings.contains(.tooLong(seconds: 1)))
    #expect(result.advice.contains("--spacing 3"))
    let wider = try measure(SyntheticRoom(delayFrames: delay, spacingSeconds: 3))
    #expect(wider.result.verdict == .green)
    #expect(try #require(wider.error) <= 0.02)
  }

  @Test("a stream that is told too late is measured too")
  func early() throws {
    let (result, error) = try measure(SyntheticRoom(delayFrames: -1_000))
    #expect(result.verdict == .green)
    #expect(try #require(error) <= 0.02)
  }

  @Test("the softer sweeps of the raise do not count", arguments: [nil, 20.0, 0])
  func raise(noise: Double?) throws {
    let (result, error) = try measure(
      SyntheticRoom(
        delayFrames: 4_800.25, raise: [-30, -24, -18, -12, -6], signalToNoise: noise))
    #expect(result.verdict == .green && result.accepted == 16 && result.raised == 5)
    // The middle lies 5 sweeps later.
    #expect(result.middleSecond == 14)
    #expect(try #require(error) <= 1.5)
  }

  @Test("the channel that hears the sweeps is used")
  func channels() throws {
    let heard = SyntheticRoom(delayFrames: 4_800.25).recording()
    let silent = [Float](repeating: 0, count: heard.count)
    let result = try #require(
      LatencyEstimator().estimate(channels: [silent, heard], rate: 48_000))
    #expect(result.verdict == .green && result.channel == 1)
  }
}

@Suite("Nothing to be measured")
struct NothingTests {
  /// Something that begins at each of some instants, over a little noise.
  private func recording(_ instants: [Double], _ sound: (Double) -> Double, seconds: Double)
    -> [Float]
  {
    var dice = RoomDice(7)
    var samples = (0..<(48_000 * 20)).map { _ in Float(1e-4 * dice.normal()) }
    for instant in instants {
      let start = Int(instant * 48_000)
      for frame in 0..<Int(seconds * 48_000) where start + frame < samples.count {
        samples[start + frame] += Float(sound(Double(frame) / 48_000))
      }
    }
    return samples
  }

  private func verdict(_ samples: [Float]) throws -> CalibrationResult {
    try #require(LatencyEstimator().estimate(channels: [samples], rate: 48_000))
  }

  private static let everySecond = (0..<16).map { 1.7 + Double($0) }

  @Test("silence is red and named")
  func silence() throws {
    let result = try verdict([Float](repeating: 0, count: 48_000 * 19))
    #expect(result.verdict == .red && result.findings == [.silence])
    #expect(try verdict([]).verdict == .red)
  }

  @Test("another program's sweeps, once a second as ours, are never green")
  func sweeps() throws {
    func window(_ t: Double, _ length: Double) -> Double { pow(sin(.pi * t / length), 2) }
    func logarithmic(_ from: Double, _ to: Double, _ length: Double) -> (Double) -> Double {
      {
        0.3 * window($0, length)
          * sin(2 * .pi * from * length / log(to / from) * (pow(to / from, $0 / length) - 1))
      }
    }
    let linear: (Double) -> Double = {
      0.3 * window($0, 0.02) * sin(2 * .pi * (2_000 * $0 + 4_000 * $0 * $0 / 2 / 0.02))
    }
    #expect(try verdict(recording(Self.everySecond, linear, seconds: 0.02)).verdict != .green)
    for (from, to, length) in [
      (2_000.0, 6_000.0, 0.01), (2_000, 6_000, 0.025), (2_000, 6_000, 0.04), (2_000, 8_000, 0.02),
      (1_000, 8_000, 0.02), (1_000, 10_000, 0.05), (2_000, 6_000, 0.5),
    ] {
      let other = recording(Self.everySecond, logarithmic(from, to, length), seconds: length)
      #expect(try verdict(other).verdict == .red, "\(from) \(to) \(length)")
    }
    // Ours, but from another program: before our first, or at another pace.
    let ours = logarithmic(2_000, 6_000, 0.02)
    let before = recording((0..<19).map { 0.7 + Double($0) }, ours, seconds: 0.02)
    #expect(try verdict(before).findings.contains(.foreignSweeps))
    let faster = recording((0..<16).map { 1.7 + 0.97 * Double($0) }, ours, seconds: 0.02)
    #expect(try verdict(faster).verdict == .red)
  }

  @Test("drums and plucked notes at 60 and 120 a minute are never green", arguments: 1...4)
  func music(seed: Int) throws {
    var dice = RoomDice(UInt64(seed))
    let pitch = 110 * pow(2, dice.share() * 4)
    let decay = dice.within(3...200)
    let hiss = (0..<24_000).map { _ in dice.normal() }
    let share = dice.share()
    let spacing = seed % 2 == 0 ? 1 : 0.5
    let result = try verdict(
      recording(
        Array(stride(from: dice.share(), to: 19, by: spacing)),
        { t in
          var tone = 0.0
          for partial in 1...12 where pitch * Double(partial) < 20_000 {
            tone += sin(2 * .pi * pitch * Double(partial) * t) / Double(partial)
          }
          let noise = hiss[min(hiss.count - 1, Int(t * 48_000))]
          return 0.2 * exp(-decay * t) * ((1 - share) * tone + share * noise)
        }, seconds: 0.45))
    #expect(result.verdict == .red)
  }

  @Test("no green is wrong by over 5 ms in random rooms", arguments: 1...16)
  func randomRooms(seed: Int) throws {
    let room = RandomRooms.room(UInt64(seed))
    let (result, error) = try measure(room)
    if result.verdict == .green { #expect(try #require(error) <= room.rate * 0.005) }
  }
}
