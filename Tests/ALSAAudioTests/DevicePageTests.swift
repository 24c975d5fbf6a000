import Foundation
import MusicalTime
import Testing

@testable import ALSAAudio

/// One row of the table: what happens to a device, and what the lifecycle makes of it.
private struct Situation {
  let name: String
  /// What plays meanwhile.
  let heard: String
  let begins: Beginning
  let events: [DeviceLifecycle.Event]

  enum Beginning { case atBoot, playing }
}

/// The table of Sources/ALSAAudio/README.md is what the reducer does.
@Suite("What becomes of a sound device")
struct DevicePageTests {
  private static let nothing = "MIDI, beats; silence"
  private static let situations = [
    Situation(
      name: "absent at boot", heard: nothing, begins: .atBoot,
      events: [.openFailed(code: ENOENT)]),
    Situation(
      name: "opened, its place is measured", heard: nothing, begins: .atBoot, events: [.opened]),
    Situation(
      name: "measured", heard: "all", begins: .atBoot, events: [.opened, .playing]),
    Situation(
      name: "xrun; the process was stopped", heard: "all, after a hole", begins: .playing,
      events: [.playing]),
    Situation(
      name: "ran empty again and again", heard: nothing, begins: .playing, events: [.ranEmpty]),
    Situation(
      name: "no progress in play (dmix after an unplug answers EAGAIN for ever)", heard: nothing,
      begins: .playing, events: [.lost(code: EIO)]),
    Situation(
      name: "opens but never runs", heard: nothing, begins: .atBoot,
      events: [.opened, .lost(code: EIO)]),
    Situation(
      name: "unplugged", heard: nothing, begins: .playing, events: [.lost(code: ENODEV)]),
    Situation(
      name: "back, under whatever number", heard: "all", begins: .playing,
      events: [.lost(code: ENODEV), .cardsChanged, .tick, .opened, .playing]),
    Situation(
      name: "no rate that the engine can follow", heard: nothing, begins: .atBoot,
      events: [.opened, .rateRefused]),
    Situation(
      name: "busy", heard: nothing, begins: .atBoot, events: [.openFailed(code: EBUSY)]),
    Situation(
      name: "no rights", heard: nothing, begins: .atBoot, events: [.openFailed(code: EACCES)]),
    Situation(
      name: "the machine sleeps", heard: "nothing", begins: .playing, events: [.suspended]),
    Situation(
      name: "and wakes", heard: "all", begins: .playing,
      events: [.suspended, .resumed, .playing]),
    Situation(
      name: "PipeWire ends", heard: nothing, begins: .playing,
      events: [.lost(code: ENODEV), .tick, .openFailed(code: EHOSTDOWN)]),
    Situation(
      name: "and is there again", heard: "all", begins: .playing,
      events: [
        .lost(code: ENODEV), .tick, .openFailed(code: EHOSTDOWN), .tick, .opened, .playing,
      ]),
    Situation(
      name: "the sink or `default` moves in play", heard: "all, after a hole", begins: .playing,
      events: [.playing]),
    Situation(
      name: "HDMI without a display", heard: nothing, begins: .atBoot,
      events: [.openFailed(code: ENODEV)]),
  ]

  private static func state(_ state: DeviceLifecycle.State) -> String {
    switch state {
    case .opening, .joining: "opening"
    default: "\(state)"
    }
  }

