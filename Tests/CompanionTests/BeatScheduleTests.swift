import MetronomeModel
import MusicalTime
import OSCProtocol
import OSCWire
import Testing

@testable import Companion

@Suite struct BeatScheduleTests {
  /// Beat n is due at n x 500 ms, 120 quarters a minute.
  func beat(_ number: Int32, run: Int32 = 7, flags: Int32 = 0) -> AnnouncedBeat {
    AnnouncedBeat(
      run: run, sequence: number, bar: (number - 1) / 4 + 1, beat: (number - 1) % 4 + 1,
      beatCount: 4, quarterTempo: 120, accent: .normal, flags: flags,
      due: Int64(number) * 500_000_000)
  }

  func fireAll(_ schedule: inout BeatSchedule, until end: Int64) -> [Int64] {
    var instants: [Int64] = []
    while let due = schedule.nextDue, due <= end {
      if schedule.fire(now: due) != nil { instants.append(due) }
    }
    return instants
  }

  @Test func `beats that come doubled and swapped fire once each, at their own instants`() {
    var schedule = BeatSchedule(heldBeats: 0)
    for number in [2, 1, 1, 3, 2, 5, 4, 5] as [Int32] { schedule.take(beat(number)) }
    let fired = fireAll(&schedule, until: 10_000_000_000)
    #expect(fired == [1, 2, 3, 4, 5].map { $0 * 500_000_000 })
    #expect(schedule.counters.repeated == 3)
    #expect(schedule.counters.missing == 0)
  }

  @Test func `a lost beat is noticed and the others stay where they are`() {
    var schedule = BeatSchedule(heldBeats: 0)
    for number in [1, 2, 4, 5] as [Int32] { schedule.take(beat(number)) }
    let fired = fireAll(&schedule, until: 10_000_000_000)
    #expect(fired == [1, 2, 4, 5].map { $0 * 500_000_000 })
    #expect(schedule.counters.missing == 1)
  }

  @Test func `what is more than 4 ms late is dropped`() {
    var schedule = BeatSchedule()
    schedule.take(beat(1))
    schedule.take(beat(2))
    let firing1 = schedule.fire(now: 504_000_000)
    #expect(firing1?.beat.sequence == 1)
    let firing2 = schedule.fire(now: 1_004_000_001)
    #expect(firing2 == nil)
    #expect(schedule.counters.late == 1)
  }

  @Test func `a beat that is heard of after its instant is reported apart from one fired late`() {
    var schedule = BeatSchedule(heldBeats: 0)
    // Due at 500, 1000 and 1500 ms; 4 ms late is still fired.
    schedule.take(beat(1), now: 400_000_000)
    let firing1 = schedule.fire(now: 510_000_000)
    schedule.take(beat(2), now: 1_004_000_001)
    let firing2 = schedule.fire(now: 1_004_000_001)
    schedule.take(beat(3), now: 1_504_000_000)
    let firing3 = schedule.fire(now: 1_504_000_000)
    #expect(firing1 == nil)
    #expect(firing2 == nil)
    #expect(firing3 != nil)
    #expect(schedule.counters.late == 2)
    #expect(schedule.counters.tardy == 1)
  }

  @Test func `a beat that passed before the daemon's clock was known was not late`() {
    var schedule = BeatSchedule(heldBeats: 0)
    // Due at 500, 1000 and 1500 ms, heard of while nobody knows when that is.
    for number in 1...3 as ClosedRange<Int32> { schedule.take(beat(number)) }
    schedule.clockIsKnown(now: 1_004_000_000)
    #expect(schedule.counters.unclocked == 1)
    // The second is still within its 4 ms.
    let firing2 = schedule.fire(now: 1_004_000_000)
    #expect(firing2?.beat.sequence == 2)
    #expect(fireAll(&schedule, until: 2_000_000_000) == [1_500_000_000])
    #expect(schedule.counters.late == 0)
  }

  @Test func `a cancel voids what is announced, its copies void nothing new`() {
    var schedule = BeatSchedule()
    for number in 1...3 as ClosedRange<Int32> { schedule.take(beat(number)) }
    let firing3 = schedule.fire(now: 500_000_000)
    #expect(firing3 != nil)
    schedule.cancel(run: 7, from: 2, now: 980_000_000)
    #expect(schedule.nextDue == nil || schedule.nextDue == 1_500_000_000)
    // A copy of beat 2 that was on its way is void too: it is due 20 ms after the stop.
    schedule.take(beat(2))
    let firing4 = schedule.fire(now: 1_000_000_000)
    #expect(firing4 == nil)
    // A new start is announced with later numbers; the second and third cancel leave it alone.
    var fresh = beat(4)
    fresh.due = 2_000_000_000
    schedule.take(fresh)
    schedule.cancel(run: 7, from: 2, now: 1_020_000_000)
    #expect(schedule.nextDue == 1_500_000_000 || schedule.nextDue == 2_000_000_000)
  }

  @Test func `silence of the network holds the pulse for so many beats, ever fainter`() {
    var schedule = BeatSchedule(heldBeats: 3)
    schedule.take(beat(1))
    schedule.take(beat(2))
    var strengths: [Double] = []
    var intensities: [Double] = []
    while let due = schedule.nextDue {
      if let firing = schedule.fire(now: due) {
        strengths.append(firing.strength)
        intensities.append(firing.intensity)
      }
    }
    // Two announced, then 3/4, 2/4 and 1/4; of 0.6, a normal accent.
    #expect(strengths == [1, 1, 0.75, 0.5, 0.25])
    #expect(zip(intensities, [0.6, 0.6, 0.45, 0.3, 0.15]).allSatisfy { abs($0 - $1) < 1e-9 })
  }

