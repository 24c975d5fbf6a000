import CLinux
import Glibc
import MetronomeModel
import MusicalTime
import Testing

@testable import RealtimeEngine

/// Whether the C side was built with the sanitizer; other builds cannot see an allocation.
private let isSanitized = getenv("TACTUS_RTSAN") != nil

/// The sanitizer ends the process with status 43 at the first call in the audio thread's context
/// that may wait or allocate.
@Suite(.enabled(if: isSanitized, "only a build with TACTUS_RTSAN=1 can judge this"))
struct RealtimeSafetyTests {
  @Test func `rendering neither allocates nor locks nor calls the system, whatever is asked for`()
    async
  {
    await #expect(processExitsWith: .success) {
      // The first time outside the context: a debug build sets up generic types on first use.
      EverythingOnce().play(watched: false)
      EverythingOnce().play(watched: true)
    }
  }

  @Test func `the sanitizer catches an allocation in the audio thread's context`() async {
    await #expect(processExitsWith: .exitCode(43)) {
      clinux_rtsan_enter()
      let memory = malloc(64)
      clinux_rtsan_exit()
      // Passed on, or the optimiser leaves the pair out.
      _ = write(2, memory, 0)
      free(memory)
    }
  }

  @Test func `the sanitizer catches a lock in the audio thread's context`() async {
    await #expect(processExitsWith: .exitCode(43)) {
      var mutex = pthread_mutex_t()
      pthread_mutex_init(&mutex, nil)
      clinux_rtsan_enter()
      pthread_mutex_lock(&mutex)
      clinux_rtsan_exit()
      pthread_mutex_unlock(&mutex)
    }
  }

  /// A fault in the engine itself would be an array that grows while a block is rendered.
  @Test func `the sanitizer catches a growing array in the audio thread's context`() async {
    await #expect(processExitsWith: .exitCode(43)) {
      var numbers: [Int] = []
      clinux_rtsan_enter()
      for number in 0..<1_000 { numbers.append(number) }
      clinux_rtsan_exit()
      precondition(numbers.count == 1_000)
    }
  }
}

/// Without the sanitizer the same session only shows that nothing traps.
@Suite struct EveryCommandTests {
  @Test func `every kind of command can be played through`() {
    EverythingOnce().play(watched: false)
  }
}

/// A session in which every kind of command acts while it plays.
private final class EverythingOnce {
  private let bench = EngineBench()
  private let output = UnsafeMutablePointer<Float>.allocate(capacity: 2 * 1024)

  deinit { output.deallocate() }

  static let song = RandomScriptTests.song

  /// At most 2 s of sound a command, in blocks of changing size.
  func play(watched: Bool) {
    bench.useUnitSamples()
    _ = EverythingOnce.actions.count
    output.initialize(repeating: 0, count: 2 * 1024)
    for action in EverythingOnce.actions {
      bench.send(action, id: 1)
      var frames = 0
      var block = 0
      while frames < 96_000 {
        let count = [1024, 1, 441, 64][block % 4]
        block += 1
        frames += count
        let engine = bench.engine
        if watched { clinux_rtsan_enter() }
        engine.render(into: output, stride: 1024, channelCount: 2, frameCount: count)
        if watched { clinux_rtsan_exit() }
        bench.drain()
      }
    }
    let handle = bench.engine.handle
    if watched { clinux_rtsan_enter() }
    bench.engine.skip(frameCount: 48_000)
    handle.change(rate: 44_100)
    bench.engine.skip(frameCount: 48_000)
    if watched { clinux_rtsan_exit() }
    bench.drain()
  }

  static let actions: [EngineCommand.Action] = {
    let seven = try? Meter(7, 8)
    let pattern = seven.flatMap { try? AccentPattern(text: "X-x-.x-", for: $0) }
    let slow = Tempo(60)!
    let fast = Tempo(240)!
    var actions: [EngineCommand.Action] = [
      .freeClock(true), .start(countInBars: 1, beatOne: .distantPast),
      .subdivision(Subdivision(unchecked: 4, level: .soft, swing: .triplet)),
      .layer(count: 5, accent: .normal), .sync(perQuarter: 4),
      .tempo(fast, .beat), .tempo(slow, .bar), .tempo(fast, .now),
      .bend(thousandths: 1040), .bend(thousandths: 1000), .phase(tap: FrameIndex(500_000)),
      .barMuting(.cycle(play: 1, mute: 1)),
      .barMuting(.random(percentHundredths: 3000, seed: 7)),
      .barMuting(.growing(play: 1, maximum: 4)), .barMuting(.off),
      .glide(GlideRamp(unchecked: slow, to: fast, length: .seconds(1.5)), .beat), .cancelRamp,
      .glide(GlideRamp(unchecked: slow, to: fast, length: .bars(1)), .bar), .cancelRamp,
      .trainer(
        SpeedTrainer(
          unchecked: slow, to: fast, stepThousandths: 60_000, share: .totalMilliseconds(4000),
          end: .return)),
      .cancelRamp, .mute(true), .mute(false), .audibleLevels(1), .audibleLevels(15),
      .masterGain(0.5), .levelGain(.strong, 0.25), .audioOffset(FrameCount(480)),
      .timer(milliseconds: 1000, stops: false), .stop, .locate(bar: 3, beat: 2), .resume,
      .announce(horizon: FrameCount(9600), commit: FrameCount(960)), .leadIn(FrameCount(9600)),
      .score(song.reference), .start(countInBars: 0, beatOne: .distantPast), .jump(section: 2),
      .meter(.common, .standard(for: .common)), .stop, .resume, .jump(section: 0), .panic,
      .clearScore,
    ]
    if let seven, let pattern { actions.insert(.meter(seven, pattern), at: 4) }
    return actions
  }()
}
