import MusicalTime
import Testing

@testable import ALSASequencer

/// Leaders of many kinds, and how near our pulses are to theirs.
@Suite struct FollowingALeader {
  private static func follow(
    seconds: Double, jitter: Double = 0, seed: UInt64 = 1,
    shift: @escaping (Double) -> Double = { _ in 0 },
    isDropped: @escaping (Int) -> Bool = { _ in false }, tempo: @escaping (Double) -> Double
  ) -> SimulatedFollower {
    var simulation = SimulatedFollower(
      tempo: tempo, jitter: jitter, isDropped: isDropped, shift: shift, seed: seed)
    simulation.run(seconds: seconds)
    return simulation
  }

  struct Step: Sendable, CustomTestStringConvertible {
    var from, to, jitter: Double
    var testDescription: String { "\(from) to \(to), jitter \(jitter) ms" }
    /// Two seconds, or a bar of four where that is longer.
    var allowed: Double { max(2, 240 / to) }
  }

  static let steps = [
    Step(from: 120, to: 126, jitter: 0), Step(from: 120, to: 123, jitter: 0.3),
    Step(from: 140, to: 100, jitter: 0), Step(from: 100, to: 140, jitter: 0),
    Step(from: 120, to: 121, jitter: 0.3), Step(from: 120, to: 119, jitter: 0.1),
    Step(from: 240, to: 200, jitter: 0.1), Step(from: 90, to: 96, jitter: 0.3),
    Step(from: 60, to: 66, jitter: 0), Step(from: 180, to: 150, jitter: 0.5),
  ]

  @Test(
    "after a step of tempo our pulses are within 1 ms in 2 s or a bar, and come from one side",
    arguments: steps, [1, 2, 3] as [UInt64])
  func step(_ step: Step, seed: UInt64) {
    let run = Self.follow(seconds: 30, jitter: step.jitter, seed: seed) {
      $0 < 12 ? step.from : step.to
    }
    #expect(abs(run.worst(after: 8, until: 12)) < 1)
    #expect(run.settled(within: 1, after: 12) <= step.allowed)
    #expect(run.past(after: 12) <= 1)
    #expect(abs(run.follower.tempo - step.to) < step.to * 0.001)
  }

  @Test("half and double tempo are followed, not taken for lost and doubled pulses")
  func octaves() {
    for (from, to) in [(120.0, 60.0), (60, 120), (80, 160)] {
      let run = Self.follow(seconds: 40) { $0 < 12 ? from : to }
      #expect(abs(run.follower.tempo - to) < to * 0.001)
      #expect(run.follower.missedPulses == 0)
      #expect(run.follower.doubledPulses == 0)
      // Up to three tenths of a second at twice the tempo, made up for by a tenth at the most.
      #expect(run.settled(within: 1, after: 12) < 8)
      #expect(run.past(after: 12) <= 1)
    }
  }

  @Test(
    "an even leader is followed within 1.5 ms for ten minutes, by 0.05 a minute at the most",
    arguments: [0, 0.3, 1])
  func steady(jitter: Double) {
    let run = Self.follow(seconds: 600, jitter: jitter) { _ in 123.457 }
    #expect(abs(run.worst(after: 10)) < 1.5)
    #expect(run.asked.filter { $0.second > 10 }.allSatisfy { abs($0.tempo - 123.457) < 0.05 })
    // Each time 1 ms has crept in it is made up for in some sixteen beats.
    #expect(run.asked.count { $0.second > 10 } < 200)
  }

  @Test(
    "5 ms of jitter move our pulses by less than half of that", arguments: [1, 2, 3] as [UInt64])
  func jitter(seed: UInt64) {
    let run = Self.follow(seconds: 120, jitter: 5, seed: seed) { _ in 120 }
    #expect(abs(run.worst(after: 15)) < 2.5)
    #expect(run.asked.filter { $0.second > 15 }.allSatisfy { abs($0.tempo - 120) < 0.6 })
  }

  @Test("a leader that drifts by 100 ppm a second is followed within 1.5 ms")
  func drift() {
    let run = Self.follow(seconds: 60, jitter: 0.2) { 120 * (1 + $0 * 0.000_1) }
    #expect(abs(run.worst(after: 10)) < 1.5)
  }

  @Test("a leader that glides by 2 a second is followed within 20 ms")
  func glide() {
    let run = Self.follow(seconds: 30) { $0 < 12 ? 120 : min(120 + 2 * ($0 - 12), 150) }
    #expect(abs(run.worst(after: 12)) < 20)
    #expect(run.settled(within: 1, after: 27) < 8)
  }

  @Test("a leader whose grid jumps by 8 ms is met again in 2 s, at the same tempo")
  func phaseStep() {
    let run = Self.follow(seconds: 30, shift: { $0 < 12 ? 0 : 8 }) { _ in 120 }
    #expect(run.settled(within: 1, after: 12) <= 2.2)
    #expect(run.past(after: 12) <= 1)
    #expect(abs(run.follower.tempo - 120) < 0.02)
  }

  @Test("lost pulses, one now and then or a second of them, do not move ours")
  func dropouts() {
    let now = Self.follow(seconds: 60, jitter: 0.3, isDropped: { $0 % 37 == 36 }) { _ in 120 }
    #expect(abs(now.worst(after: 8)) < 1.2)
    // 35 pulses are 0.73 s: longer than a clock may be silent before that is reported.
    let hole = Self.follow(seconds: 40, isDropped: { (960..<995).contains($0) }) { _ in 120 }
    #expect(abs(hole.worst(after: 8)) < 1)
    #expect(hole.follower.missedPulses == 35)
  }

  @Test("one pulse that is late by far moves nothing")
  func outlier() {
    let run = Self.follow(seconds: 40, shift: { (20.0..<20.02).contains($0) ? 8 : 0 }) { _ in 120 }
    // The late pulse itself is the leader's, not ours.
    let ours = run.errors.filter { $0.second > 8 && !(19.9..<20.1).contains($0.second) }
    #expect(ours.allSatisfy { abs($0.milliseconds) < 1 })
  }
}
