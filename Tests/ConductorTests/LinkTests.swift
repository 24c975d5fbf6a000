import MetronomeModel
import MusicalTime
import RealtimeEngine
import Testing

@testable import Conductor

@Suite("Ableton Link")
struct LinkTests {
  /// 120 a minute at 48 kHz: a bar of four quarters is 96 000 frames.
  static let grid = SessionGrid(anchor: FrameIndex(12_345), framesPerQuarter: 24_000, quantum: 4)

  @Test("without the program for it the mode is refused with what is missing, and off is not")
  func missing() {
    var rig = Rig()
    rig.conductor.linkProblem = "Ableton Link needs the program tactus-link"
    #expect(rig.submit(.link(.lead)) == .refused(.state))
    #expect(rig.reason.contains("tactus-link"))
    #expect(rig.state.linkMode == .off)
    #expect(rig.submit(.link(.off)) == .accepted)
  }

  @Test("two that give the tempo are one too many; who leads passes a followed tempo on")
  func oneTempo() {
    var rig = Rig()
    #expect(rig.submit(.follow(.connected)) == .accepted)
    #expect(rig.submit(.link(.follow)) == .refused(.state))
    #expect(rig.submit(.link(.peer)) == .refused(.state))
    #expect(rig.submit(.link(.lead)) == .accepted)
    #expect(rig.submit(.follow(.off)) == .accepted)
    #expect(rig.submit(.link(.peer)) == .accepted)
    #expect(rig.submit(.follow(.connected)) == .refused(.state))
    #expect(rig.reason.contains("set link to off"))
  }

  @Test("while the tempo is the session's nothing else sets it, and the reason says how")
  func foreignTempo() {
    var rig = Rig()
    rig.conductor.hasSessionTempo = true
    let commands: [ControlCommand] = [
      .tempo(99, unit: nil, when: .beat), .nudge(1), .doubleTempo, .halfTempo, .push(true),
      .pull(true), .resumeTempo, .tap(at: MonotonicTime(nanoseconds: 0), series: 1),
      .trainer(from: 80, to: 120, step: 5, share: .totalMilliseconds(60_000)),
      .glide(from: 80, to: 120, length: .seconds(10), when: .beat),
    ]
    for command in commands {
      #expect(rig.submit(command) == .refused(.state), "\(command)")
      #expect(rig.reason.contains("link to peer, lead or off"), "\(command)")
    }
    #expect(rig.state.tempo.thousandths == 120_000)
  }

  @Test("the session's tempo is exact, shown as it was asked for, and nothing to go back to")
  func sessionTempo() throws {
    var rig = Rig()
    let length = try #require(QuarterLength(microseconds: 452_830))
    let tempo = try #require(Tempo(length, shown: 132_500))
    rig.conductor.hasSessionTempo = true
    rig.submit(.sessionTempo(tempo))
    #expect(rig.state.tempo.length?.microseconds == 452_830)
    #expect("\(rig.state.tempo)" == "132.5")
    #expect(rig.state.previousTempo == nil)
  }

  @Test(
    "Start waits for the session's bar, and a count-in counts back from it", arguments: [0, 1, 2])
  func start(bars: Int) {
    var rig = Rig()
    rig.submit(.countIn(bars: bars))
    rig.conductor.sessionGrid = LinkTests.grid
    rig.submit(.start, atSeconds: 10)
    guard case .start(_, let beatOne)? = rig.actions.first else {
      Issue.record("no start: \(rig.sent)")
      return
    }
    let countIn = Int64(bars) * 96_000
    #expect((beatOne.value + countIn - 12_345) % 96_000 == 0)
    // After the lead-in of 200 ms and what is rendered already, and no more than a bar later.
    let soonest: Int64 = 480_000 + 9_600 + 4_800
    #expect((soonest...soonest + 96_000).contains(beatOne.value))
  }

  @Test("a state with Link is kept and brought back; one without leaves a session alone")
  func kept() {
    var state = MetronomeState()
    #expect(Preset(of: state).linkMode == nil)
    state.linkMode = .lead
    state.linkQuantum = .quarters(3.5)
    let preset = Preset(of: state)
    #expect(preset.linkMode == .lead && preset.linkQuantum == .quarters(3.5))
  }
}
