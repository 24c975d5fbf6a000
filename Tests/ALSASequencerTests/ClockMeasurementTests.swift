import MetronomeModel
import MusicalTime
import Testing

@testable import ALSASequencer

@Suite struct Measurement {
  /// Pulses at 120, numbers given, each moved by `shift` milliseconds.
  private func measured(
    _ numbers: [Int], nominal: Double? = 120, shift: (Int) -> Double = { _ in 0 }
  ) -> ClockMeasurement {
    var measurement = ClockMeasurement(nominalTempo: nominal)
    for number in numbers {
      // 125/6 ms a pulse.
      measurement.add(pulse: at(Double(number) * 125 / 6 + shift(number)))
    }
    return measurement
  }

  @Test("a step of tempo is found to the pulse, and each side measured by itself")
  func step() throws {
    var measurement = ClockMeasurement()
    // 120 for 10 s, which are 480 pulses, then 126: 19.841270 ms a pulse.
    for pulse in 0...480 { measurement.add(pulse: at(Double(pulse) * 125 / 6)) }
    for pulse in 1...480 { measurement.add(pulse: at(10_000 + Double(pulse) * 2500 / 126)) }
    let stretches = measurement.stretches()
    #expect(stretches.count == 2)
    #expect(abs(stretches[0].end - 10) < 0.05)
    let figures = try stretches.map { try #require($0.measurement.figures()) }
    #expect(abs(figures[0].tempo - 120) < 0.001)
    #expect(abs(figures[1].tempo - 126) < 0.001)
    #expect(figures.allSatisfy { $0.jitter.most < 50_000 })
    let text = ClockReport(measurement).text()
    #expect(text.contains("the tempo changed once"))
    #expect(text.contains("from 0.000 s to 10.0"))
  }

  @Test("jitter, faults and a slow drift are no steps")
  func noSteps() {
    var dice = Dice(state: 5)
    for jitter in [0.02, 0.5, 5] {
      let clock = measured(Array(0..<5000).filter { $0 % 701 != 700 }) { _ in
        jitter * (2 * dice.next() - 1)
      }
      #expect(clock.stretches().count == 1)
    }
  }

  @Test("an even clock has its tempo, no error and no jitter")
  func even() throws {
    let figures = try #require(measured(Array(0..<960)).figures())
    #expect(figures.pulses == 960)
    #expect(figures.lost == 0)
    #expect(figures.doubled == 0)
    #expect(abs(figures.tempo - 120) < 1e-6)
    #expect(abs(figures.tempoErrorPPM ?? 1) < 0.01)
    // Instants are whole nanoseconds.
    #expect(figures.jitter.most <= 1)
    #expect(abs(figures.intervals.p50 - 20_833_333) <= 1)
  }

  @Test("a pulse that is moved is jitter of that size, and its place in the order is right")
  func jitter() throws {
    let figures = try #require(
      measured(Array(0..<1000)) { $0 % 100 == 50 ? 1 : 0 }.figures())
    // Ten of a thousand by 1 ms: p99 is without them, p99.9 with; the line leans by 10 us at most.
    #expect(figures.jitter.p99 < 50_000)
    #expect(abs(figures.jitter.permille999 - 990_000) < 20_000)
    #expect(figures.lost == 0)
  }

