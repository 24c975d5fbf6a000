import MetronomeModel
import MusicalTime
import RealtimeEngine
import Testing

@testable import Conductor

@Suite("Mutes, count-in, timer")
struct MuteTests {
  @Test("mute, unmute and toggle")
  func mute() {
    var rig = Rig()
    rig.submit(.mute(true))
    #expect(rig.sent == ["mute(true)"])
    rig.submit(.toggleMute)
    #expect(rig.sent == ["mute(false)"])
    rig.submit(.toggleMute)
    #expect(rig.state.isMuted)
  }

  @Test(
    "bar muting has 1 to 9999 bars and 0 to 100 per cent",
    arguments: [
      (.off, true), (.cycle(play: 1, mute: 1), true), (.cycle(play: 9_999, mute: 9_999), true),
      (.cycle(play: 0, mute: 1), false),
      (.cycle(play: 10_000, mute: 1), false), (.cycle(play: 1, mute: .max), false),
      (.random(percentHundredths: 10_000, seed: .max), true),
      (.random(percentHundredths: -1, seed: 7), false),
      (.random(percentHundredths: 10_001, seed: 7), false),
      (.growing(play: 1, maximum: 1), true), (.growing(play: 0, maximum: 1), false),
      (.growing(play: 1, maximum: 10_000), false),
    ] as [(BarMuting, Bool)])
  func bars(muting: BarMuting, isLegal: Bool) {
    var rig = Rig()
    let outcome = rig.submit(.muteBars(muting))
    #expect(outcome == (isLegal ? .effective(FrameIndex(1_000)) : .refused(.value)))
    #expect(rig.state.barMuting == (isLegal ? muting : .off))
  }

  @Test(
    "a muting of nothing is its end, as it is told",
    arguments: [
      BarMuting.cycle(play: 1, mute: 0), .random(percentHundredths: 0, seed: 7),
      .growing(play: 1, maximum: 0),
    ])
  func ends(muting: BarMuting) {
    var rig = Rig()
    #expect(rig.submit(.muteBars(muting)) == .accepted)
    #expect(rig.state.barMuting == .off)
  }

  @Test("levels are muted one by one; a solo plays one alone and gives the mutes back")
  func levels() {
    var rig = Rig()
    func mask() -> UInt8? {
      for case .audibleLevels(let mask) in rig.actions { return mask }
      return nil
    }
    // Bits: 1 silent, 2 soft, 4 normal, 8 strong.
    rig.submit(.muteLevel(.soft, true))
    #expect(mask() == 0b1101)
    rig.submit(.soloLevel(.strong))
    #expect(mask() == 0b1000)
    rig.submit(.soloLevel(.soft))
    #expect(mask() == 0b0010)
    rig.submit(.soloLevel(nil))
    #expect(mask() == 0b1101)
    rig.submit(.muteLevel(.soft, false))
    #expect(mask() == 0b1111)
    #expect(rig.submit(.muteLevel(.silent, true)) == .refused(.value))
    #expect(rig.submit(.soloLevel(.silent)) == .refused(.value))
  }

  @Test(
    "a count-in has 0 to 16 bars",
    arguments: [(0, true), (16, true), (-1, false), (17, false), (Int.max, false)])
  func countIn(bars: Int, isLegal: Bool) {
    var rig = Rig()
    #expect(rig.submit(.countIn(bars: bars)) == (isLegal ? .accepted : .refused(.value)))
  }

  @Test("a timer has 1 to 180 minutes of playing and stops unless it goes on")
  func timer() {
    let table: [(Double, Int64?)] = [
      (1, 60_000), (180, 10_800_000), (2.5, 150_000), (0.999, nil), (180.001, nil), (0, nil),
      (-1, nil), (.nan, nil), (.infinity, nil),
    ]
    for (minutes, milliseconds) in table {
      var rig = Rig()
      let outcome = rig.submit(.timer(minutes: minutes))
      if let milliseconds {
        #expect(outcome == .effective(FrameIndex(1_000)))
        #expect(rig.sent == ["timer(milliseconds: \(milliseconds), stops: true)"])
      } else {
        #expect(outcome == .refused(.value))
        #expect(rig.reason.contains("1 to 180 minutes"))
      }
    }
    var rig = Rig()
    #expect(rig.submit(.timerStops(false)) == .accepted)
    rig.submit(.timer(minutes: 3))
    #expect(rig.sent == ["timer(milliseconds: 180000, stops: false)"])
    // Not begun: the change holds for it.
    rig.submit(.timerStops(true))
    #expect(rig.sent == ["timer(milliseconds: 180000, stops: true)"])
    rig.submit(.cancelTimer)
    #expect(rig.sent == ["timer(milliseconds: 0, stops: true)"])
    #expect(rig.submit(.cancelTimer) == .accepted)
  }

  @Test("the end of the timer is an event of its own, and the timer is used up")
  func timerEnds() {
    var rig = Rig()
    rig.submit(.timer(minutes: 1))
    rig.submit(.start)
    rig.outputs = []
    rig.receive(.timer(TimerEvent(frame: FrameIndex(2_880_000))))
    rig.stopped(at: 2_880_000)
    #expect(
      rig.outputs.contains {
        if case .timerEnded(FrameIndex(2_880_000)) = $0 { true } else { false }
      })
    #expect(rig.state.timerMinutes == nil)
    #expect(rig.changed == [.timer, .transport])
  }
}
