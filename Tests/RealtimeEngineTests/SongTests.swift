import MetronomeModel
import MusicalTime
import Testing

@testable import RealtimeEngine

/// A song that lives as long as the bench that plays it.
final class Song: @unchecked Sendable {
  let reference: ScoreReference
  private let sections: UnsafeMutablePointer<EngineSection>
  private let tempos: UnsafeMutablePointer<Tempo>

  init(_ list: [EngineSection], tempos values: [Double] = [], identifier: Int32 = 1) {
    sections = UnsafeMutablePointer<EngineSection>.allocate(capacity: list.count)
    sections.initialize(from: list, count: list.count)
    tempos = UnsafeMutablePointer<Tempo>.allocate(capacity: values.count + 1)
    tempos.initialize(repeating: Tempo(120)!, count: values.count + 1)
    for (index, value) in values.enumerated() { tempos[index] = Tempo(value)! }
    reference = ScoreReference(
      identifier: identifier, sections: sections, sectionCount: Int32(list.count), tempos: tempos,
      tempoCount: Int32(values.count))
  }

  deinit {
    sections.deallocate()
    tempos.deallocate()
  }

  static func section(
    bars: Int32, meter: String = "4/4", _ tempo: EngineSection.TempoCourse, firstBar: Int32,
    firstQuarter: Int64, next: Int32, gain: Float = 1
  ) -> EngineSection {
    let parsed = (try? Meter(text: meter)) ?? .common
    return EngineSection(
      barCount: bars, meter: parsed, pattern: .standard(for: parsed), tempo: tempo, gain: gain,
      firstBar: firstBar,
      firstTick: ScorePosition(ticks: firstQuarter * ScorePosition.ticksPerQuarter), next: next)
  }
}

@Suite struct SongTests {
  /// 2 bars of 4/4 at 120; a bar of 3/4 from 120 to 60; 2 bars of 2/4 at 100 and 150 in turn.
  static func song() -> Song {
    Song(
      [
        Song.section(bars: 2, .constant(Tempo(120)!), firstBar: 0, firstQuarter: 0, next: 1),
        Song.section(
          bars: 1, meter: "3/4", .ramp(from: Tempo(120)!, to: Tempo(60)!), firstBar: 2,
          firstQuarter: 8,
          next: 2),
        Song.section(
          bars: 2, meter: "2/4", .perBeat(first: 0, count: 2), firstBar: 3, firstQuarter: 11,
          next: -1),
      ], tempos: [100, 150])
  }

  /// The ramp: t(q) = -3 ln(1 - q/6) s: 26254.304, 58386.976 and 99813.194 frames after 201600.
  static let beats: [Int64] =
    (0..<8).map { 9_600 + 24_000 * $0 } + [
      201_600, 227_854, 259_987, 301_413, 330_213, 349_413, 378_213,
    ]
  static let end: Int64 = 397_413

  @Test func `a song walks its sections and stops at its end`() {
    let song = Self.song()
    let bench = EngineBench(tempo: 77)
    bench.keepsSamples = false
    bench.send(.score(song.reference))
    bench.start()
    bench.run(to: 600_000)
    #expect(bench.beatFrames == Self.beats)
    #expect(bench.sections.map(\.index) == [0, 1, 2, -1])
    #expect(bench.sections.map(\.frame.value) == [9_600, 201_600, 301_413, Self.end])
    #expect(bench.stops.map(\.frame.value) == [Self.end])
    // 8 + 3 + 4 quarters of 24 pulses.
    #expect(bench.stops.first?.nextPulse == 360)
    #expect(bench.pulses.map(\.number) == Array(0..<360))
    #expect(bench.pulses.map(\.songPulse) == Array(0..<360))
    #expect(bench.jumps.isEmpty)
    #expect(bench.beats.map(\.bar) == [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 3, 3, 4, 4])
    #expect(bench.meters.map { Int($0.meter.beatCount) } == [4, 3, 2])
  }

  /// With a clock that always runs, free pulses follow the end without a break and in time.
  @Test func `free pulses go on from the end of a song`() {
    let song = Self.song()
    let bench = EngineBench(tempo: 77)
    bench.keepsSamples = false
    bench.send(.freeClock(true))
    bench.send(.score(song.reference))
    bench.start(at: 20_000)
    bench.run(to: 700_000, periods: [480])
    let end = bench.stops[0].frame.value
    let after = bench.pulses.filter { $0.flags.contains(.free) && $0.frame.value >= end }
    #expect(after.first?.frame.value == end)
    for (one, other) in zip(after, after.dropFirst()) {
      // 150 a minute: 800 frames a pulse.
      #expect((other.frame - one.frame).value == 800)
    }
    for (fact, announced) in zip(bench.facts, bench.announcedBy) {
      guard case .pulse(let pulse) = fact, pulse.frame.value >= end else { continue }
      // A horizon of 4800 ahead, less the block in which that frame was reached.
      #expect(pulse.frame.value >= announced + 4_800 - 480)
    }
  }

  /// The count-in takes the first section's meter and tempo.
  @Test func `a song is counted in at its own tempo`() {
    let song = Song([
      Song.section(
        bars: 1, meter: "3/4", .constant(Tempo(60)!), firstBar: 0, firstQuarter: 0, next: -1)
    ])
    let bench = EngineBench()
    bench.keepsSamples = false
    bench.send(.score(song.reference))
    bench.start(countIn: 1)
    bench.run(to: 500_000)
    #expect(bench.beatFrames == (0..<6).map { 9_600 + 48_000 * $0 })
    #expect(bench.beats.map(\.bar) == [-1, -1, -1, 0, 0, 0])
    #expect(bench.sections.map(\.frame.value) == [153_600, 297_600])
  }

