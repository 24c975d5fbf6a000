import MetronomeModel
import MusicalTime
import RealtimeEngine
import Synchronization
import Testing

@testable import Conductor

/// A Conductor whose library answers when the test says; the engine answers at once.
private struct SlowLibrary {
  var conductor = Conductor(rate: 48_000)
  var outputs: [ConductorOutput] = []
  /// What is to be read, in the order in which it was asked for.
  var wanted: [(request: LibraryRequest, ticket: UInt32)] = []
  let library = Shelf.evening

  init() { carryOut(conductor.begin()) }

  static func instant(_ milliseconds: Int64) -> ControlInstant {
    ControlInstant(
      time: MonotonicTime(nanoseconds: milliseconds * 1_000_000),
      frame: FrameIndex(milliseconds * 48)
    )
  }

  mutating func submit(
    _ command: ControlCommand, request: UInt32, bundle: UInt32 = 0, at milliseconds: Int64 = 0
  ) {
    carryOut(
      conductor.submit(
        command, request: request, bundle: bundle, now: Self.instant(milliseconds)))
  }

  /// Answers everything that has been asked, and what is asked because of it.
  mutating func read(at milliseconds: Int64) {
    while !wanted.isEmpty {
      let next = wanted.removeFirst()
      carryOut(
        conductor.libraryAnswered(
          next.request.answer(from: library), ticket: next.ticket,
          now: Self.instant(milliseconds)))
    }
  }

  mutating func service(at milliseconds: Int64) {
    carryOut(conductor.service(now: Self.instant(milliseconds)))
  }

  private mutating func carryOut(_ list: [ConductorOutput]) {
    for output in list {
      outputs.append(output)
      switch output {
      case .read(let request, let ticket): wanted.append((request, ticket))
      case .engine(let command) where command.identifier != 0:
        carryOut(
          conductor.receive(
            .effective(EffectiveEvent(frame: FrameIndex(9), command: command.identifier))))
      case .prepareSounds(_, let ticket):
        let bank = SoundBankReference(identifier: 7, slots: nil, beats: nil, beatCount: 0)
        carryOut(conductor.soundsPrepared(bank, ticket: ticket))
      default: break
      }
    }
  }

  /// Where in the outputs a request was answered; nil where it was not.
  func answer(_ request: UInt32) -> Int? {
    outputs.firstIndex {
      switch $0 {
      case .accepted(request), .effective(request, _), .refused(request, _): true
      default: false
      }
    }
  }

  func answers(_ request: UInt32) -> Int {
    outputs.filter {
      switch $0 {
      case .accepted(request), .effective(request, _), .refused(request, _): true
      default: false
      }
    }.count
  }

  func refusal(_ request: UInt32) -> Refusal? {
    for case .refused(request, let refusal) in outputs { return refusal }
    return nil
  }
}

@Suite("Files that are waited for")
struct ErrandTests {
  @Test("a preset acts when it has been read, and is answered once, then")
  func later() {
    var rig = SlowLibrary()
    rig.submit(.preset(.name("slow")), request: 1)
    #expect(rig.wanted.count == 1)
    #expect(rig.answer(1) == nil)
    #expect(rig.conductor.state.tempo == .quarters(120))
    rig.read(at: 3)
    #expect(rig.answers(1) == 1)
    #expect(rig.conductor.state.tempo == .quarters(60))
  }

