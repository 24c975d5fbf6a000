import MetronomeModel
import MusicalTime
import RealtimeEngine
import Testing

@testable import Conductor

@Suite("Transport")
struct TransportTests {
  @Test("Start means bar 1, with the count-in that is set, and answers where it acts")
  func start() {
    var rig = Rig()
    #expect(rig.submit(.countIn(bars: 2)) == .accepted)
    #expect(rig.submit(.start) == .effective(FrameIndex(1_000)))
    guard case .start(let bars, let beatOne) = rig.actions.first else {
      Issue.record("no start: \(rig.sent)")
      return
    }
    #expect(bars == 2)
    #expect(beatOne == .distantPast)
    #expect(rig.state.transport == .countingIn)
    #expect(rig.changed == [.transport])
  }

  @Test("Start while counting in or rolling does nothing", arguments: [0, 1])
  func startTwice(bars: Int) {
    var rig = Rig()
    rig.submit(.countIn(bars: bars))
    rig.submit(.start)
    rig.started(at: 1_000, countIn: bars > 0)
    // The engine judges: it may be about to end by itself.
    rig.refusal = .alreadyRolling
    #expect(rig.submit(.start) == .accepted)
    #expect(rig.changed.isEmpty)
    rig.refusal = .alreadyRolling
    #expect(rig.submit(.continue) == .accepted)
    #expect(rig.changed.isEmpty)
  }

  @Test("a tagged Start is heard at its tag, and the engine hears of it at once")
  func taggedStart() {
    var rig = Rig()
    rig.submit(.start, notBefore: FrameIndex(96_000))
    guard case .engine(let command) = rig.outputs.first,
      case .start(_, let beatOne) = command.action
    else {
      Issue.record("no start")
      return
    }
    #expect(beatOne == FrameIndex(96_000))
    #expect(command.notBefore == .distantPast)
    // Anything else waits for the tag.
    rig.submit(.stop, notBefore: FrameIndex(96_000))
    guard case .engine(let stop) = rig.outputs.first else {
      Issue.record("no stop")
      return
    }
    #expect(stop.notBefore == FrameIndex(96_000))
  }

  @Test("toggle is Start where nothing runs and Stop where something does")
  func toggle() {
    var rig = Rig()
    rig.submit(.toggle)
    #expect(rig.sent.first?.hasPrefix("start") == true)
    rig.submit(.toggle)
    #expect(rig.sent == ["stop"])
    rig.submit(.toggle)
    #expect(rig.sent.first?.hasPrefix("start") == true)
    // Also before beat one of the count-in is heard.
    rig.submit(.toggle)
    rig.submit(.countIn(bars: 1))
    rig.submit(.toggle)
    #expect(rig.state.transport == .countingIn)
    rig.submit(.toggle)
    #expect(rig.state.transport == .stopped)
  }

  @Test("Stop and panic are always sent, whatever the state says")
  func stopAlways() {
    var rig = Rig()
    #expect(rig.submit(.stop) == .effective(FrameIndex(1_000)))
    #expect(rig.sent == ["stop"])
    rig.submit(.panic)
    #expect(rig.sent == ["panic"])
  }

  @Test("Stop where the engine has stopped is not an error")
  func stopStopped() {
    var rig = Rig()
    rig.refusal = .alreadyStopped
    #expect(rig.submit(.stop) == .accepted)
  }

  @Test("Continue resumes without a count-in")
  func resume() {
    var rig = Rig()
    rig.submit(.countIn(bars: 4))
    rig.submit(.continue)
    #expect(rig.sent == ["resume"])
    #expect(rig.state.transport == .rolling)
  }

  @Test(
    "rewind and locate are refused while counting in or rolling, and say to stop",
    arguments: [ControlCommand.rewind, .locate(bar: 3, beat: 2)])
  func locateRolling(command: ControlCommand) {
    for bars in [0, 1] {
      var rig = Rig()
      rig.submit(.countIn(bars: bars))
      rig.submit(.start)
      let before = rig.state
      #expect(rig.submit(command) == .refused(.state))
      #expect(rig.reason.contains("stop first"))
      #expect(rig.actions.isEmpty)
      #expect(rig.state == before)
    }
  }