  private static func words(_ notice: DeviceLifecycle.Notice, _ row: String) -> String {
    func problem(_ code: Int32, _ cards: [SoundCard] = []) -> String {
      "\(PCMProblem(device: "hw:CARD=X", call: "open", code: code, cards: cards))"
    }
    let text: String =
      switch notice {
      case .playing: "plays at 48000 Hz, ..."
      case .missing(let code) where row.contains("HDMI"):
        problem(code, [SoundCard(index: 0, id: "X", name: "vc4-hdmi-0", plays: true)])
      case .missing(let code) where code == EBUSY || code == EACCES || code == EHOSTDOWN:
        problem(code, [SoundCard(index: 0, id: "X", name: "X", plays: true)])
      case .missing(let code): problem(code)
      case .neverPlayed: "it opens but does not run"
      case .lost(let code): "\(OutputNotice.lost(device: "X", code: code))"
      case .lengthened: "opening it again with a longer period"
      case .rateRefused: "\(OutputNotice.rateRefused(device: "X"))"
      case .suspended: "was put to sleep"
      case .resumed: "is awake"
      }
    // The first clause is enough to know it by.
    let line = text.replacingOccurrences(of: "audio: ", with: "")
    return [": ", "; ", " ("].reduce(line) { $0.components(separatedBy: $1).first ?? $0 }
  }

  private static func line(_ situation: Situation) -> String {
    var now = MonotonicTime(nanoseconds: 0)
    var life: DeviceLifecycle
    switch situation.begins {
    case .atBoot:
      life = DeviceLifecycle(wantsDevice: true, now: now)
      _ = life.handle(.tick, at: now)
    case .playing:
      life = DeviceLifecycle(openedAt: now)
      _ = life.handle(.playing, at: now)
    }
    var told: [String] = []
    for event in situation.events {
      // A tick comes when it is due.
      if event == .tick, let deadline = life.deadline { now = deadline }
      for case .report(let notice) in life.handle(event, at: now) {
        told.append(words(notice, situation.name))
      }
    }
    let again = life.deadline.map { "\($0.nanoseconds(since: now) / 1_000_000) ms" } ?? ""
    return "| \(situation.name) | \(situation.heard) | \(state(life.state)) "
      + "| \(told.last ?? "") | \(again) |"
  }

  @Test("the page says in each row what the lifecycle does")
  func page() throws {
    let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Sources/ALSAAudio/README.md")
    let page = try String(contentsOf: path, encoding: .utf8).split(separator: "\n").map(String.init)
    let rows = page.drop { !$0.hasPrefix("| --- |") }.dropFirst().prefix { $0.hasPrefix("|") }
    let wanted = Self.situations.map(Self.line)
    #expect(Array(rows) == wanted, "the table should be:\n\(wanted.joined(separator: "\n"))")
    let delays = DeviceLifecycle.delays.map { "\($0)" }.joined(separator: ", ")
    #expect(page.contains { $0.contains(delays) })
  }

  @Test("a rate that is refused at every attempt is told once, and asked ever more rarely")
  func rate() {
    var life = DeviceLifecycle(wantsDevice: true, now: MonotonicTime(nanoseconds: 0))
    var now = MonotonicTime(nanoseconds: 0)
    var told = 0
    var waits: [Int64] = []
    for _ in 0..<8 {
      _ = life.handle(.tick, at: now)
      _ = life.handle(.opened, at: now)
      told += life.handle(.rateRefused, at: now).count { $0 == .report(.rateRefused) }
      guard let deadline = life.deadline else { break }
      waits.append(deadline.nanoseconds(since: now) / 1_000_000)
      now = deadline
    }
    #expect(told == 1)
    #expect(waits == [50, 100, 250, 500, 1_000, 2_000, 5_000, 5_000])
  }

  @Test("an HDMI output without a display is named as such, another card is not")
  func display() {
    let hdmi = SoundCard(index: 0, id: "vc4hdmi0", name: "vc4-hdmi-0", plays: true)
    let usb = SoundCard(index: 1, id: "Device", name: "USB Audio", plays: true)
    func text(_ device: String) -> String {
      "\(PCMProblem(device: device, call: "open", code: ENODEV, cards: [hdmi, usb]))"
    }
    #expect(text("hw:CARD=vc4hdmi0").contains("'vc4hdmi0' is an HDMI output and has no display"))
    #expect(text("hw:CARD=vc4hdmi0").contains("Device (USB Audio)"))
    #expect(!text("hw:CARD=Device").contains("display"))
  }
}
