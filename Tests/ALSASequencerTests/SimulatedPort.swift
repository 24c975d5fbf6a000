import MetronomeModel
import MusicalTime
import RealtimeEngine

@testable import ALSASequencer

/// 48 frames are a millisecond, frame 0 is at 10 s: whole numbers in every expectation.
let rate: Int64 = 48_000
let origin: Int64 = 10_000_000_000
let testClock = FrameClock(
  frame: FrameIndex(0), heardAt: MonotonicTime(nanoseconds: origin), framesPerSecond: rate)

/// Milliseconds after frame 0.
func at(_ milliseconds: Double) -> MonotonicTime {
  MonotonicTime(nanoseconds: origin + Int64((milliseconds * 1_000_000).rounded()))
}

/// A message and when it left, in microseconds after frame 0.
struct Sent: Equatable, CustomStringConvertible {
  var message: MIDIMessage
  var microseconds: Int64
  var destination = MIDIDestination.subscribers
  var description: String { "\(message)@\(microseconds)" }
  var isClock: Bool { message == .clock }
}

/// Plays a port against a list of facts, with time as a number that jumps from one instant at
/// which something happens to the next.
struct SimulatedPort {
  var stream: MIDIClockStream
  var sent: [Sent] = []
  private(set) var now: MonotonicTime = at(-1000)

  init(_ configuration: MIDIPortConfiguration) {
    stream = MIDIClockStream(settings: MIDIStreamSettings(configuration))
  }

  /// Each fact becomes known at its instant (milliseconds); messages leave when they are due.
  mutating func play(
    _ facts: [(known: Double, event: EngineEvent)], until end: Double, clock: FrameClock = testClock
  ) {
    for fact in facts {
      run(until: fact.known, clock: clock)
      stream.take(fact.event, clock: clock, now: now)
    }
    run(until: end, clock: clock)
  }

  mutating func run(until milliseconds: Double, clock: FrameClock = testClock) {
    let end = at(milliseconds)
    var steps = 0
    while let due = stream.nextDue(clock), due <= end, steps < 2_000_000 {
      steps += 1
      if due > now { now = due }
      collect(clock)
    }
    if end > now { now = end }
  }

  /// The process did not run for a while: nothing left, and then all at once.
  mutating func oversleep(
    _ facts: [(known: Double, event: EngineEvent)], until milliseconds: Double
  ) {
    for fact in facts { stream.take(fact.event, clock: testClock, now: now) }
    now = at(milliseconds)
    collect(testClock)
  }

  mutating func collect(_ clock: FrameClock) {
    while let message = stream.next(clock, now: now, until: now) {
      sent.append(
        Sent(
          message: message.message, microseconds: (now.nanoseconds - origin) / 1000,
          destination: message.destination))
    }
  }

  var clockTimes: [Int64] { sent.filter(\.isClock).map(\.microseconds) }
  var transport: [Sent] { sent.filter { !$0.isClock } }
}

/// The facts of a run in 4/4 at a constant tempo, 120 unless it is named: a pulse every 1000
/// frames at 120 (48000 x 60 / 120 / 24).
struct Run {
  var facts: [(known: Double, event: EngineEvent)] = []
  /// Milliseconds by which pulses are known ahead.
  var ahead: Double = 100
  var framesPerPulse: Int64 = 1000

  static func milliseconds(_ frame: Int64) -> Double { Double(frame) / 48 }

  mutating func start(at frame: Int64, countInPulses: Int64 = 0, known: Double) {
    facts.append(
      (
        known,
        .started(
          StartEvent(
            frame: FrameIndex(frame),
            firstFrame: FrameIndex(frame - countInPulses * framesPerPulse),
            firstPulse: -countInPulses))
      ))
  }

  mutating func resume(at frame: Int64, pulse: Int64, song: Int64, known: Double) {
    facts.append(
      (
        known,
        .continued(
          ContinueEvent(frame: FrameIndex(frame), firstPulse: pulse, songPulse: song))
      ))
  }

  mutating func stop(at frame: Int64, next: Int64, panic: Bool = false, known: Double? = nil) {
    facts.append(
      (
        known ?? Run.milliseconds(frame),
        .stopped(
          StopEvent(
            frame: FrameIndex(frame), nextPulse: next, songPulse: next, isPanic: panic))
      ))
  }

  /// Pulses `numbers`, the first of them at `frame`; a bar is 96 pulses.
  mutating func pulses(
    _ numbers: Range<Int64>, from frame: Int64, song: Int64? = nil,
    flags: PulseEvent.Flags = []
  ) {
    for number in numbers {
      let due = frame + (number - numbers.lowerBound) * framesPerPulse
      let place = (song ?? numbers.lowerBound) + number - numbers.lowerBound
      var flags = flags
      if !flags.contains(.free), place % 96 == 0 { flags.insert(.barLine) }
      if number < 0, !flags.contains(.free) { flags.insert(.countIn) }
      facts.append(
        (
          Run.milliseconds(due) - ahead,
          .pulse(
            PulseEvent(
              frame: FrameIndex(due), number: number, songPulse: place, flags: flags))
        ))
    }
  }

  mutating func beat(
    bar: Int32, beat: UInt8, at frame: Int64, accent: Accent = .normal, flags: BeatFlags = []
  ) {
    facts.append(
      (
        Run.milliseconds(frame) - ahead,
        .beat(
          BeatEvent(
            frame: FrameIndex(frame), bar: bar, beat: beat, beatCount: 4, accent: accent,
            flags: flags, quarterThousandths: 120_000))
      ))
  }

  mutating func jump(at frame: Int64, number: Int64, song: Int64) {
    facts.append(
      (
        Run.milliseconds(frame) - ahead,
        .jumped(JumpEvent(frame: FrameIndex(frame), number: number, songPulse: song))
      ))
  }

  /// In order of becoming known; equal instants keep their order.
  var ordered: [(known: Double, event: EngineEvent)] {
    facts.enumerated().sorted {
      $0.element.known != $1.element.known
        ? $0.element.known < $1.element.known : $0.offset < $1.offset
    }.map(\.element)
  }
}

func gaps(_ times: [Int64]) -> [Int64] { zip(times.dropFirst(), times).map { $0 - $1 } }