  @Test("people count bars and beats from 1, the engine from 0")
  func locate() {
    var rig = Rig()
    rig.submit(.locate(bar: 3, beat: 2))
    #expect(rig.sent == ["locate(bar: 2, beat: 1)"])
    #expect(rig.state.bar == 3)
    #expect(rig.state.beat == 2)
    rig.submit(.rewind)
    #expect(rig.sent == ["locate(bar: 0, beat: 0)"])
  }

  @Test(
    "a place is a bar from 1 to 9999 and a beat of the meter",
    arguments: [
      (1, 1, true), (9_999, 4, true), (0, 1, false), (10_000, 1, false), (1, 0, false),
      (1, 5, false), (-1, 1, false), (Int.max, 1, false), (1, Int.min, false),
    ])
  func places(bar: Int, beat: Int, isLegal: Bool) {
    var rig = Rig()
    let outcome = rig.submit(.locate(bar: bar, beat: beat))
    #expect(outcome == (isLegal ? .effective(FrameIndex(1_000)) : .refused(.value)))
    if !isLegal { #expect(rig.reason.contains("\(bar == 1 ? beat : bar)")) }
  }

  @Test("the count-in becomes rolling with the first beat of bar 1")
  func countInEnds() {
    var rig = Rig()
    rig.submit(.countIn(bars: 1))
    rig.submit(.start)
    rig.started(at: 97_000, countIn: true)
    rig.beat(bar: -1, beat: 3, at: 73_000, flags: .countIn)
    #expect(rig.state.transport == .countingIn)
    #expect(rig.state.bar == -1)
    #expect(rig.state.beat == 4)
    rig.beat(bar: 0, beat: 0, at: 97_000)
    #expect(rig.state.transport == .rolling)
    #expect(rig.state.bar == 1)
    #expect(rig.changed.contains(.transport))
  }

  @Test("an engine that stops by itself is believed")
  func stopsByItself() {
    var rig = Rig()
    rig.submit(.start)
    rig.started(at: 1_000)
    rig.outputs = []
    rig.stopped(at: 50_000)
    #expect(rig.state.transport == .stopped)
    #expect(rig.changed == [.transport])
  }

  @Test("the stop of a run does not stop the run that was asked for after it")
  func lateStop() {
    var conductor = Conductor(rate: 48_000)
    let now = ControlInstant(time: MonotonicTime(nanoseconds: 0), frame: FrameIndex(0))
    _ = conductor.submit(.start, now: now)
    _ = conductor.submit(.stop, now: now)
    _ = conductor.submit(.start, now: now)
    let stop = StopEvent(frame: FrameIndex(500), nextPulse: 0, songPulse: 0, isPanic: false)
    _ = conductor.receive(.stopped(stop))
    #expect(conductor.state.transport == .rolling)
    // A beat announced before Stop does not start anything either.
    _ = conductor.submit(.stop, now: now)
    let beat = BeatEvent(
      frame: FrameIndex(600), bar: 0, beat: 0, beatCount: 4, accent: .strong, flags: [],
      quarterThousandths: 120_000)
    _ = conductor.receive(.beat(beat))
    #expect(conductor.state.transport == .stopped)
  }

  @Test("where the engine's queue is full the request is refused and the state goes back")
  func queueFull() {
    var conductor = Conductor(rate: 48_000)
    let now = ControlInstant(time: MonotonicTime(nanoseconds: 0), frame: FrameIndex(0))
    let outputs = conductor.submit(.start, request: 9, now: now)
    guard case .engine(let command) = outputs.first else {
      Issue.record("no command")
      return
    }
    let failed = conductor.fail(command)
    #expect(conductor.state.transport == .stopped)
    #expect(
      failed.contains {
        if case .refused(9, let refusal) = $0 { refusal.code == .engine } else { false }
      })
    #expect(
      failed.contains { if case .changed(.transport) = $0 { true } else { false } })
  }

  @Test("quit is passed on")
  func quit() {
    var rig = Rig()
    #expect(rig.submit(.quit) == .accepted)
    #expect(rig.outputs.contains { if case .quit = $0 { true } else { false } })
  }
}
