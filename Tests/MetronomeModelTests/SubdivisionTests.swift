import MetronomeModel
import MusicalTime
import Testing

@Suite struct SubdivisionTests {
  /// Every beat unit from a whole note to a thirty-second, dotted or not, cut into 1 to 9: the
  /// parts are whole ticks and together make the beat.
  @Test func `every cut of every beat is exact`() throws {
    for written in [1, 2, 4, 8, 16, 32] {
      for dotted in [false, true] {
        let beat = try #require(NoteValue(written, dotted: dotted)).length
        for count in 1...9 {
          let cut = Subdivision(unchecked: UInt8(count), level: .soft, swing: .straight)
          for index in 0..<count {
            let offset = cut.offset(of: index, beatLength: beat)
            #expect(offset.ticks * Int64(count) == beat.ticks * Int64(index))
          }
        }
      }
    }
  }

  /// The first of a pair takes numerator / denominator of it, without a remainder. The shortest
  /// dotted beat is that of 3/32., a dotted sixteenth.
  @Test func `every swing share of every pair is exact`() throws {
    for written in [1, 4, 16, 32] {
      for dotted in written == 32 ? [false] : [false, true] {
        let beat = try #require(NoteValue(written, dotted: dotted)).length
        for count in [2, 4, 6, 8] {
          for swing in [5_000, 5_001, 5_833, 6_667, 7_500].map({ Swing.percentHundredths($0) })
            + [.triplet]
          {
            let cut = Subdivision(unchecked: UInt8(count), level: .soft, swing: swing)
            let pair = beat.ticks * 2 / Int64(count)
            for index in stride(from: 1, to: count, by: 2) {
              let start = cut.offset(of: index - 1, beatLength: beat)
              let late = cut.offset(of: index, beatLength: beat)
              #expect(start.ticks == pair * Int64(index / 2))
              #expect((late.ticks - start.ticks) * swing.denominator == pair * swing.numerator)
            }
          }
        }
      }
    }
  }

  @Test func `swing is active on even cuts only and not when it is straight`() {
    for count in UInt8(1)...9 {
      let swung = Subdivision(unchecked: count, level: .soft, swing: .percentHundredths(5_800))
      #expect(swung.swingIsActive == (count % 2 == 0))
      #expect(!Subdivision(unchecked: count, level: .soft, swing: .straight).swingIsActive)
    }
    #expect(Swing.triplet.percent > 66.666 && Swing.triplet.percent < 66.667)
  }
}