  @Test("lost and doubled pulses are counted and do not bend the tempo")
  func faults() throws {
    var numbers = Array(0..<500).filter { $0 != 100 && $0 != 101 && $0 != 300 }
    numbers.insert(50, at: 51)
    let figures = try #require(
      measured(numbers).figures())
    #expect(figures.lost == 3)
    #expect(figures.doubled == 1)
    #expect(abs(figures.tempo - 120) < 1e-4)
  }

  @Test("another tempo than the nominal one is an error in parts per million")
  func error() throws {
    // 120 against 119.976: 0.024 / 119.976 = 200.04 ppm.
    let figures = try #require(measured(Array(0..<960), nominal: 119.976).figures())
    #expect(abs((figures.tempoErrorPPM ?? 0) - 200.04) < 0.01)
  }

  @Test("the clock's lateness against the click is told with its sign")
  func clicks() throws {
    var measurement = measured(Array(0..<960))
    for quarter in 0..<40 { measurement.add(click: at(Double(quarter) * 500 - 2)) }
    let offset = try #require(measurement.figures()?.clickOffset)
    #expect(abs(offset.p50 - 2_000_000) < 10)
  }

  @Test("the offset against the click holds across a change of tempo, and where pulses are missing")
  func clicksAcrossTempos() throws {
    // Two quarters of 24 pulses at 120 (500 ms), then two at 150 (400 ms); the clock is 0.3 ms late,
    // the pulse of the third click 1 ms more, and that of the fourth is lost: 400/24 ms off.
    var measurement = ClockMeasurement()
    for pulse in 0..<96 where pulse != 72 {
      let due = pulse < 48 ? Double(pulse) * 500 / 24 : 1000 + Double(pulse - 48) * 400 / 24
      measurement.add(pulse: at(due + 0.3 + (pulse == 48 ? 1 : 0)))
    }
    // The last two sound when no pulse comes any more, the first before any came.
    for click in [-500, 0, 500, 1000, 1400, 1900, 2300] as [Double] {
      measurement.add(click: at(click))
    }
    let offsets = measurement.clickOffsets
    #expect(offsets.map(\.pulse) == [0, 24, 48, 71])
    #expect(offsets.map(\.nanoseconds) == [300_000, 300_000, 1_300_000, -16_366_667])
  }

  @Test("text, table and picture tell of the clicks where there are any")
  func reportsClicks() {
    var measurement = measured(Array(0..<48))
    #expect(!ClockReport(measurement).text().contains("to click"))
    measurement.use(clicks: [at(-0.25), at(499.75)])
    let report = ClockReport(measurement)
    #expect(
      report.text().contains(
        "to click  min 250.0, p50 250.0, p99 250.0, p99.9 250.0, max 250.0 us"))
    #expect(report.text().contains("2 clicks"))
    let lines = report.csv().split(separator: "\n")
    #expect(lines[1] == "0,0.000000000,,250.000")
    #expect(lines[2].hasSuffix(","))
    #expect(lines[25] == "24,0.500000000,20.833333,250.000")
    #expect(report.svg().split(separator: "\n").filter { $0.hasPrefix("<circle") }.count == 2)
  }

  @Test("fewer than three pulses have no figures, and their report says so")
  func few() {
    #expect(measured([0, 1]).figures() == nil)
    #expect(ClockReport(measured([])).text().contains("0 pulses"))
    #expect(ClockReport(measured([])).svg().hasSuffix("</svg>\n"))
    var still = ClockMeasurement()
    for _ in 0..<10 { still.add(pulse: at(0)) }
    #expect(still.figures() == nil)
  }

  @Test("the table has a line for each pulse, and the text its figures")
  func reports() {
    let report = ClockReport(measured([0, 1, 2, 3]))
    #expect(
      report.csv() == """
        pulse,seconds,interval_ms,after_click_us
        0,0.000000000,,
        1,0.020833333,20.833333,
        2,0.041666667,20.833334,
        3,0.062500000,20.833333,

        """)
    let text = report.text()
    #expect(text.contains("pulses    4, lost 0, doubled 0"))
    #expect(text.contains("tempo     120.0000 quarter notes a minute, error 0.00 ppm"))
    #expect(report.svg().contains("4 pulses at 120.000 a minute"))
  }

  @Test(
    "decimals are rounded half away from zero",
    arguments: [
      (0.0, 2, "0.00"), (-0.001, 2, "0.00"), (1.005, 1, "1.0"), (-2.5, 0, "-3"), (0.05, 1, "0.1"),
      (Double.nan, 1, "-"), (1e300, 3, "-"),
    ])
  func decimals(value: Double, places: Int, text: String) {
    #expect(ClockReport.decimals(value, places) == text)
  }
}

@Suite struct Perturbation {
  @Test("faults come in the share asked for, never reorder, and are the same for the same seed")
  func shares() throws {
    var faults = try ClockPerturbation("jitter=5%,drop=1%,double=0.5%", seed: 7)
    var again = try ClockPerturbation("jitter=5%,drop=1%,double=0.5%", seed: 7)
    var sent: [MonotonicTime] = []
    var dropped = 0
    var doubled = 0
    for pulse in 0..<100_000 {
      let due = at(Double(pulse) * 20)
      let instants = faults.instants(of: due, intervalNanoseconds: 20_000_000)
      #expect(instants == again.instants(of: due, intervalNanoseconds: 20_000_000))
      if instants.isEmpty { dropped += 1 }
      if instants.count == 2 { doubled += 1 }
      // 5 % of 20 ms is 1 ms.
      if let first = instants.first { #expect(abs(first.nanoseconds(since: due)) <= 1_000_000) }
      sent += instants
    }
    // 1000 +- 5 sigma of 31.5; 0.5 % of the 99 % that are left is 495 +- 5 x 22.
    #expect(abs(dropped - 1000) < 158)
    #expect(abs(doubled - 495) < 111)
    #expect(zip(sent.dropFirst(), sent).allSatisfy { $0 > $1 })
  }

  @Test("without faults every pulse leaves at its instant")
  func none() {
    var faults = ClockPerturbation()
    #expect(faults.instants(of: at(5), intervalNanoseconds: 20_000_000) == [at(5)])
  }

  @Test("a test port has its faults, and FA still comes before its first pulse")
  func port() {
    var run = Run()
    run.start(at: 9600, known: 0)
    run.pulses(0..<1000, from: 9600)
    var port = SimulatedPort(MIDIPortConfiguration(name: "A"))
    port.stream.perturbation = ClockPerturbation(jitter: 0.05, drop: 0.1, seed: 3)
    port.play(run.ordered, until: 30_000)
    // 1000 +- 5 sigma of 9.5.
    #expect(abs(port.clockTimes.count - 900) < 48)
    #expect(port.sent.first?.message == .start)
    #expect(gaps(port.clockTimes).contains { $0 % 20_833 > 100 })
  }

  @Test(
    "what cannot be read is refused with what may be",
    arguments: [
      "", "jitter", "jitter=5", "jitter=46%", "drop=-1%", "drop=x%", "warble=1%", "drop=nan%",
      "drop=1%,",
    ])
  func malformed(text: String) {
    #expect(throws: ClockPerturbation.Problem(text: text)) { try ClockPerturbation(text) }
  }
}
