import Testing
import ThreadCrossing

@testable import TactusDaemon

@Suite("What sounds beside the clicks")
struct OverlayTests {
  /// Renders frames in periods of a length, over silence or something else.
  private static func render(
    _ blocks: [OverlayBlock], frames: Int, period: Int, channels: Int = 2, bed: Float = 0
  ) -> [[Float]] {
    let desk = OverlayDesk()
    let queue = desk.open()
    for block in blocks { #expect(queue.push(block)) }
    var mixer = OverlayMixer()
    mixer.use(desk.supply.load())
    var heard = [[Float]](repeating: [], count: channels)
    var frame = 0
    while frame < frames {
      var planar = [Float](repeating: bed, count: period * channels)
      planar.withUnsafeMutableBufferPointer {
        mixer.mix(
          at: Int64(frame), into: $0.baseAddress!, channelStride: period, channelCount: channels,
          frameCount: period)
      }
      for channel in 0..<channels {
        heard[channel] += planar[channel * period..<(channel + 1) * period]
      }
      frame += period
    }
    return heard.map { Array($0.prefix(frames)) }
  }

  private static func block(at frame: Int64, count: Int, _ value: Float) -> OverlayBlock {
    var block = OverlayBlock()
    block.frame = frame
    block.frameCount = Int32(count)
    for index in 0..<count {
      block.samples[index * 2] = value + Float(index) / 1_024
      block.samples[index * 2 + 1] = -value
    }
    return block
  }

  @Test(
    "each sample falls on its frame, however the stream is cut", arguments: [1, 64, 100, 1_024])
  func frames(period: Int) {
    let heard = Self.render(
      [Self.block(at: 130, count: 256, 0.25), Self.block(at: 500, count: 10, 0.5)], frames: 1_024,
      period: period, bed: 0.125)
    for frame in 0..<1_024 {
      var left: Float = 0.125
      var right: Float = 0.125
      if (130..<386).contains(frame) {
        left += 0.25 + Float(frame - 130) / 1_024
        right -= 0.25
      }
      if (500..<510).contains(frame) {
        left += 0.5 + Float(frame - 500) / 1_024
        right -= 0.5
      }
      #expect(heard[0][frame] == left && heard[1][frame] == right, "\(frame)")
    }
  }

  @Test("what comes too late is not heard late, and nothing passes full scale")
  func late() {
    let heard = Self.render(
      [Self.block(at: -300, count: 256, 0.5), Self.block(at: -10, count: 20, 0.75)], frames: 64,
      period: 64, bed: 0.5)
    for frame in 0..<10 { #expect(heard[0][frame] == 1) }
    for frame in 10..<64 { #expect(heard[0][frame] == 0.5) }
  }

  @Test("a single channel has the mean of both")
  func mono() {
    let heard = Self.render([Self.block(at: 0, count: 1, 0.5)], frames: 4, period: 4, channels: 1)
    #expect(heard[0] == [0, 0, 0, 0])
  }

  @Test("a queue is freed only once the audio thread has left it")
  func handingOver() {
    let desk = OverlayDesk()
    weak let first = desk.open()
    desk.inUse.store(desk.supply.version)
    desk.close()
    desk.service()
    #expect(first != nil)
    desk.inUse.store(desk.supply.version)
    desk.service()
    #expect(first == nil)
  }
}