  @Test("what comes while a file is read acts after it, in its order")
  func order() throws {
    var rig = SlowLibrary()
    rig.submit(.preset(.name("slow")), request: 1)
    rig.submit(.tempo(130, unit: nil, when: .beat), request: 2)
    rig.submit(.nudge(2), request: 3)
    #expect(rig.answer(2) == nil && rig.answer(3) == nil)
    rig.read(at: 4)
    #expect(rig.conductor.state.tempo == .quarters(132))
    let answers = try [1, 2, 3].map { try #require(rig.answer($0)) }
    #expect(answers == answers.sorted())
  }

  @Test("a tap that waited behind a file moves the beat to its own instant")
  func tap() throws {
    var rig = SlowLibrary()
    rig.submit(.tapPhase(true), request: 1)
    rig.submit(.start, request: 2)
    for (index, milliseconds) in [Int64(0), 500, 1_000].enumerated() {
      if index == 2 { rig.submit(.preset(.name("quiet")), request: 9, at: milliseconds) }
      rig.submit(
        .tap(at: MonotonicTime(nanoseconds: milliseconds * 1_000_000), series: 4),
        request: UInt32(10 + index), at: milliseconds)
    }
    rig.read(at: 1_080)
    let phases = rig.outputs.compactMap { output -> FrameIndex? in
      guard case .engine(let command) = output, case .phase(let tap) = command.action else {
        return nil
      }
      return tap
    }
    // 1000 ms at 48 frames a millisecond, although it was judged 80 ms later.
    #expect(phases.last == FrameIndex(48_000))
  }

  @Test("two presets in a row are both loaded, the later one last")
  func twoPresets() {
    var rig = SlowLibrary()
    rig.submit(.preset(.name("waltz")), request: 1)
    rig.submit(.preset(.name("slow")), request: 2)
    rig.read(at: 5)
    #expect(rig.answers(1) == 1 && rig.answers(2) == 1)
    #expect(rig.conductor.state.preset == "slow")
    // What only the first one names stays.
    #expect(rig.conductor.state.meter == Shelf.three)
  }

  @Test("a file that does not come holds up a tempo for a tenth of a second")
  func patience() {
    var rig = SlowLibrary()
    rig.submit(.preset(.name("slow")), request: 1)
    rig.submit(.tempo(130, unit: nil, when: .beat), request: 2, at: 20)
    #expect(rig.conductor.nextDeadline == MonotonicTime(nanoseconds: 120_000_000))
    rig.service(at: 99)
    #expect(rig.answer(2) == nil)
    rig.service(at: 120)
    #expect(rig.answer(2) != nil)
    // From then on nothing is held up any more.
    rig.submit(.volume(decibels: -30), request: 3, at: 130)
    #expect(rig.answer(3) != nil)
    #expect(rig.conductor.state.tempo == .quarters(130))
  }

  @Test("what passed a slow preset stays when it comes; the rest of it counts")
  func passed() {
    var rig = SlowLibrary()
    rig.submit(.preset(.name("waltz")), request: 1)
    rig.submit(.tempo(130, unit: nil, when: .beat), request: 2, at: 200)
    rig.submit(.volume(decibels: -33), request: 3, at: 200)
    rig.read(at: 900)
    #expect(rig.conductor.state.tempo == .quarters(130))
    #expect(rig.conductor.state.volumeDecibels == -33)
    #expect(rig.conductor.state.meter == Shelf.three)
    #expect(rig.conductor.state.preset == "waltz")
  }

  @Test("commands of one bundle wait for its preset as long as it takes")
  func bundle() {
    var rig = SlowLibrary()
    rig.submit(.preset(.name("waltz")), request: 1, bundle: 5)
    // Three letters: refused by the meter before, right for the waltz.
    rig.submit(.pattern("X-x"), request: 2, bundle: 5)
    rig.service(at: 2_000)
    #expect(rig.answer(2) == nil)
    rig.read(at: 2_001)
    #expect(rig.refusal(2) == nil && rig.answer(2) != nil)
  }

  @Test("stop, panic and mute pass a file, and void what waits and would undo them")
  func passes() {
    for stop in [ControlCommand.stop, .panic] {
      var rig = SlowLibrary()
      rig.submit(.preset(.name("slow")), request: 1, bundle: 1)
      rig.submit(.start, request: 2, bundle: 1)
      rig.submit(stop, request: 3, at: 1)
      #expect(rig.answer(3) != nil)
      #expect(rig.refusal(2)?.code == .state)
      rig.read(at: 2)
      #expect(!rig.conductor.state.isRunning)
      #expect(rig.answers(2) == 1)
    }
    var rig = SlowLibrary()
    rig.submit(.preset(.name("waltz")), request: 1)
    rig.submit(.mute(true), request: 2)
    rig.submit(.mute(false), request: 3)
    #expect(rig.conductor.state.isMuted == false && rig.answer(3) != nil)
    rig.read(at: 2)
    // The preset mutes; the hand came later.
    #expect(rig.conductor.state.isMuted == false)
  }

  @Test("a file that cannot be read in five seconds is refused by its name; what waited goes on")
  func hung() throws {
    var rig = SlowLibrary()
    rig.submit(.preset(.name("waltz")), request: 1, bundle: 1)
    rig.submit(.tempo(99, unit: nil, when: .beat), request: 2, bundle: 1)
    rig.service(at: 4_999)
    #expect(rig.answer(1) == nil)
    rig.service(at: 5_000)
    let refusal = try #require(rig.refusal(1))
    #expect(refusal.code == .storage && refusal.reason.contains("preset 'waltz'"))
    #expect(rig.conductor.state.tempo == .quarters(99))
    // It comes after all: too late.
    rig.read(at: 6_000)
    #expect(rig.answers(1) == 1)
    #expect(rig.conductor.state.meter == .common)
  }

  @Test("a preset overtaken by another does not come back over it")
  func overtaken() {
    var rig = SlowLibrary()
    rig.submit(.preset(.name("waltz")), request: 1)
    let first = rig.wanted.removeFirst()
    rig.submit(.preset(.name("slow")), request: 2, at: 300)
    rig.read(at: 301)
    #expect(rig.conductor.state.preset == "slow")
    rig.wanted = [first]
    rig.read(at: 400)
    #expect(rig.conductor.state.preset == "slow")
    #expect(rig.refusal(1)?.code == .state)
  }

  @Test("a save holds nobody up and keeps the state of its moment")
  func save() {
    var rig = SlowLibrary()
    rig.submit(.savePreset(name: "mine"), request: 1)
    rig.submit(.tempo(77, unit: nil, when: .beat), request: 2)
    #expect(rig.answer(2) != nil && rig.answer(1) == nil)
    rig.read(at: 1)
    #expect(rig.answers(1) == 1)
    #expect(rig.library.saved.withLock { $0["mine"]?.tempo } == .quarters(120))
    #expect(rig.conductor.state.preset == "mine")
  }

  @Test("every request of a storm of presets and commands behind a slow disk has one answer")
  func storm() {
    var rig = SlowLibrary()
    for request in UInt32(1)...3_000 {
      let command: ControlCommand =
        request % 7 == 0
        ? .preset(.number(Int(request % 6) + 1)) : .volume(decibels: -Double(request % 40))
      rig.submit(command, request: request, bundle: request / 5, at: Int64(request))
      if request % 400 == 0 { rig.read(at: Int64(request)) }
      rig.service(at: Int64(request))
    }
    rig.read(at: 3_001)
    rig.service(at: 9_000)
    for request in UInt32(1)...3_000 { #expect(rig.answers(request) == 1, "\(request)") }
    #expect(rig.conductor.nextDeadline == nil)
  }
}