  @Test func `a beat whose presumed twin was felt is not felt again`() {
    var schedule = BeatSchedule(heldBeats: 3)
    schedule.take(beat(1))
    schedule.take(beat(2))
    _ = schedule.fire(now: 500_000_000)
    _ = schedule.fire(now: 1_000_000_000)
    let firing5 = schedule.fire(now: 1_500_000_000)
    #expect(firing5?.isPresumed == true)
    schedule.take(beat(3))
    let firing6 = schedule.fire(now: 1_501_000_000)
    #expect(firing6 == nil)
    #expect(schedule.nextDue == 2_000_000_000)
  }

  @Test func `a beat that comes after its successor has fired wakes nothing`() {
    var schedule = BeatSchedule(heldBeats: 3)
    for number in [1, 3] as [Int32] { schedule.take(beat(number)) }
    _ = schedule.fire(now: 500_000_000)
    let third = schedule.fire(now: 1_500_000_000)
    #expect(third?.beat.sequence == 3)
    // Beat 2, from which the next would be presumed at 1.5 s: again the instant of beat 3.
    schedule.take(beat(2))
    let late = schedule.fire(now: 1_501_000_000)
    #expect(late == nil)
    #expect(schedule.counters.late == 1)
    #expect(schedule.nextDue == 2_000_000_000)
  }

  @Test func `nothing is presumed after a stop`() {
    var schedule = BeatSchedule(heldBeats: 3)
    schedule.take(beat(1))
    schedule.take(beat(2))
    _ = schedule.fire(now: 500_000_000)
    _ = schedule.fire(now: 1_000_000_000)
    schedule.cancel(run: 7, from: 3, now: 1_100_000_000)
    #expect(schedule.nextDue == nil)
  }

  @Test func `a restarted daemon has another run, and the old one's beats are void`() {
    var schedule = BeatSchedule()
    schedule.take(beat(5))
    schedule.take(beat(1, run: 9))
    let fired = fireAll(&schedule, until: 600_000_000)
    #expect(fired == [500_000_000])
  }

  @Test func `muted bars are not felt, unless they are asked for`() {
    var schedule = BeatSchedule(heldBeats: 0)
    schedule.take(beat(1, flags: 1))
    schedule.take(beat(2, flags: 2))
    let fired = fireAll(&schedule, until: 10_000_000_000)
    #expect(fired == [1_000_000_000])
  }

  @Test func `a beat message is read to the type tag`() {
    let message = OSCMessage(
      "/tactus/beat", .int32(1), .int32(2), .int32(-1), .int32(3), .float(120.5), .int32(4),
      .int32(3), .int32(4), .int64(123_456_789))
    let read = AnnouncedBeat(message)
    #expect(read?.accent == .strong && read?.bar == -1 && read?.isCountIn == true)
    #expect(read?.due == 123_456_789)
    #expect(AnnouncedBeat(OSCMessage("/tactus/beat", .int32(1))) == nil)
  }

  @Test func `when another clock counts, no beat of the old one fires or is presumed`() {
    var schedule = BeatSchedule(heldBeats: 8)
    for number in 1...4 as ClosedRange<Int32> { schedule.take(beat(number)) }
    let before = fireAll(&schedule, until: 1_000_000_000)
    #expect(before.count == 2)
    schedule.forget()
    #expect(schedule.nextDue == nil)
    // The new clock has just begun: beat 1 is due at 500 ms again.
    schedule.take(beat(1, run: 8))
    let after = fireAll(&schedule, until: 500_000_000)
    #expect(after == [500_000_000])
  }

  @Test func `beats that cannot be are none, and nothing traps on the others`() {
    for tempo in [Float(1e-30), 0, -1, .nan, .infinity, 1e30] {
      let message = BeatMessage(
        run: 1, sequence: 1, bar: 1, beat: 1, quarterTempo: tempo, count: 4, accent: 3, flags: 0,
        due: MonotonicTime(nanoseconds: 5)
      ).message(BeatMessage.beatAddress)
      #expect(AnnouncedBeat(message) == nil, "\(tempo)")
    }
    // Dues as far apart as can be, and every sequence number: fired and presumed without a trap.
    var schedule = BeatSchedule(heldBeats: 64)
    let edge = SyncExchange.longest - 1
    for (index, due) in [-edge, 0, edge, 5].enumerated() {
      for sequence in [Int32.min, -1, 1, Int32.max] {
        schedule.take(
          AnnouncedBeat(
            run: Int32(index), sequence: sequence, bar: .max, beat: .min, beatCount: .max,
            quarterTempo: 1, accent: .strong, flags: -1, due: due), now: 0)
        schedule.cancel(run: Int32(index), from: .min, through: .max, now: edge)
        schedule.take(
          AnnouncedBeat(
            run: Int32(index), sequence: sequence &+ 1, bar: .max, beat: .min, beatCount: .max,
            quarterTempo: 1, accent: .strong, flags: 0, due: due), now: -edge)
      }
      for now in [-edge, 0, edge] { while schedule.fire(now: now) != nil {} }
    }
    #expect(schedule.interval <= BeatSchedule.longestInterval)
  }
}
