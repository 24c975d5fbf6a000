import MetronomeModel
import MusicalTime
import Testing

@Suite struct SpeedTrainerTests {
  /// n = ceil(|to - from| / step) + 1, the last level clamped to the target.
  @Test(
    arguments: [
      (100_000, 120_000, 5_000, 5), (100_000, 121_000, 5_000, 6), (120_000, 100_000, 7_000, 4),
      (100_000, 101_000, 50_000, 2), (60_000, 60_001, 1, 2), (5_000, 999_000, 1, 994_001),
    ] as [(Int64, Int64, Int32, Int64)])
  func `levels go by the step and end at the target`(
    from: Int64, to: Int64, step: Int32, count: Int64
  ) throws {
    let trainer = SpeedTrainer(
      unchecked: try #require(Tempo(thousandths: from)), to: try #require(Tempo(thousandths: to)),
      stepThousandths: step, share: .barsPerLevel(1), end: .hold)
    #expect(trainer.levelCount == count)
    #expect(trainer.tempo(level: 0).thousandths == Int32(from))
    #expect(trainer.tempo(level: count - 1).thousandths == Int32(to))
    #expect(trainer.tempo(level: count + 5).thousandths == Int32(to))
    let direction: Int64 = to > from ? 1 : -1
    #expect(
      Int64(trainer.tempo(level: count - 2).thousandths) == from + direction * Int64(step)
        * (count - 2))
  }
}