  /// A section that is its own next: the song position goes back, pulses run on.
  @Test func `a loop jumps back in the song while pulses run on`() {
    let song = Song([
      Song.section(bars: 2, .constant(Tempo(120)!), firstBar: 0, firstQuarter: 0, next: 0)
    ])
    let bench = EngineBench()
    bench.keepsSamples = false
    bench.send(.score(song.reference))
    bench.start()
    bench.run(to: 700_000)
    #expect(bench.beatFrames == (0..<bench.beats.count).map { 9_600 + 24_000 * Int64($0) })
    #expect(bench.beats.prefix(20).map(\.bar) == (0..<20).map { Int32($0 / 4 % 2) })
    #expect(bench.jumps.map(\.frame.value) == [201_600, 393_600, 585_600])
    #expect(bench.jumps.map(\.number) == [192, 384, 576])
    #expect(bench.jumps.allSatisfy { $0.songPulse == 0 })
    #expect(bench.pulses.map(\.songPulse) == bench.pulses.map { $0.number % 192 })
  }

  @Test func `an endless section goes on until a jump, which lands on the next bar line`() {
    let song = Song([
      Song.section(bars: 0, .constant(Tempo(120)!), firstBar: 0, firstQuarter: 0, next: -1),
      Song.section(
        bars: 1, meter: "3/4", .constant(Tempo(240)!), firstBar: 8, firstQuarter: 32, next: -1),
    ])
    let bench = EngineBench()
    bench.keepsSamples = false
    bench.send(.score(song.reference))
    bench.start()
    bench.send(.jump(section: 1), at: 420_000, id: 1)
    bench.send(.jump(section: 2), at: 420_000, id: 2)
    bench.run(to: 700_000)
    // Bar lines at 9600 + 96000 n.
    #expect(bench.effective(1) == 489_600)
    #expect(bench.refusal(2) == .outOfRange)
    #expect(bench.jumps.map(\.frame.value) == [489_600])
    #expect(bench.jumps.first?.songPulse == 768)
    #expect(bench.stops.map(\.frame.value) == [489_600 + 36_000])
    #expect(bench.beats.last?.bar == 8)
  }

  @Test func `a jump without a song is refused`() {
    let bench = EngineBench()
    bench.send(.jump(section: 0), id: 1)
    bench.run(to: 100)
    #expect(bench.refusal(1) == .noScore)
  }

  /// Continue resumes exactly there also where Stop took back a section, its ramp or its tempos.
  @Test(
    arguments: [
      100, 100_000, 197_000, 200_000, 201_599, 201_600, 203_000, 240_000, 297_000, 301_413, 326_000,
      330_000, 349_000, 377_000, 396_900,
    ] as [Int64])
  func `stop and continue cut nothing out of a song`(stop: Int64) {
    let song = Self.song()
    let plain = EngineBench(tempo: 77)
    let paused = EngineBench(tempo: 77)
    for bench in [plain, paused] {
      bench.keepsSamples = false
      bench.send(.score(song.reference))
      bench.start()
      if bench === paused {
        bench.send(.stop, at: stop)
        bench.send(.resume, at: stop + 50_000)
      }
      bench.run(to: 600_000)
    }
    let number = Int(paused.stops[0].nextPulse)
    let places = plain.pulses.map(\.frame.value)
    let shift = stop + 50_000 + 9_600 - (number < places.count ? places[number] : Self.end)
    let pulses = paused.validPulses
    #expect(pulses.map(\.number) == Array(0..<360))
    for pulse in pulses {
      let index = Int(pulse.number)
      let expected = places[index] + (index < number ? 0 : shift)
      #expect(abs(pulse.frame.value - expected) <= 1, "pulse \(index)")
    }
    #expect(paused.validBeats.map(\.bar) == plain.beats.map(\.bar))
    #expect(abs(paused.stops.last!.frame.value - (Self.end + shift)) <= 1)
  }

  /// Bar 3 of the song is the ramp; its third quarter lies after 2 of 3: from there 41426.2 frames
  /// to the end of the bar (99813.194 - 58386.976).
  @Test func `locate takes the song's tempo at that place`() {
    let song = Self.song()
    let bench = EngineBench(tempo: 77)
    bench.keepsSamples = false
    bench.send(.score(song.reference))
    bench.send(.locate(bar: 2, beat: 2))
    bench.send(.resume)
    bench.run(to: 300_000)
    #expect(bench.beatFrames.prefix(2) == [9_600, 51_026])
    #expect(bench.continues.first?.songPulse == 240)
    let constant = EngineBench(tempo: 77)
    constant.keepsSamples = false
    constant.send(.score(song.reference))
    constant.send(.locate(bar: 1, beat: 3))
    constant.send(.resume)
    constant.run(to: 300_000)
    #expect(constant.beatFrames.prefix(2) == [9_600, 33_600])
    #expect(constant.beats[1].bar == 2)
  }

  @Test func `a new song begins at the next bar line and the old one is retired`() {
    let song = Self.song()
    let other = Song(
      [
        Song.section(
          bars: 1, meter: "2/4", .constant(Tempo(60)!), firstBar: 0, firstQuarter: 0, next: -1)
      ],
      identifier: 2)
    let bench = EngineBench()
    bench.keepsSamples = false
    bench.send(.score(song.reference))
    bench.start()
    bench.send(.score(other.reference), at: 50_000, id: 1)
    bench.run(to: 400_000)
    #expect(bench.effective(1) == 105_600)
    #expect(bench.beatFrames == [9_600, 33_600, 57_600, 81_600, 105_600, 153_600])
    #expect(bench.stops.map(\.frame.value) == [201_600])
    let retired = bench.facts.compactMap {
      if case .retiredScore(let identifier) = $0 { identifier } else { nil }
    }
    #expect(retired == [1])
  }
}
