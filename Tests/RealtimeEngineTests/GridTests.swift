import MetronomeModel
import MusicalTime
import Testing

@testable import RealtimeEngine

@Suite struct GridTests {
  @Test("every fact but a pulse is news, so that nobody need wake for pulses")
  func news() {
    let bench = EngineBench()
    bench.start()
    bench.run(to: 96_000)
    let others = bench.facts.filter {
      if case .pulse = $0 { return false }
      return true
    }
    #expect(others.count > 4)
    #expect(bench.facts.count > others.count + 40)
    #expect(bench.queues.news == others.count)
  }

  static let tempos: [Double] = [5, 60, 99.95, 113.125, 120, 158, 280, 300, 400, 999]

  /// Beat n lies at the lead-in plus n x 60 x rate / tempo, rounded half up:
  /// floor((2 x n x 60000 x rate + thousandths) / (2 x thousandths)).
  @Test(arguments: [44_100, 48_000, 96_000] as [Int64], tempos)
  func `beat n lies on its exact frame rounded half up`(rate: Int64, tempo: Double) {
    let bench = EngineBench(rate: rate, tempo: tempo)
    bench.send(.start(countInBars: 0, beatOne: .distantPast))
    bench.run(to: rate * 20, periods: [1024])
    let thousandths = Int64((tempo * 1000).rounded())
    let first = rate / 5
    #expect(bench.beats.count >= 2)
    for (n, beat) in bench.beats.enumerated() {
      let exact = (2 * Int64(n) * 60_000 * rate + thousandths) / (2 * thousandths)
      #expect(beat.frame.value == first + exact, "beat \(n)")
    }
    for pulse in bench.pulses {
      let n = pulse.number
      let exact = (2 * n * 60_000 * rate + 24 * thousandths) / (48 * thousandths)
      #expect(pulse.frame.value == first + exact, "pulse \(n)")
      // Frame and fraction together are the exact place, to the 2^-32 they are counted in.
      let scaled = ((Int128(n) * 60_000 * Int128(rate)) << 32) / Int128(24 * thousandths)
      let reported = (Int128(pulse.frame.value - first) << 32) + Int128(pulse.fraction)
      #expect(abs(reported - scaled) <= 1, "pulse \(n)")
    }
  }

  @Test func `the same facts and samples come out whatever the period`() {
    var reference: ([String], [Float])?
    for periods in [[1024], [1], [64], [441], [7, 1024, 1, 333]] {
      let bench = EngineBench(tempo: 137.5)
      bench.useUnitSamples()
      bench.send(.start(countInBars: 1, beatOne: .distantPast), at: 1000)
      bench.send(.subdivision(Subdivision(unchecked: 3, level: .soft, swing: .straight)), at: 1001)
      bench.send(.tempo(Tempo(150.25)!, .beat), at: 60_000, id: 1)
      bench.send(.tempo(Tempo(90)!, .now), at: 110_001, id: 2)
      bench.send(.mute(true), at: 150_000)
      bench.send(.mute(false), at: 170_000)
      bench.send(.stop, at: 250_000)
      bench.send(.resume, at: 255_000)
      bench.run(to: 400_000, periods: periods)
      let facts = bench.facts.map { "\($0)" }
      if let (otherFacts, otherSamples) = reference {
        #expect(facts == otherFacts)
        #expect(bench.samples == otherSamples)
      } else {
        reference = (facts, bench.samples)
      }
    }
  }

  @Test func `a tempo asked for a commit span before a beat lands on that beat`() {
    let bench = EngineBench()
    bench.send(.start(countInBars: 0, beatOne: .distantPast))
    // Beats at 9600 + 24000 n. C is 960 frames: asked at 33600 - 961 it lands on 33600.
    bench.send(.tempo(Tempo(240)!, .beat), at: 33_600 - 961, id: 7)
    bench.run(to: 100_000, periods: [64])
    #expect(bench.effective(7) == 33_600)
    #expect(
      bench.beats.prefix(4).map(\.frame.value) == [9_600, 33_600, 45_600, 57_600])
  }

  @Test func `stop voids what is due at or after it and continue resumes there`() {
    let bench = EngineBench()
    bench.send(.start(countInBars: 0, beatOne: .distantPast))
    bench.send(.stop, at: 40_000)
    bench.send(.resume, at: 50_000)
    bench.run(to: 120_000, periods: [64])
    // Pulses lie 1000 frames apart from 9600: the first at or after 40000 is number 31 at 40600.
    #expect(bench.stops.first?.nextPulse == 31)
    let resumed = bench.facts.compactMap { fact -> ContinueEvent? in
      if case .continued(let event) = fact { event } else { nil }
    }
    #expect(resumed.first?.firstPulse == 31)
    #expect(resumed.first?.frame.value == 59_600)
    // Beat two of the bar is pulse 48, 17 pulses after number 31.
    #expect(bench.beats.contains { $0.frame.value == 59_600 + 17_000 && $0.beat == 2 })
  }
}
