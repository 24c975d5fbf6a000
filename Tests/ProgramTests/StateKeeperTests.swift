import CommandLineOptions
import MetronomeModel
import MusicalTime
import OptionTables
import ScoreFormats
import Testing

@testable import TactusDaemon

@Suite("When the state is written")
struct StateKeeperTests {
  private func at(_ milliseconds: Int64) -> MonotonicTime {
    MonotonicTime(nanoseconds: milliseconds * 1_000_000)
  }

  private func state(_ tempo: Int) -> LastState {
    var state = MetronomeState()
    state.countInBars = tempo
    return LastState(of: state)
  }

  @Test("nothing is written while nothing changes, nor what is there already")
  func unchanged() {
    var keeper = StateKeeper(kept: state(1))
    #expect(keeper.deadline == nil)
    #expect(keeper.takeDue(at(0)) { state(2) } == nil)
    keeper.noteChange()
    #expect(keeper.takeDue(at(0)) { state(1) } == nil)
    #expect(keeper.deadline == nil)
  }

  @Test("the first change at once, then at most one writing a second, and the last one always")
  func pace() {
    var keeper = StateKeeper()
    var written: [Int64] = []
    // A fader that moves every 10 ms for 3.5 s, and a disk that needs 30 ms.
    for step in 0..<600 {
      let now = Int64(step) * 10
      if step <= 350 { keeper.noteChange() }
      if let last = written.last, now == last + 30 {
        #expect(keeper.wrote(nil, now: at(now)) == nil)
      }
      let due = keeper.takeDue(at(now)) { state(min(step, 350)) }
      if let due {
        written.append(now)
        if written.count == 5 { #expect(due == state(350)) }
      }
    }
    #expect(written == [0, 1_000, 2_000, 3_000, 4_000])
    #expect(keeper.saves == 5 && keeper.failures == 0)
  }

  @Test("the end of the program waits for no second")
  func end() {
    var keeper = StateKeeper()
    keeper.noteChange()
    #expect(keeper.takeDue(at(0)) { state(1) } != nil)
    _ = keeper.wrote(nil, now: at(5))
    keeper.noteChange()
    #expect(keeper.takeDue(at(10)) { state(2) } == nil)
    #expect(keeper.takeDue(at(10), isLast: true) { state(2) } == state(2))
  }

  @Test("a full disk is told once, tried every minute, and its end is told")
  func full() {
    var keeper = StateKeeper()
    var told: [String] = []
    var tries: [Int64] = []
    keeper.noteChange()
    for second in 0..<200 {
      let now = at(Int64(second) * 1_000)
      guard keeper.takeDue(now, { state(1) }) != nil else { continue }
      tries.append(Int64(second))
      let text = keeper.wrote(second < 130 ? "no space left" : nil, now: now)
      if let text { told.append(text) }
    }
    #expect(tries == [0, 60, 120, 180])
    #expect(told.count == 2)
    #expect(told.first?.contains("no space left") == true)
    #expect(told.last == "the last state is kept again")
  }
}

@Suite("What is brought back at the start")
struct StateAtStartTests {
  private func last() -> LastState {
    var state = MetronomeState()
    state.tempo = Tempo(unchecked: 96_000, unit: .quarter)
    state.countInBars = 2
    state.volumeDecibels = -20
    state.map = "song"
    state.setlist = "gig"
    state.setlistEntry = 3
    state.preset = "waltz"
    state.follow = .named("Leader")
    state.midiPorts = [
      MIDIPortConfiguration(name: "Clock", connections: ["A"], offsetMilliseconds: -8),
      MIDIPortConfiguration(name: "Drums", connections: ["TR-8"]),
    ]
    return LastState(of: state)
  }

  private func restored(_ words: [String]) throws -> LastState {
    let options = try DaemonOptions(try OptionParser.tactusd.parse(words))
    let start = StateAtStart(.kept(last()), StateStore(folder: "/x"), isFresh: options.isFresh)
    return try #require(start.restored(beneath: options))
  }

  @Test("everything, where nothing was typed")
  func everything() throws {
    #expect(try restored([]) == last())
  }

  @Test("what was typed wins, the rest comes back; a typed tempo is heard, not the song's")
  func typed() throws {
    let back = try restored(["120", "--volume", "-6", "--follow"])
    #expect(back.settings.tempo == Tempo(unchecked: 120_000, unit: .quarter))
    #expect(back.settings.volumeDecibels == -6)
    #expect(back.settings.follow == .connected)
    #expect(back.settings.countIn == 2)
    #expect(back.settings.map == .off)
    #expect(back.settings.setlist == .on("gig"))
  }

  @Test("a preset that was named stands above the last song and setlist")
  func preset() throws {
    let back = try restored(["--preset", "rock"])
    #expect(back.settings.map == .off && back.settings.setlist == .off)
    #expect(back.preset == nil && back.setlistEntry == nil)
    #expect(back.settings.tempo == Tempo(unchecked: 96_000, unit: .quarter))
  }

  @Test("ports come back; what was typed of one wins")
  func ports() throws {
    let back = try restored(["--midi-connect", "B", "--midi-port", "Drums,offset=5"])
    let ports = try #require(back.settings.midiPorts)
    #expect(ports.map(\.name) == ["Clock", "Drums"])
    #expect(ports[0].connections == ["B"] && ports[0].offsetMilliseconds == -8)
    #expect(ports[1].connections.isEmpty && ports[1].offsetMilliseconds == 5)
    #expect(try restored([]).settings.midiPorts?[1].connections == ["TR-8"])
  }

  @Test("--fresh brings nothing back and keeps what comes; a disk without an answer keeps nothing")
  func fresh() {
    let store = StateStore(folder: "/x")
    let fresh = StateAtStart(.kept(last()), store, isFresh: true)
    #expect(fresh.last == nil && fresh.store == store && fresh.warning == nil)
    let silent = StateAtStart(nil, store, isFresh: false)
    #expect(silent.store == nil && silent.warning?.contains("within 2 s") == true)
    let aside = StateAtStart(.setAside(path: "/x/y", reason: "why"), store, isFresh: false)
    #expect(aside.store == store && aside.warning?.contains("'/x/y': why") == true)
    #expect(StateAtStart(.stuck(reason: "why"), store, isFresh: false).store == nil)
  }
}
