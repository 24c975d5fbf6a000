import Testing

@testable import TactusDaemon

@Suite("How loud the sweeps are")
struct SweepRaiseTests {
  @Test("the first is 30 dB down, each next one 6 dB louder until one is heard")
  func raise() {
    for heardAt in 1...5 {
      var raise = SweepRaise()
      var levels: [Double] = []
      for slot in 0..<20 {
        if slot > 0, !raise.isDone { raise.judge(isHeard: slot >= heardAt) }
        levels.append(raise.next(slot: slot))
      }
      let counted = -30 + 6 * Double(heardAt)
      #expect(raise.count == heardAt)
      let rising: [Double] = (0..<heardAt).map { Double(6 * $0 - 30) }
      #expect(Array(levels.prefix(heardAt)) == rising)
      #expect(levels.dropFirst(heardAt).allSatisfy { $0 == counted })
    }
  }

  @Test("what nobody hears ends at the loudest, and never above it")
  func deaf() {
    var raise = SweepRaise()
    var levels: [Double] = []
    for slot in 0..<20 {
      if slot > 0, !raise.isDone { raise.judge(isHeard: false) }
      levels.append(raise.next(slot: slot))
    }
    #expect(raise.count == 5 && levels.max() == 0)
  }
}
