import MetronomeModel
import MusicalTime
import RealtimeEngine
import Testing

@testable import BeatOutputs
@testable import OSCProtocol
@testable import OSCService
@testable import OSCWire

/// Bytes from text in which `_` is a zero byte.
private func wire(_ text: String) -> [UInt8] {
  text.utf8.map { $0 == UInt8(ascii: "_") ? 0 : $0 }
}

/// Remembers what was sent, when and to whom.
final class RecordingOutlet: BeatOutlet {
  var sent: [(at: Int64, bytes: [UInt8], topic: SubscriptionTopics?)] = []
  var now: Int64 = 0
  var topics: SubscriptionTopics = .all

  func send(_ bytes: [UInt8], topic: SubscriptionTopics) { sent.append((now, bytes, topic)) }
  func send(_ bytes: [UInt8], to address: SocketAddress) { sent.append((now, bytes, nil)) }
  func hasSubscribers(_ topic: SubscriptionTopics) -> Bool { topics.contains(topic) }

  var messages: [(at: Int64, tag: OSCTimetag, message: OSCMessage)] {
    sent.flatMap { item in
      ((try? OSCPacketReader.packet(item.bytes))?.messages ?? []).map {
        (item.at, $0.timetag, $0.message)
      }
    }
  }
}

@Suite struct BeatBroadcasterTests {
  static let clock = OSCClock(
    now: { MonotonicTime(nanoseconds: 0) }, wallOffset: { 1_000_000_000_000_000_000 })

  func make(
    _ targets: [ProfileTarget] = []
  ) -> (RecordingOutlet, BeatBroadcaster) {
    let outlet = RecordingOutlet()
    return (
      outlet,
      BeatBroadcaster(
        outlet: outlet, clock: BeatBroadcasterTests.clock, run: 0x0102_0304, targets: targets)
    )
  }

  /// 48 frames a millisecond; bar and beat of a 4/4 from beat index.
  func beat(_ index: Int64, flags: BeatFlags = [], tempo: Int32 = 120_000) -> BeatEvent {
    BeatEvent(
      frame: FrameIndex(index * 24_000), bar: Int32(index / 4), beat: UInt8(index % 4),
      beatCount: 4, accent: index % 4 == 0 ? .strong : .normal, flags: flags,
      quarterThousandths: tempo)
  }

  func at(_ milliseconds: Double) -> MonotonicTime {
    MonotonicTime(nanoseconds: Int64(milliseconds * 1e6))
  }

  /// Lets time pass in millisecond steps or to each deadline.
  func run(_ broadcaster: BeatBroadcaster, _ outlet: RecordingOutlet, to milliseconds: Double) {
    let end = at(milliseconds).nanoseconds
    while let deadline = broadcaster.nextDeadline, deadline.nanoseconds <= end {
      outlet.now = max(outlet.now, deadline.nanoseconds)
      broadcaster.service(now: MonotonicTime(nanoseconds: outlet.now))
    }
    outlet.now = end
  }

  @Test func `a beat is these bytes`() throws {
    let (outlet, broadcaster) = make()
    // Due at 0.5 s of the monotonic clock, which is 10^9 s + 0.5 s after 1970:
    // 0x83AA7E80 + 0x3B9ACA00 = 0xBF454880 s after 1900, and half of 2^32.
    broadcaster.handle(
      .beat(beat(1, flags: [.mutedBar, .mute])), heardAt: at(500), now: at(400))
    let expected: [UInt8] =
      wire("#bundle_") + [0xBF, 0x45, 0x48, 0x80, 0x80, 0, 0, 0] + [0, 0, 0, 68]
      + wire("/tactus/beat____") + wire(",iiiifiiih__")
      + [1, 2, 3, 4]  // run
      + [0, 0, 0, 1]  // sequence
      + [0, 0, 0, 1]  // bar
      + [0, 0, 0, 2]  // beat
      + [0x42, 0xF0, 0, 0]  // 120.0
      + [0, 0, 0, 4]  // beats in the bar
      + [0, 0, 0, 2]  // normal
      + [0, 0, 0, 3]  // muted bar and mute
      + [0, 0, 0, 0, 0x1D, 0xCD, 0x65, 0]  // 500000000 ns
    #expect(outlet.sent.map(\.bytes) == [expected])
    #expect(outlet.sent.first?.topic == .beat)
  }

