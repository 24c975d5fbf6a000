import Glibc
import MusicalTime
import RealtimeEngine
import Testing
import ThreadCrossing

@testable import ALSAAudio

/// The engine behind a loop, without its sound: a day's samples would take minutes. Checks each pulse as it is
/// announced.
private final class PulseSource: AudioSource {
  let queues: EngineQueues
  private let engine: Engine
  private let handle: EngineHandle
  /// 31.7 quarters a minute at 8000 frames a second: a pulse every 8000 x 60 / (31.7 x 24) frames.
  static let rate: Int64 = 8_000
  static let tempo = Tempo(unchecked: 31_700, unit: .quarter)

  private var beatOne: FrameIndex?
  private(set) var pulses: Int64 = 0
  private(set) var lastNumber: Int64 = -1
  /// Pulses that nobody was told of, as they were due in a long hole.
  private(set) var untold: Int64 = 0
  /// Pulses that are not on their frame, or twice there.
  private(set) var wrong = 0

  init() {
    let queues = EngineQueues()
    self.queues = queues
    engine = Engine(queues: queues, rate: PulseSource.rate, tempo: PulseSource.tempo)
    handle = engine.handle
    _ = queues.send(
      EngineCommand(.start(countInBars: 0, beatOne: .distantPast), identifier: 1))
  }

  /// The frame of a pulse by its number, rounded half up:
  /// n x 8000 x 60 x 1000 / (31700 x 24) = n x 480000000 / 760800 = n x 400000 / 634 = n x 200000 / 317.
  static func frame(_ number: Int64, beatOne: FrameIndex) -> FrameIndex {
    beatOne + FrameCount((2 * number * 200_000 + 317) / (2 * 317))
  }

  /// How many pulses are due before a frame.
  func due(before frame: FrameIndex) -> Int64 {
    guard let beatOne else { return 0 }
    var count = (frame - beatOne).value * 317 / 200_000
    while PulseSource.frame(count, beatOne: beatOne) < frame { count += 1 }
    while count > 0, PulseSource.frame(count - 1, beatOne: beatOne) >= frame { count -= 1 }
    return count
  }

  @_noAllocation @_noLocks
  func render(
    into output: UnsafeMutablePointer<Float>, channelStride: Int, channelCount: Int, frameCount: Int
  ) { handle.skip(frameCount: Int64(frameCount)) }

  func skip(frameCount: Int64) { handle.skip(frameCount: frameCount) }

  func skip(frameCount: Int64, past: Int64) { handle.skip(frameCount: frameCount, past: past) }

  func didRender() {
    while queues.events.pop() != nil {}
    while let event = queues.clockEvents.pop() {
      switch event {
      case .started(let start): beatOne = start.frame
      case .pulse(let pulse):
        pulses += 1
        guard let beatOne else { continue }
        if pulse.number <= lastNumber { wrong += 1 }
        if pulse.frame != PulseSource.frame(pulse.number, beatOne: beatOne) { wrong += 1 }
        untold += pulse.number - lastNumber - 1
        lastNumber = pulse.number
      default: break
      }
    }
  }
}

@Suite struct DayLaws {
  /// SplitMix64 (Steele, Lea, Flood 2014): the same faults at each run.
  private struct Dice: RandomNumberGenerator {
    var state: UInt64 = 12
    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = state
      z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
      return z ^ (z >> 31)
    }
  }

  @Test("through a day of faults every pulse keeps its number and its frame")
  func day() {
    let time = SimulatedTime()
    let source = PulseSource()
    let plan = PCMConfiguration(
      framesPerSecond: 8_000, channelCount: 2, format: .float32, periodFrames: 800,
      bufferFrames: 1_600)
    let start = FrameClock(
      frame: FrameIndex(0), heardAt: time.time.advanced(byNanoseconds: 200_000_000),
      framesPerSecond: 8_000)
    let clockCell = LatestValue(start)
    let statusCell = LatestValue(OutputStatus(framesPerSecond: 8_000))
    let arrivals = SPSCQueue<Unmanaged<OutputStream>>(capacity: 4)
    let facts = SPSCQueue<StreamFact>(capacity: 1_024)
    let loop = OutputLoop(
      source: source, host: time, clock: start, plan: plan, clockCell: clockCell.writer,
      statusCell: statusCell.writer, arrivals: arrivals.ends, facts: facts.ends, deviceWakeUp: nil)
    var dice = Dice()
    var streams: [OutputStream] = []
    var card: SimulatedCard?
    var faults: [String: Int] = [:]
    // Milliseconds in which nothing ran.
    var held: Int64 = 0
    func pass(_ milliseconds: ClosedRange<Int64>) {
      let length = Int64.random(in: milliseconds, using: &dice)
      held += length
      time.pass(milliseconds: length)
    }

    func plug() {
      let next = SimulatedCard(
        time, framesPerSecond: 8_000, driftPPM: Double.random(in: -100...100, using: &dice),
        periodFrames: 800, bufferFrames: 1_600)
      next.isRecording = false
      let stream = OutputStream(device: next)
      streams = [stream]
      arrivals.push(Unmanaged.passUnretained(stream))
      card = next
    }
    func run(seconds: Double) {
      let end = time.time.advanced(byNanoseconds: Int64(seconds * 1e9))
      while time.time < end { loop.turn() }
    }

    let begin = time.time
    plug()
    while time.time.nanoseconds(since: begin) < 86_400_000_000_000 {
      run(seconds: Double.random(in: 600...1_200, using: &dice))
      switch Int.random(in: 0..<6, using: &dice) {
      case 0:
        // An xrun.
        faults["xrun", default: 0] += 1
        pass(250...900)
      case 1:
        faults["stopped", default: 0] += 1
        pass(1_000...120_000)
      case 2:
        faults["asleep", default: 0] += 1
        card?.suspend()
        pass(10_000...3_600_000)
      case 3:
        // Gone for a while; another comes, with a crystal of its own.
        faults["pulled", default: 0] += 1
        card?.planned[.wait] = [-Int(ENODEV)]
        card?.planned[.available] = [-Int(ENODEV)]
        run(seconds: Double.random(in: 1...300, using: &dice))
        plug()
      case 4:
        // Stands still without a word, and is given back after two seconds.
        faults["frozen", default: 0] += 1
        card?.frozenAt = time.time
        run(seconds: 10)
        plug()
      default:
        faults["short", default: 0] += 1
        card?.shortWrite = 100
        card?.planned[.write] = [-Int(EPIPE)]
      }
    }
    run(seconds: 30)
    #expect(faults.count == 6 && faults.values.reduce(0, +) > 60, "\(faults)")
    #expect(source.wrong == 0)
    // Every pulse was told, or fell into a hole: 12.68 a second.
    #expect(source.untold > 0 && source.untold <= held * 1_268 / 100_000)
    // And the last one is the last that could be told.
    let told = source.lastNumber + 1
    let heard = source.due(before: clockCell.load().frame(at: time.time))
    // They are told up to a buffer and a horizon ahead, 0.3 s.
    #expect((0...5).contains(told - heard))
    #expect(statusCell.load().state == .playing)
    withExtendedLifetime(streams) {}
    #expect(source.queues.events.refused == 0 && source.queues.clockEvents.refused == 0)
  }
}
