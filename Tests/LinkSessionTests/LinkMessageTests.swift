import LinkSession
import MetronomeModel
import MusicalTime
import Testing

@Suite struct LinkMessageTests {
  @Test func `every message is read as it was written, in 64 bytes`() throws {
    let beat = try #require(
      LinkBeat(
        at: MonotonicTime(nanoseconds: 123_456_789_012), phase: 3.5, quantum: 4,
        quarterMicroseconds: 452_830, claim: [.tempo, .phase, .leads]))
    let orders: [LinkOrder] = [
      .settings(
        LinkOrder.Settings(sharesPlaying: true, quantum: 3.5, quarterMicroseconds: 500_000)),
      .beat(beat), .cancel, .tempo(quarterMicroseconds: 60_060, .whileAlone),
      .playing(true, at: MonotonicTime(nanoseconds: -5)),
    ]
    for order in orders {
      #expect(order.message.bytes.count == 64)
      let words = try #require(LinkWords(bytes: order.message.bytes))
      #expect(LinkOrder(words) == order)
      #expect(LinkReport(words) == nil)
    }
    let reports: [LinkReport] = [
      .session(
        LinkView(
          at: MonotonicTime(nanoseconds: 7), quarterMicroseconds: 3_000_000,
          bar: MonotonicTime(nanoseconds: -12_000), quantum: 4, peers: 5, isPlaying: true,
          playingChanged: MonotonicTime(nanoseconds: 99))),
      .putBack(
        LinkTakeOver(
          foundMicroseconds: 600_000, keptMicroseconds: 500_000, phaseErrorMicroseconds: -3_000)),
    ]
    for report in reports {
      let words = try #require(LinkWords(bytes: report.message.bytes))
      #expect(LinkReport(words) == report)
      #expect(LinkOrder(words) == nil)
    }
  }

  @Test func `what no session can carry is no message`() throws {
    func beat(_ phase: Double, _ quantum: Double, _ length: Int64) -> LinkBeat? {
      LinkBeat(
        at: MonotonicTime(nanoseconds: 0), phase: phase, quantum: quantum,
        quarterMicroseconds: length, claim: .tempo)
    }
    #expect(beat(0, 4, 60_059) == nil && beat(0, 4, 3_000_001) == nil)
    #expect(beat(4, 4, 500_000) == nil && beat(-0.1, 4, 500_000) == nil)
    #expect(beat(0, 0, 500_000) == nil && beat(.nan, 4, 500_000) == nil)
    #expect(beat(0, .nan, 500_000) == nil && beat(0, .infinity, 500_000) == nil)
  }

  @Test func `random bytes make no value outside its range and never trap`() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<20_000 {
      var bytes = (0..<64).map { _ in UInt8.random(in: 0...255, using: &random) }
      // The version and one of the kinds, or nothing would get past the first word.
      let kinds: [UInt8] = [1, 2, 3, 4, 5, 101, 102]
      bytes.replaceSubrange(
        0..<8, with: [kinds.randomElement(using: &random) ?? 1, 1, 0, 0, 0, 0, 0, 0])
      guard let words = LinkWords(bytes: bytes) else {
        Issue.record("64 bytes of this version are a message")
        return
      }
      if case .beat(let beat) = LinkOrder(words) {
        #expect(LinkBeat.lengths.contains(beat.quarterMicroseconds))
        #expect(LinkBeat.quanta.contains(beat.quantum))
      }
      if case .session(let view) = LinkReport(words) {
        #expect(LinkBeat.lengths.contains(view.quarterMicroseconds) && view.peers >= 0)
      }
    }
    #expect(LinkWords(bytes: []) == nil)
    #expect(LinkWords(bytes: Array(repeating: 1, count: 63)) == nil)
    #expect(LinkWords(bytes: Array(repeating: 0, count: 64)) == nil)
  }

  @Test(
    "a tempo is carried in whole microseconds, doubled or fourfold under 20 a minute",
    arguments: [
      // 60 000 000 over the tempo, over the factor.
      (132_500, 452_830, 1), (20_000, 3_000_000, 1), (19_999, 1_500_075, 2),
      (10_000, 3_000_000, 2), (9_500, 1_578_947, 4), (5_000, 3_000_000, 4), (999_000, 60_060, 1),
    ] as [(Int32, Int64, Int64)])
  func multiples(thousandths: Int32, microseconds: Int64, factor: Int64) throws {
    let tempo = try #require(Tempo(thousandths: Int64(thousandths)))
    let multiple = LinkMultiple(tempo)
    #expect(multiple.quarterMicroseconds == microseconds)
    #expect(multiple.factor == factor)
    #expect(LinkMultiple(quarterThousandths: thousandths) == multiple)
  }
}
