import Glibc
import MusicalTime
import Testing

@testable import ALSAAudio

private func at(_ milliseconds: Int64) -> MonotonicTime {
  MonotonicTime(nanoseconds: milliseconds * 1_000_000)
}

@Suite struct DeviceLifecycleLaws {
  @Test("a device that is there is opened at once, and told about once")
  func opens() {
    var life = DeviceLifecycle(wantsDevice: true, now: at(0))
    #expect(life.handle(.tick, at: at(0)) == [.open])
    #expect(life.state == .opening)
    #expect(life.handle(.opened, at: at(1)) == [])
    #expect(life.handle(.playing, at: at(40)) == [.report(.playing)])
    #expect(life.state == .playing)
    // After an xrun it plays again: no news.
    #expect(life.handle(.playing, at: at(90)) == [])
    #expect(life.deadline == nil)
  }

  @Test("a stream that ran empty again and again is opened soon with a longer period")
  func lengthens() {
    var life = DeviceLifecycle(openedAt: at(0))
    #expect(life.handle(.ranEmpty, at: at(80)) == [.lengthenPeriod, .close, .report(.lengthened)])
    #expect(life.handle(.tick, at: at(130)) == [.open])
    #expect(life.handle(.opened, at: at(131)) == [])
    #expect(life.handle(.playing, at: at(160)) == [.report(.playing)])
    // In play as well: a sound server may be set to a longer period at any time.
    #expect(
      life.handle(.ranEmpty, at: at(9_000)) == [.lengthenPeriod, .close, .report(.lengthened)])
  }

  @Test("no device wanted: nothing is ever done")
  func none() {
    var life = DeviceLifecycle(wantsDevice: false, now: at(0))
    #expect(life.handle(.tick, at: at(5_000)) == [])
    #expect(life.handle(.cardsChanged, at: at(5_000)) == [])
    #expect(life.state == .freeRunning && life.deadline == nil)
  }

  @Test("an absent device is tried ever more rarely, at last every five seconds, and reported once")
  func backOff() {
    var life = DeviceLifecycle(wantsDevice: true, now: at(0))
    var now: Int64 = 0
    var waits: [Int64] = []
    var reports = 0
    for _ in 0..<10 {
      #expect(life.handle(.tick, at: at(now)) == [.open])
      let actions = life.handle(.openFailed(code: ENOENT), at: at(now))
      reports += actions.count
      let due = (life.deadline?.nanoseconds ?? 0) / 1_000_000
      waits.append(due - now)
      // Before the deadline a tick does nothing.
      #expect(life.handle(.tick, at: at(due - 1)) == [])
      now = due
    }
    #expect(waits == [50, 100, 250, 500, 1000, 2000, 5000, 5000, 5000, 5000])
    #expect(reports == 1)
  }

  @Test("another reason is reported again")
  func otherReason() {
    var life = DeviceLifecycle(wantsDevice: true, now: at(0))
    _ = life.handle(.tick, at: at(0))
    #expect(
      life.handle(.openFailed(code: ENOENT), at: at(0)) == [.report(.missing(code: ENOENT))])
    _ = life.handle(.tick, at: at(50))
    #expect(life.handle(.openFailed(code: EBUSY), at: at(50)) == [.report(.missing(code: EBUSY))])
  }

  @Test("a card that comes brings the next attempt forward to 50 ms")
  func cardComes() {
    var life = DeviceLifecycle(wantsDevice: true, now: at(0))
    var now: Int64 = 0
    for _ in 0..<8 {
      _ = life.handle(.tick, at: at(now))
      _ = life.handle(.openFailed(code: ENOENT), at: at(now))
      now = (life.deadline?.nanoseconds ?? 0) / 1_000_000
    }
    // The last wait began 5 s before `now`.
    #expect(life.handle(.cardsChanged, at: at(now - 4_000)) == [])
    #expect(life.deadline == at(now - 3_950))
    // Changes in quick succession do not put it off for ever.
    #expect(life.handle(.cardsChanged, at: at(now - 3_960)) == [])
    #expect(life.deadline == at(now - 3_950))
    #expect(life.handle(.tick, at: at(now - 3_950)) == [.open])
  }

  @Test("a lost device is closed, reported and tried again after 50 ms")
  func lost() {
    var life = DeviceLifecycle(openedAt: at(0))
    _ = life.handle(.playing, at: at(30))
    #expect(
      life.handle(.lost(code: ENODEV), at: at(20_000)) == [.close, .report(.lost(code: ENODEV))])
    #expect(life.state == .waiting)
    #expect(life.deadline == at(20_050))
  }

  @Test("a device that opens and fails at once is tried ever more rarely")
  func flapping() {
    var life = DeviceLifecycle(wantsDevice: true, now: at(0))
    var now: Int64 = 0
    var waits: [Int64] = []
    for _ in 0..<8 {
      _ = life.handle(.tick, at: at(now))
      _ = life.handle(.opened, at: at(now))
      _ = life.handle(.playing, at: at(now + 10))
      _ = life.handle(.lost(code: EIO), at: at(now + 20))
      let due = (life.deadline?.nanoseconds ?? 0) / 1_000_000
      waits.append(due - now - 20)
      now = due
    }
    #expect(waits == [50, 100, 250, 500, 1000, 2000, 5000, 5000])
  }

  @Test("a device that opens but never runs is reported once, until it plays")
  func neverRuns() {
    var life = DeviceLifecycle(wantsDevice: true, now: at(0))
    var now: Int64 = 0
    var reports: [[DeviceLifecycle.Action]] = []
    for _ in 0..<4 {
      _ = life.handle(.tick, at: at(now))
      _ = life.handle(.opened, at: at(now))
      reports.append(life.handle(.lost(code: EIO), at: at(now + 2_000)))
      now = (life.deadline?.nanoseconds ?? 0) / 1_000_000
    }
    #expect(reports[0] == [.close, .report(.neverPlayed(code: EIO))])
    #expect(reports[1...].allSatisfy { $0 == [.close] })
  }

  @Test("sleep and waking are told and change nothing else")
  func suspend() {
    var life = DeviceLifecycle(openedAt: at(0))
    _ = life.handle(.playing, at: at(30))
    #expect(life.handle(.suspended, at: at(100)) == [.report(.suspended)])
    #expect(life.state == .suspended)
    #expect(life.handle(.resumed, at: at(900)) == [.report(.resumed)])
    #expect(life.handle(.playing, at: at(950)) == [])
    #expect(life.state == .playing)
  }

  @Test("events that do not fit the state change nothing", arguments: [0, 1, 2])
  func misplaced(kind: Int) {
    var life = DeviceLifecycle(wantsDevice: true, now: at(0))
    let before = life
    let event: [DeviceLifecycle.Event] = [.opened, .lost(code: EIO), .playing]
    #expect(life.handle(event[kind], at: at(0)) == [])
    #expect(life == before)
  }
}
