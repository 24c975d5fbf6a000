import MusicalTime
import RealtimeHost
import Synchronization
import Testing

@Suite struct RealtimePriorityLaws {
  @Test("MIDI stands above audio wherever the limit leaves room for both")
  func order() {
    for limit: UInt64 in 3...99 {
      let midi = RealtimePriority.midi.within(limit: limit)
      #expect(midi > RealtimePriority.audio.within(limit: limit))
    }
  }

  @Test("no priority passes its limit, and none is asked for where none is allowed")
  func limits() {
    for priority in RealtimePriority.allCases {
      #expect(priority.within(limit: 0) == 0)
      for limit: UInt64 in 1...200 {
        #expect(UInt64(priority.within(limit: limit)) <= limit)
        #expect(priority.within(limit: limit) >= 1)
      }
      #expect(priority.within(limit: .max) == priority.rawValue)
    }
  }

  @Test("a refusal names the thread and three ways out")
  func warning() {
    let text = RealtimeGrant.refused(code: 1).warning(thread: "audio") ?? ""
    for part in ["audio", "limits.d", "LimitRTPRIO", "setcap"] { #expect(text.contains(part)) }
    #expect(RealtimeGrant.realtime(priority: 70).warning(thread: "audio") == nil)
    #expect(LockedMemory.Grant.locked.warning == nil)
    #expect(
      LockedMemory.Grant.refused(code: 12, limitBytes: 8_388_608).warning?.contains("8192 KB")
        == true)
  }
}

@Suite struct HostLaws {
  @Test("a thread runs its body and can be joined")
  func thread() throws {
    final class Box: Sendable { let ran = Atomic<Bool>(false) }
    let box = Box()
    let thread = try RealtimeThread.start(name: "law", priority: .audio) {
      box.ran.store(true, ordering: .releasing)
    }
    thread.join()
    let ran = box.ran.load(ordering: .acquiring)
    #expect(ran)
  }

  @Test("a wake-up is taken once, however often it was signalled")
  func wakeUp() {
    let wakeUp = WakeUp()
    #expect(!wakeUp.drain())
    wakeUp.signal()
    wakeUp.signal()
    #expect(wakeUp.drain())
    #expect(!wakeUp.drain())
  }

  @Test("who has what it needs is not woken for more, who lacks it is")
  func wanted() {
    let wakeUp = WakeUp()
    // Until it says otherwise a reader wants everything.
    wakeUp.signalIfWanted()
    #expect(wakeUp.drain())
    wakeUp.want(false)
    wakeUp.signalIfWanted()
    #expect(!wakeUp.drain())
    wakeUp.signal()
    #expect(wakeUp.drain())
    wakeUp.want(true)
    wakeUp.signalIfWanted()
    #expect(wakeUp.drain())
  }

  @Test("time never runs backwards, and a deadline in the past does not wait")
  func time() {
    let before = MonotonicClock.now()
    MonotonicClock.sleep(until: MonotonicTime(nanoseconds: -5))
    MonotonicClock.sleep(until: before)
    #expect(MonotonicClock.now() >= before)
  }
}
