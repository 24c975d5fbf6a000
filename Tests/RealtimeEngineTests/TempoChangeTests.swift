import MetronomeModel
import MusicalTime
import Testing
import ThreadCrossing

@testable import RealtimeEngine

@Suite struct TempoChangeTests {
  /// Tempos in thousandths from 5 to 999, few enough for one common denominator.
  static func tempoPool(_ numbers: inout SeededNumbers) -> [UInt64] {
    var pool: Set<UInt64> = [5_000, 999_000, 99_950, 113_125]
    while pool.count < 32 { pool.insert(UInt64.random(in: 5_000...999_000, using: &numbers)) }
    return pool.sorted()
  }

  /// Each change is asked for at a random frame and lands on a boundary of its kind; from there the
  /// pulses lie at place + k x 2500 x rate / thousandths exactly, summed over all changes.
  @Test(
    arguments: [
      (44_100, 1), (48_000, 2), (88_200, 3), (96_000, 4), (192_000, 5),
    ] as [(Int64, UInt64)])
  func `ten thousand random changes of tempo are exact`(rate: Int64, seed: UInt64) {
    var numbers = SeededNumbers(seed: seed)
    let pool = Self.tempoPool(&numbers)
    let bench = EngineBench(rate: rate)
    bench.keepsSamples = false
    bench.send(.tempo(Tempo(thousandths: Int64(pool[16]))!, .beat))
    bench.start()
    let kinds: [ChangeBoundary] = [.now, .now, .beat, .beat, .bar]
    // 2000 changes at each rate: 10 000 in all.
    var frame: Int64 = rate
    for change in 1...2_000 {
      let next = pool.randomElement(using: &numbers)!
      bench.send(
        .tempo(Tempo(thousandths: Int64(next))!, kinds.randomElement(using: &numbers)!),
        at: frame, id: UInt32(change))
      frame += Int64.random(in: 1...rate / 5, using: &numbers)
      while bench.engine.now.value < frame {
        bench.skip(to: min(frame, bench.engine.now.value + 40_000))
      }
    }
    let tempoAt = Dictionary(
      bench.tempos.map { ($0.frame.value, UInt64($0.tempo.thousandths)) }
    ) { _, later in later }
    var timeline = ExactTimeline(rate: rate, start: rate / 5, quarterThousandths: Set(pool))
    var tempo = pool[16]
    var landed = 0
    for (index, pulse) in bench.pulses.enumerated() {
      guard pulse.number == Int64(index), timeline.isNearest(pulse.frame.value) else {
        Issue.record("pulse \(index) at \(pulse.frame.value)")
        return
      }
      if let next = tempoAt[pulse.frame.value] {
        tempo = next
        landed += 1
      }
      timeline.advance(pulses: 1, at: tempo)
    }
    // Every landing is on a pulse, and requests overtaken before their boundary are few enough.
    let rolling = bench.tempos.filter { $0.frame.value > rate / 5 }
    #expect(Set(rolling.map(\.frame.value)).isSubset(of: Set(bench.pulses.map(\.frame.value))))
    #expect(landed > 800)
  }

  /// No click interval is a mixture: with `beat` and `bar` each beat interval is that of one tempo.
  @Test func `with beat and bar every interval between clicks belongs to one tempo`() {
    var numbers = SeededNumbers(seed: 77)
    let bench = EngineBench()
    bench.keepsSamples = false
    bench.send(.subdivision(Subdivision(unchecked: 3, level: .soft, swing: .straight)))
    bench.start()
    let tempos: [Int64] = [120_000, 97_310, 233_700, 61_001, 300_000]
    var frame: Int64 = 20_000
    for change in 0..<300 {
      bench.send(
        .tempo(
          Tempo(thousandths: tempos[change % 5])!, Bool.random(using: &numbers) ? .beat : .bar),
        at: frame)
      frame += Int64.random(in: 1_000...30_000, using: &numbers)
    }
    bench.skip(to: frame)
    let allowed = tempos.flatMap { t -> [Int64] in
      // A third of a quarter at 48 kHz: 960 000 000 / t frames, cut or completed by rounding.
      let floor = 960_000_000 / t
      return [floor, floor + 1]
    }
    for (one, other) in zip(bench.clicks, bench.clicks.dropFirst()) {
      let gap = other.frame.value - one.frame.value
      #expect(allowed.contains(gap), "\(gap) frames from \(one.frame.value)")
    }
    #expect(bench.clicks.count > 500)
  }

