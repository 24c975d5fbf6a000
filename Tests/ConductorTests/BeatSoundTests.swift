import MetronomeModel
import MusicalTime
import Testing

@testable import Conductor

@Suite struct BeatSoundTests {
  let now = ControlInstant(time: MonotonicTime(nanoseconds: 0), frame: FrameIndex(0))

  func bank(_ outputs: [ConductorOutput]) -> SoundSettings? {
    for case .prepareSounds(let settings, _) in outputs { return settings }
    return nil
  }

  @Test func `each beat of the bar may have a sound of its own`() {
    var conductor = Conductor(rate: 48_000)
    let outputs = conductor.submit(.beatSounds(["one.wav", "-", "three.wav", "-"]), now: now)
    // A dash is the level's own sound, and those at the end say nothing.
    #expect(bank(outputs)?.beatNames == ["one.wav", nil, "three.wav"])
    #expect(bank(conductor.submit(.beatSounds(["-"]), now: now))?.beatNames == [])
  }

  @Test(arguments: [["../etc/passwd"], [".hidden"], ["a/b"], Array(repeating: "x", count: 17)])
  func `names that could leave the folder, and too many, are refused`(names: [String]) {
    var conductor = Conductor(rate: 48_000)
    let outputs = conductor.submit(.beatSounds(names), request: 3, now: now)
    #expect(bank(outputs) == nil)
    #expect(outputs.contains { if case .refused(3, _) = $0 { true } else { false } })
    #expect(conductor.state.sounds.beatNames == [])
  }
}
