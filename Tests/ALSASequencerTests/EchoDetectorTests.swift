import MusicalTime
import Testing

@testable import ALSASequencer

@Suite struct EchoDetectorTests {
  @Test("an independent clock 0.8 to 1 ms behind ours is no echo, in an hour")
  func independent() {
    var detector = EchoDetector()
    var found = false
    // 120 for an hour is 172 800 pulses; it wanders by 0.1 ms either way, as ours does.
    for pulse in 1...172_800 {
      let ours = at(Double(pulse) * 20.833_333)
      let wander = pulse / 5_000 % 2 == 0 ? 0.8 : 1.0
      let arrival = at(Double(pulse) * 20.833_333 + wander)
      found =
        detector.observe(
          arrival: arrival, lastSent: ours, pulses: Int64(pulse), isFollowing: false) || found
    }
    #expect(!found)
  }

  @Test("a leader that we follow is no echo, whatever it does")
  func leader() {
    for (jitter, tempo) in [
      (0.0, { (second: Double) in second < 20 ? 120.0 : 121 }), (0.3, { _ in 123.4 }),
      (0.2, { 120 * (1 - $0 * 0.000_1) }), (0, { 120 + $0 * 0.5 }),
    ] as [(Double, (Double) -> Double)] {
      var run = SimulatedFollower(tempo: tempo, jitter: jitter)
      run.run(seconds: 60)
      #expect(!run.heardEcho)
    }
  }

  @Test("while we follow it is an echo that goes along with a tempo set by a person")
  func onPurpose() {
    for isSet in [false, true] {
      var detector = EchoDetector()
      var found = false
      var sent = 0.0
      for pulse in 1...400 {
        if isSet, pulse == 200 { detector.tempoWasChanged() }
        // 120, then 121: 4 ms in 24 pulses.
        sent += pulse < 200 ? 20.833 : 20.661
        found =
          detector.observe(
            arrival: at(sent + 2), lastSent: at(sent), pulses: Int64(pulse), isFollowing: true)
          || found
      }
      #expect(found == isSet)
    }
  }

  @Test("another clock near our tempo is none", arguments: [119.0, 119.9, 121, 240, 60])
  func another(tempo: Double) {
    var detector = EchoDetector()
    let ours = 60_000.0 / 120 / 24
    for pulse in 0..<2000 {
      let arrival = 5 + Double(pulse) * 60_000 / tempo / 24
      let last = (arrival / ours).rounded(.down)
      let isEcho = detector.observe(
        arrival: at(arrival), lastSent: at(last * ours), pulses: Int64(last), isFollowing: false)
      #expect(!isEcho)
    }
  }
}