  /// 24 h at 48 kHz are 4 147 200 000 frames. At 113.125 a pulse lasts 48000 x 2500 / 113125 =
  /// 192000 / 181 frames; pulse n is due at 9600 + 192000 n / 181, rounded half up.
  @Test func `after a simulated day every pulse is on its frame and none is missing`() {
    let bench = EngineBench(tempo: 113.125)
    bench.keepsSamples = false
    // Walked in strides of ten minutes; the wide horizon changes nothing.
    bench.start()
    bench.send(.meter(try! Meter(4, 4), .standard(for: .common)))
    var number: Int64 = 0
    let day: Int64 = 24 * 3600 * 48_000
    while bench.engine.now.value < day {
      bench.engine.skip(frameCount: 48_000 * 30)
      while let fact = bench.queues.events.pop() {
        guard case .pulse(let pulse) = fact else { continue }
        let due = 9_600 + (2 * 192_000 * number + 181) / (2 * 181)
        guard pulse.number == number, pulse.frame.value == due else {
          Issue.record("pulse \(number)")
          return
        }
        number += 1
      }
      while bench.queues.clockEvents.pop() != nil {}
    }
    #expect(bench.queues.events.refused == 0)
    // floor((day + horizon 4800 - 9600) x 181 / 192000) + 1 pulses are due by then, all within one
    // beat of the horizon's end: 24 pulses at most are still held back by the beat before them.
    let due = (day - 9_600) * 181 / 192_000 + 1
    #expect((due...due + 5).contains(number))
  }

  /// 400 a minute at 44.1 kHz: 6615 frames a beat, 275.625 a pulse, so pulse 4 of each eight lies
  /// on a tie: 4 x 275.625 = 1102.5.
  @Test func `a tie is rounded half up`() {
    let bench = EngineBench(rate: 44_100, tempo: 400)
    bench.start()
    bench.run(to: 60_000)
    let origin: Int64 = 8_820
    for (n, pulse) in bench.pulses.enumerated() {
      // floor(n x 2205 / 8 + 1/2)
      #expect(pulse.frame.value == origin + (Int64(n) * 2205 + 4) / 8)
    }
    #expect(bench.pulses[4].frame.value == origin + 1103)
  }

  /// `72` at `1/4.` is 108 quarters a minute; the unit never changes the grid.
  @Test(
    arguments: [
      (72_000, 4, true, 108_000), (60_000, 8, false, 30_000), (40_000, 2, false, 80_000),
      (66_667, 4, true, 100_001), (90_001, 8, true, 67_501), (10_000, 32, true, 1_875 * 1),
    ] as [(Int64, Int, Bool, Int32)])
  func `a tempo in another unit makes the grid of its quarter tempo`(
    thousandths: Int64, written: Int, dotted: Bool, quarter: Int32
  ) throws {
    let unit = try #require(NoteValue(written, dotted: dotted))
    guard let tempo = Tempo(thousandths: thousandths, unit: unit) else {
      // 10 at 1/32. is 1.875 quarters a minute: refused.
      #expect(quarter < 5_000)
      return
    }
    let bench = EngineBench()
    bench.send(.tempo(tempo, .beat))
    bench.start()
    bench.run(to: 400_000, periods: [1024])
    // quarters a minute = thousandths x (4 or 12) / (denominator or twice it) / 1000.
    let numerator = thousandths * (dotted ? 12 : 4)
    let denominator = Int64(written) * (dotted ? 2 : 1)
    for (n, beat) in bench.beats.enumerated() {
      // 9600 + n x 60000 x 48000 x denominator / numerator
      let span = 2_880_000_000 * denominator * Int64(n)
      #expect(beat.frame.value == 9_600 + (2 * span + numerator) / (2 * numerator))
      #expect(beat.quarterThousandths == quarter)
    }
    #expect(bench.beats.count > 2)
  }
}