  @Test func `a companion reads what the daemon writes`() throws {
    let beat = BeatMessage(
      BeatEvent(
        frame: FrameIndex(0), bar: -1, beat: 2, beatCount: 3, accent: .soft, flags: .countIn,
        quarterThousandths: 99_950), run: -5, sequence: 8, due: MonotonicTime(nanoseconds: 77))
    let message = beat.message(BeatMessage.beatAddress)
    #expect(String(message.arguments.map(\.tag)) == "iiiifiiih")
    #expect(BeatMessage(message) == beat)
    #expect(beat.bar == -1 && beat.beat == 3 && beat.count == 3 && beat.flags == 4)
    #expect(BeatMessage(OSCMessage("/tactus/beat", .int32(1))) == nil)
    #expect(
      BeatCancel(OSCMessage("/tactus/beat/cancel", .int32(1), .int32(2)))
        == BeatCancel(run: 1, first: 2, last: .max))
  }

  @Test func `count-in bars are -n to -1 and then 1`() {
    let (outlet, broadcaster) = make()
    for (index, bar) in [-2, -1, 0, 1].enumerated() {
      var event = beat(Int64(index) * 4, flags: bar < 0 ? .countIn : [])
      event.bar = Int32(bar)
      broadcaster.handle(.beat(event), heardAt: at(Double(index) * 2000), now: at(0))
    }
    let beats = outlet.messages.compactMap { BeatMessage($0.message) }
    #expect(beats.map(\.bar) == [-2, -1, 1, 2])
    #expect(beats.map(\.flags) == [4, 4, 0, 0])
    #expect(beats.map(\.sequence) == [1, 2, 3, 4])
  }

  @Test func `clicks between beats have an address, a number and a sequence of their own`() {
    let (outlet, broadcaster) = make()
    broadcaster.handle(.beat(beat(0)), heardAt: at(100), now: at(0))
    for (sub, source) in [
      (0, ClickEvent.Source.beat), (1, .subdivision), (2, .subdivision), (1, .layer),
    ] {
      broadcaster.handle(
        .click(
          ClickEvent(
            frame: FrameIndex(8_000), place: .zero, bar: 0, beat: 0, sub: UInt8(sub),
            source: source, accent: .soft, flags: [], quarterThousandths: 120_000)),
        heardAt: at(200), now: at(0))
    }
    let subs = outlet.messages.filter { $0.message.address == "/tactus/beat/sub" }
      .compactMap { BeatMessage($0.message) }
    #expect(subs.map(\.count) == [1, 2])
    #expect(subs.map(\.sequence) == [1, 2])
    #expect(subs.map(\.accent) == [1, 1])
    #expect(outlet.messages.count == 3)
  }

  @Test func `a stop voids what was announced at or after it, three times 20 ms apart`() throws {
    let (outlet, broadcaster) = make()
    for index in 0..<4 {
      broadcaster.handle(.beat(beat(Int64(index))), heardAt: at(Double(index) * 500), now: at(0))
    }
    // Stopped at frame 24001: beat 1 at frame 24000 is heard, beats 2 and 3 are not.
    outlet.now = at(510).nanoseconds
    broadcaster.handle(
      .stopped(
        StopEvent(frame: FrameIndex(24_001), nextPulse: 0, songPulse: 0, isPanic: false)),
      heardAt: at(520), now: at(510))
    run(broadcaster, outlet, to: 2_000)
    let cancels = outlet.messages.filter { $0.message.address == "/tactus/beat/cancel" }
    #expect(cancels.map(\.at) == [at(510), at(530), at(550)].map(\.nanoseconds))
    for cancel in cancels {
      #expect(cancel.message.arguments == [.int32(0x0102_0304), .int32(3), .int32(4)])
      #expect(cancel.tag == .immediately)
    }
    #expect(outlet.messages.count { $0.message.address == "/tactus/stop" } == 3)
    // The next start's beat is none of them, whatever the order in which the packets come.
    broadcaster.handle(.beat(beat(10)), heardAt: at(3_000), now: at(2_900))
    let next = try #require(outlet.messages.compactMap { BeatMessage($0.message) }.last)
    let cancel = try #require(BeatCancel(cancels[0].message))
    #expect(next.sequence == 5)
    #expect(!cancel.voids(next))
    #expect(
      outlet.messages.compactMap { BeatMessage($0.message) }.map { cancel.voids($0) }
        == [false, false, true, true, false])
  }

  @Test func `a stop with nothing announced voids nothing`() throws {
    let (outlet, broadcaster) = make()
    broadcaster.handle(
      .stopped(StopEvent(frame: FrameIndex(0), nextPulse: 0, songPulse: 0, isPanic: false)),
      heardAt: at(0), now: at(0))
    broadcaster.handle(.beat(beat(0)), heardAt: at(500), now: at(400))
    let cancel = try #require(outlet.messages.compactMap { BeatCancel($0.message) }.first)
    let beat = try #require(outlet.messages.compactMap { BeatMessage($0.message) }.first)
    #expect(!cancel.voids(beat))
  }

  @Test func `copies of a beat are the same bytes, and none comes after the beat`() {
    let (outlet, broadcaster) = make()
    broadcaster.copies = 5
    broadcaster.handle(.beat(beat(0)), heardAt: at(50), now: at(0))
    run(broadcaster, outlet, to: 500)
    // At 0, 20 and 40 ms: 60 and 80 would be late.
    #expect(outlet.sent.map(\.at) == [at(0), at(20), at(40)].map(\.nanoseconds))
    #expect(Set(outlet.sent.map(\.bytes)).count == 1)
  }

  @Test func `without subscribers nothing is sent but the numbers run on`() {
    let (outlet, broadcaster) = make()
    outlet.topics = []
    broadcaster.handle(.beat(beat(0)), heardAt: at(0), now: at(0))
    #expect(outlet.sent.isEmpty)
    outlet.topics = .beat
    broadcaster.handle(.beat(beat(1)), heardAt: at(500), now: at(0))
    #expect(outlet.messages.compactMap { BeatMessage($0.message) }.map(\.sequence) == [2])
  }

  // MARK: At the instant

  func target(_ profile: BeatProfile, offset: Double = 0, muted: Bool = false) -> ProfileTarget {
    ProfileTarget(
      address: .loopback(port: 7_700), profile: profile,
      offsetNanoseconds: Int64(offset * 1e6), showsMutedBars: muted)
  }

  @Test func `a gate opens on the beat plus its offset and closes after its time, never ahead`() {
    let (outlet, broadcaster) = make([
      target(.gate(path: "/lamp", milliseconds: 60), offset: -20)
    ])
    outlet.topics = []
    broadcaster.handle(.beat(beat(1)), heardAt: at(500), now: at(400))
    #expect(broadcaster.nextDeadline == at(480))
    broadcaster.service(now: at(479.999))
    #expect(outlet.sent.isEmpty)
    run(broadcaster, outlet, to: 1_000)
    #expect(outlet.sent.map(\.at) == [at(480), at(540)].map(\.nanoseconds))
    #expect(
      outlet.messages.map(\.message)
        == [OSCMessage("/lamp", .float(1)), OSCMessage("/lamp", .float(0))])
  }

  @Test func `muted bars are dark unless the target wants them`() {
    let (outlet, broadcaster) = make([
      target(.gate(path: "/dark", milliseconds: 60)),
      target(.gate(path: "/light", milliseconds: 60), muted: true),
    ])
    outlet.topics = []
    broadcaster.handle(.beat(beat(1, flags: .mutedBar)), heardAt: at(500), now: at(400))
    run(broadcaster, outlet, to: 1_000)
    #expect(Set(outlet.messages.map(\.message.address)) == ["/light"])
  }

  @Test func `a stop takes a flash back that has not been sent, and lets a lamp go dark`() {
    let (outlet, broadcaster) = make([target(.gate(path: "/lamp", milliseconds: 60))])
    outlet.topics = []
    broadcaster.handle(.beat(beat(1)), heardAt: at(500), now: at(400))
    broadcaster.handle(.beat(beat(2)), heardAt: at(1_000), now: at(400))
    run(broadcaster, outlet, to: 510)
    broadcaster.handle(
      .stopped(
        StopEvent(frame: FrameIndex(25_000), nextPulse: 0, songPulse: 0, isPanic: false)),
      heardAt: at(520), now: at(510))
    run(broadcaster, outlet, to: 2_000)
    let values = outlet.messages.filter { $0.message.address == "/lamp" }
    #expect(values.filter { $0.message.arguments == [.float(1)] }.map(\.at) == [500_000_000])
    #expect(values.contains { $0.at == 560_000_000 && $0.message.arguments == [.float(0)] })
  }

  @Test func `each beat has an address of its own, notes and templates say what was asked`() {
    let (outlet, broadcaster) = make([
      target(.perBeat(path: "/lamp", milliseconds: 10)),
      target(.notes(path: "/note", channel: 10, milliseconds: 20)),
      target(
        .template(
          address: "/cue/{beat}", arguments: ["{bar}", "{bpm}", "{accent}", "go"])),
    ])
    outlet.topics = []
    broadcaster.handle(.beat(beat(5)), heardAt: at(500), now: at(400))
    run(broadcaster, outlet, to: 1_000)
    let sent = outlet.messages.map { "\($0.at / 1_000_000) \($0.message)" }
    #expect(
      sent.sorted() == [
        "500 /cue/2 2 120 2 'go'", "500 /lamp/2 1", "500 /note 10 77 90", "510 /lamp/2 0",
        "520 /note 10 77 0",
      ])
  }

  @Test func `a phase runs from 0 to 1 within each beat`() {
    let (outlet, broadcaster) = make([target(.phase(path: "/phase", rate: 10))])
    outlet.topics = []
    for index in 0..<3 {
      broadcaster.handle(
        .beat(beat(Int64(index))), heardAt: at(1_000 + Double(index) * 500), now: at(900))
    }
    run(broadcaster, outlet, to: 2_050)
    // Every 100 ms from the first beat on: 0, 0.2, 0.4, 0.6, 0.8, and again.
    let phases = outlet.messages.map { message -> Double in
      if case .float(let value) = message.message.arguments[0] { Double(value) } else { -1 }
    }
    #expect(outlet.sent.first?.at == at(1_000).nanoseconds)
    #expect(phases.count == 11)
    for (index, phase) in phases.enumerated() {
      #expect(abs(phase - Double(index % 5) / 5) < 0.001, "\(index) \(phase)")
    }
  }

  @Test func `what is too late is dropped and counted`() {
    let (outlet, broadcaster) = make([target(.template(address: "/cue", arguments: ["1"]))])
    outlet.topics = []
    broadcaster.handle(.beat(beat(1)), heardAt: at(500), now: at(400))
    broadcaster.service(now: at(551))
    #expect(outlet.sent.isEmpty)
    #expect(broadcaster.status.dropped == 1)
  }

  @Test func `the target of a preset shows the accents that it wants`() throws {
    let model = BeatTarget(
      host: "127.0.0.1", port: 7_700,
      profile: .template(address: "/b/{beat}", arguments: [.number(1.5), .text("{accent}")]),
      offsetMilliseconds: 10, leastAccent: .strong)
    let (outlet, broadcaster) = make([try #require(NamedTarget(model)).at(.loopback(port: 7_700))])
    outlet.topics = []
    for index in 0..<4 {
      broadcaster.handle(
        .beat(beat(Int64(index))), heardAt: at(500 + Double(index) * 500), now: at(400))
    }
    run(broadcaster, outlet, to: 3_000)
    #expect(outlet.messages.map(\.message) == [OSCMessage("/b/1", .float(1.5), .int32(3))])
    #expect(outlet.sent.map(\.at) == [at(510).nanoseconds])
  }

  @Test func `beats of the past are dropped and counted after a break, never sent in a burst`() {
    let (outlet, broadcaster) = make([target(.gate(path: "/lamp", milliseconds: 60))])
    // Ten seconds of suspend at 120: the 20 beats from 500 to 10 000 ms are told of at 10 030 ms.
    for index in 0..<20 {
      broadcaster.handle(
        .beat(beat(Int64(index))), heardAt: at(500 + Double(index) * 500), now: at(10_030))
    }
    run(broadcaster, outlet, to: 11_000)
    // The last one is 30 ms late, and a beat counts for 50.
    #expect(broadcaster.overdue == 19)
    #expect(outlet.messages.filter { $0.message.address == BeatMessage.beatAddress }.count == 1)
    // The numbers of those that were dropped are used up: 20 is the last one's.
    let last = outlet.messages.first { $0.message.address == BeatMessage.beatAddress }
    #expect(last?.message.arguments[1] == .int32(20))
  }

  @Test func `a target is read from text and a wrong one says what is allowed`() throws {
    #expect(
      try NamedTarget(text: "127.0.0.1:7700,gate,/qlc/beat,ms=40,offset=-20,muted")
        .at(.loopback(port: 7_700))
        == ProfileTarget(
          address: .loopback(port: 7_700), profile: .gate(path: "/qlc/beat", milliseconds: 40),
          offsetNanoseconds: -20_000_000, showsMutedBars: true))
    #expect(throws: ProfileTargetError.profile("flash")) {
      try NamedTarget(text: "127.0.0.1:7700,flash")
    }
    #expect(throws: ProfileTargetError.option("ms=0")) {
      try NamedTarget(text: "127.0.0.1:7700,gate,ms=0")
    }
    #expect(throws: ProfileTargetError.shape("127.0.0.1:7700")) {
      try NamedTarget(text: "127.0.0.1:7700")
    }
    #expect(throws: ProfileTargetError.host("127.0.0.1,gate")) {
      try NamedTarget(text: "127.0.0.1,gate")
    }
  }

  /// Each of them names the value and what is allowed.
  @Test(arguments: [
    ("gate,/a#b", "'/a#b'", "take letters"), ("template,/cue/{foo} {bar}", "'{foo}'", "{bar}"),
    ("template,/cue {loud}", "'{loud}'", "{accent}"), ("template,beat", "'beat'", "an address"),
    ("gate,/beat 1", "'/beat 1'", "only a template"), ("beats,/l/{lamp}", "'{lamp}'", "{beat}"),
    ("gate,offset=501", "'offset=501'", "-300 to 500"),
    ("gate,offset=-301", "'offset=-301'", "-300 to 500"),
    ("gate,offset=nan", "'offset=nan'", "-300 to 500"), ("gate,ms=2001", "'ms=2001'", "1 to 2000"),
    ("phase,rate=0", "'rate=0'", "1 to 120"), ("notes,channel=17", "'channel=17'", "1 to 16"),
    ("notes,channel=1.5", "'channel=1.5'", "1 to 16"), ("lamp", "'lamp'", "gate, phase, beats"),
  ])
  func `what a target cannot be is named`(text: String, value: String, allowed: String) {
    do throws(ProfileTargetError) {
      _ = try NamedTarget(text: "127.0.0.1:7700,\(text)")
      Issue.record("it was taken")
    } catch {
      #expect(error.description.contains(value))
      #expect(error.description.contains(allowed))
    }
  }

  @Test func `a preset's notes are those of the command line`() throws {
    let model = BeatTarget(
      host: "127.0.0.1", port: 7_700,
      profile: .notes(address: "/n", channel: 3, milliseconds: 40))
    #expect(
      try NamedTarget(model) == NamedTarget(text: "127.0.0.1:7700,notes,/n,channel=3,ms=40"))
  }
}
