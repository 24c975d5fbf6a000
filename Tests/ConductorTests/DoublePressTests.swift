import MetronomeModel
import MusicalTime
import Testing

@testable import Conductor

@Suite("Double presses")
struct DoublePressTests {
  private static let presses: [ControlCommand] = [
    .start, .stop, .continue, .toggle, .nextPreset, .previousPreset, .doubleTempo, .halfTempo,
    .toggleMute, .resumeTempo,
  ]

  private static func at(_ milliseconds: Double) -> MonotonicTime {
    MonotonicTime(nanoseconds: Int64(milliseconds * 1e6))
  }

  @Test("the same press of the same hand within 30 ms is one", arguments: presses)
  func bounce(command: ControlCommand) {
    var presses = DoublePresses()
    func isBounce(_ command: ControlCommand, of hand: UInt64, at time: MonotonicTime) -> Bool {
      presses.isBounce(command, of: hand, at: time)
    }
    #expect(!isBounce(command, of: 1, at: Self.at(0)))
    #expect(isBounce(command, of: 1, at: Self.at(12)))
    // From the press that counted on, not from the bounce.
    #expect(isBounce(command, of: 1, at: Self.at(29.9)))
    #expect(!isBounce(command, of: 1, at: Self.at(30)))
  }

  @Test("another hand, and another command in between, are presses of their own")
  func others() {
    var presses = DoublePresses()
    func isBounce(_ command: ControlCommand, of hand: UInt64, at time: MonotonicTime) -> Bool {
      presses.isBounce(command, of: hand, at: time)
    }
    #expect(!isBounce(.toggle, of: 1, at: Self.at(0)))
    #expect(!isBounce(.toggle, of: 2, at: Self.at(5)))
    #expect(!isBounce(.stop, of: 1, at: Self.at(10)))
    #expect(!isBounce(.toggle, of: 1, at: Self.at(15)))
  }

  @Test("values, nudges and what is held come as often as they like")
  func values() {
    var presses = DoublePresses()
    func isBounce(_ command: ControlCommand, of hand: UInt64, at time: MonotonicTime) -> Bool {
      presses.isBounce(command, of: hand, at: time)
    }
    for command in [
      ControlCommand.nudge(1), .push(true), .volume(decibels: -6), .panic, .mute(true),
    ] {
      #expect(!isBounce(command, of: 1, at: Self.at(0)))
      #expect(!isBounce(command, of: 1, at: Self.at(1)))
    }
  }

  @Test("a bounce is answered as done and does nothing; without a hand nothing bounces")
  func answered() {
    var conductor = Conductor(rate: 48_000)
    func submit(_ request: UInt32, _ milliseconds: Double, hand: UInt64?) -> [ConductorOutput] {
      conductor.submit(
        .toggleMute, request: request,
        now: ControlInstant(time: Self.at(milliseconds), frame: FrameIndex(0)), hand: hand)
    }
    _ = submit(1, 0, hand: 7)
    #expect(conductor.state.isMuted)
    let answer = submit(2, 20, hand: 7)
    #expect(answer.count == 1)
    guard case .accepted(request: 2) = answer.first else {
      Issue.record("no answer")
      return
    }
    #expect(submit(0, 21, hand: 7).isEmpty)
    #expect(conductor.state.isMuted)
    _ = submit(3, 22, hand: nil)
    #expect(!conductor.state.isMuted)
  }

  @Test("however many hands press, the memory is bounded")
  func bounded() {
    var presses = DoublePresses()
    for hand in 0..<1000 { _ = presses.isBounce(.toggle, of: UInt64(hand), at: Self.at(0)) }
    #expect(presses.count <= DoublePresses.capacity)
  }
}
