import Glibc
import MusicalTime
import Testing
import ThreadCrossing

@testable import ALSAAudio

/// An input, its loop and what came out of it, in simulated time.
private final class CaptureBench {
  let time = SimulatedTime()
  let input: SimulatedInput
  let loop: CaptureLoop
  let clock: LatestValue<FrameClock>
  let status = LatestValue(CaptureStatus())
  let blocks: SPSCQueue<CaptureBlock>
  /// First channel of what was handed on, by its frame.
  var heard: [Int64: Float] = [:]
  var second: [Int64: Float] = [:]

  init(
    rate: Int = 48_000, driftPPM: Double = 0, channels: Int = 2, kept: Int = 2,
    capacity: Int = 1_024, jitter: Int64 = 0
  ) {
    input = SimulatedInput(
      time, framesPerSecond: rate, driftPPM: driftPPM, channels: channels)
    input.stampJitter = jitter
    clock = LatestValue(
      FrameClock(frame: FrameIndex(0), heardAt: time.time, framesPerSecond: Int64(rate)))
    blocks = SPSCQueue(capacity: capacity)
    loop = CaptureLoop(
      device: input, keptChannels: kept, host: time, clockCell: clock.writer,
      statusCell: status.writer, blocks: blocks.ends)
    loop.begin()
  }

  func run(milliseconds: Int64, isDrained: Bool = true) {
    let end = time.time.advanced(byNanoseconds: milliseconds * 1_000_000)
    while time.time < end, !loop.hasEnded {
      loop.turn()
      if isDrained { drain() }
    }
  }

  func drain() {
    while let block = blocks.pop() {
      let channels = Int(block.channelCount)
      for frame in 0..<Int(block.frameCount) {
        heard[block.frame + Int64(frame)] = block.samples[frame * channels]
        if channels > 1 { second[block.frame + Int64(frame)] = block.samples[frame * channels + 1] }
      }
    }
  }
}

@Suite("The capture thread")
struct CaptureLoopTests {
  @Test("every frame arrives once, exact to the bit", arguments: [44_100, 48_000, 96_000])
  func exact(rate: Int) {
    let bench = CaptureBench(rate: rate)
    bench.run(milliseconds: 1_000)
    #expect(bench.heard.count > rate * 9 / 10)
    for (frame, sample) in bench.heard {
      #expect(SimulatedInput.frame(sample) == frame)
      #expect(bench.second[frame] == -sample)
    }
    #expect(bench.heard.count == Int(bench.status.load().frame))
    #expect(bench.status.load().state == .running)
  }

  @Test("only the channels asked for are kept")
  func channels() {
    let bench = CaptureBench(channels: 8, kept: 1)
    bench.run(milliseconds: 300)
    #expect(!bench.heard.isEmpty && bench.second.isEmpty)
    #expect(bench.heard.allSatisfy { SimulatedInput.frame($0.value) == $0.key })
  }

  @Test(
    "its clock says when each frame was captured, to a tenth of a frame after two seconds",
    arguments: [0.0, 100, -100], [0, 20_000] as [Int64])
  func clock(driftPPM: Double, jitter: Int64) {
    let bench = CaptureBench(driftPPM: driftPPM, jitter: jitter)
    bench.run(milliseconds: 5_000)
    let clock = bench.clock.load()
    let frame = bench.status.load().frame
    let error = clock.exactFrame(at: bench.input.instant(of: frame)) - Double(frame)
    #expect(abs(error) < (jitter == 0 ? 0.1 : 0.3), "\(error)")
    #expect(abs(clock.driftPPM - driftPPM) < 10)
  }

  @Test("an overrun is a hole of its exact length, and every later frame keeps its place")
  func overrun() {
    let bench = CaptureBench()
    bench.run(milliseconds: 2_000)
    for milliseconds: Int64 in [400, 3_000] {
      // The process stands still for longer than the buffer holds.
      bench.time.pass(milliseconds: milliseconds)
      bench.run(milliseconds: 1_500)
    }
    #expect(bench.status.load().xruns == 2)
    #expect(bench.input.starts == 3)
    #expect(bench.status.load().state == .running)
    let missing = bench.status.load().frame - Int64(bench.heard.count)
    #expect(bench.status.load().missingFrames == missing)
    #expect(missing > 48_000 * 3)
    // A frame of jitter at most: the frames' own place is what they say they are.
    for (frame, sample) in bench.heard {
      #expect(abs(SimulatedInput.frame(sample) - frame) <= 1)
    }
  }

  @Test("a full queue loses whole blocks, which are counted and leave holes")
  func fullQueue() {
    let bench = CaptureBench(capacity: 16)
    bench.run(milliseconds: 500, isDrained: false)
    bench.drain()
    bench.run(milliseconds: 500)
    let status = bench.status.load()
    #expect(status.missingFrames > 10_000 && status.xruns == 0)
    #expect(status.frame == status.missingFrames + Int64(bench.heard.count))
    #expect(bench.heard.allSatisfy { SimulatedInput.frame($0.value) == $0.key })
  }

  @Test("a microphone that is pulled ends the thread's work with its code")
  func gone() {
    let bench = CaptureBench()
    bench.run(milliseconds: 1_000)
    bench.input.goneAt = bench.time.time.advanced(byNanoseconds: 5_000_000)
    bench.run(milliseconds: 1_000)
    #expect(bench.status.load().state == .ended)
    #expect(bench.status.load().code == ENODEV)
    #expect(bench.heard.count > 40_000)
  }

  @Test("no format loses a bit of what it holds")
  func formats() {
    let bytes: [UInt8] = [0x01, 0x80, 0x7F, 0xFF, 0x00, 0x00, 0x80, 0x00]
    var out = [Float](repeating: 0, count: 2)
    func decode(_ format: SampleFormat, _ count: Int) -> [Float] {
      bytes.withUnsafeBytes { input in
        out.withUnsafeMutableBufferPointer {
          format.decode(
            input.baseAddress!, channelCount: 1, kept: 1, frameCount: count,
            into: $0.baseAddress!)
        }
      }
      return Array(out[..<count])
    }
    // 0x8001, then 0xFF7F, little-endian: -32767 and -129.
    #expect(decode(.int16, 2) == [-32_767 / 32_768, -129 / 32_768])
    // 0x7F8001, then 0x0000FF: full scale less 32767 steps, and 255 steps.
    #expect(decode(.int24Packed, 2) == [8_355_841 / 8_388_608, 255 / 8_388_608])
    // The upper byte 0xFF is not the sign's: 0x7F8001 as before; 0x800000 is the lowest.
    #expect(decode(.int24, 2) == [8_355_841 / 8_388_608, -1])
  }
}
