import LinkSession
import MetronomeModel
import MusicalTime
import Testing

/// A metronome that plays as `LinkPolicy` says, in a session that is a straight line.
struct SimulatedPlayer {
  var policy: LinkPolicy
  var tempo: Tempo
  /// Of the next beat.
  var due = MonotonicTime(nanoseconds: 100_000_000_000)
  var index = 0
  var session = LinkView(
    at: MonotonicTime(nanoseconds: 0), quarterMicroseconds: 500_000,
    bar: MonotonicTime(nanoseconds: 100_000_000_000), quantum: 4, peers: 0)
  var orders: [LinkOrder] = []
  var jumps: [MonotonicTime] = []
  var notes: [LinkNote] = []
  var intervals: [Int64] = []
  var hasRamp = false
  var isRunning = true

  init(_ mode: LinkMode, tempo thousandths: Int64 = 120_000) {
    policy = LinkPolicy(mode: mode)
    tempo = Tempo(thousandths: thousandths) ?? Tempo(unchecked: 120_000, unit: .quarter)
  }

  /// Beats are announced a tenth of a second ahead.
  var now: MonotonicTime { due.advanced(byNanoseconds: -100_000_000) }
  var own: LinkPolicy.Own { .init(tempo: tempo, isRunning: isRunning, hasRamp: hasRamp) }

  mutating func report() {
    perform(policy.take(session, own, now: now))
  }

  mutating func set(_ thousandths: Int64) {
    tempo = Tempo(thousandths: thousandths) ?? tempo
    perform(policy.tempoChanged(own, now: now))
  }

  mutating func perform(_ actions: [LinkPolicy.Action]) {
    for action in actions {
      switch action {
      case .order(let order): orders.append(order)
      case .tempo(let asked):
        tempo = asked
        perform(policy.tempoChanged(own, now: now))
      case .jump(let instant):
        jumps.append(instant)
        due = instant
      case .note(let note): notes.append(note)
      case .start: isRunning = true
      case .stop: isRunning = false
      }
    }
  }

  /// Reports come more often than beats.
  mutating func beat() {
    report()
    let announced = due
    perform(
      policy.take(
        OwnBeat(
          due: due, phase: Double(index % 4), quantum: 4,
          quarterThousandths: tempo.quarterThousandths, isBarLine: index % 4 == 0),
        own, drift: 0, now: now))
    guard due == announced else { return }
    let (numerator, denominator) = tempo.microsecondsPerQuarter
    let interval = Int64((Double(numerator) / Double(denominator) * 1000).rounded())
    intervals.append(interval)
    due = due.advanced(byNanoseconds: interval)
    index += 1
  }

  mutating func play(_ beats: Int) { for _ in 0..<beats { beat() } }

  var claims: [LinkClaim] {
    orders.compactMap { if case .beat(let beat) = $0 { beat.claim } else { nil } }
  }
}

@Suite struct LinkPolicyTests {
  @Test(
    "joining tells the session nothing", arguments: [LinkMode.follow, .peer])
  func joining(mode: LinkMode) {
    var player = SimulatedPlayer(mode, tempo: 97_000)
    player.session.peers = 2
    player.session.quarterMicroseconds = 452_830
    player.play(40)
    #expect(player.orders.isEmpty)
    // What is played is the session's, to the microsecond, and shown as people would call it.
    #expect(player.tempo.length?.microseconds == 452_830)
    #expect(player.tempo.thousandths == 132_500)
  }

  @Test func `while nobody else is there our beat is the session's, once others would have shown`()
  {
    var player = SimulatedPlayer(.follow)
    player.play(8)
    // 1.5 s are three beats.
    #expect(player.claims.count == 5)
    #expect(player.claims.allSatisfy { $0 == [.tempo, .phase, .whileAlone] })
    #expect(player.intervals.allSatisfy { $0 == 500_000_000 })
  }

  @Test func `who leads tells every beat, and no session moves our beats`() {
    var player = SimulatedPlayer(.lead, tempo: 132_500)
    player.session.peers = 3
    player.session.quarterMicroseconds = 428_571
    player.play(20)
    #expect(player.claims.count == 20)
    #expect(player.claims.allSatisfy { $0 == [.tempo, .phase, .leads] })
    #expect(player.tempo == Tempo(thousandths: 132_500))
    #expect(Set(player.intervals).count == 1)
  }

  @Test func `somebody else's change of tempo is followed and ours is told at its own beat`() {
    var player = SimulatedPlayer(.peer)
    player.session.peers = 1
    player.play(4)
    player.session.quarterMicroseconds = 600_000
    player.session.bar = player.due
    player.index = 0
    player.play(4)
    #expect(player.tempo.thousandths == 100_000)
    #expect(player.orders.isEmpty)
    player.set(132_500)
    player.beat()
    #expect(player.claims == [.tempo])
    guard case .beat(let told)? = player.orders.last else {
      Issue.record("the beat was not told")
      return
    }
    #expect(told.quarterMicroseconds == 452_830)
    // The session has it from that beat on.
    player.session.quarterMicroseconds = 452_830
    player.session.bar = told.at
    player.index = 1
    player.due = told.at.advanced(byNanoseconds: 452_830_000)
    player.play(8)
    #expect(player.claims.count == 1)
    #expect(player.tempo.length?.microseconds == 452_830)
    #expect(player.tempo.thousandths == 132_500)
  }

  @Test func `a tempo is shown as it was asked for, not as its microseconds would be called`() {
    var player = SimulatedPlayer(.peer)
    player.session.peers = 1
    player.beat()
    // 60 000 000 / 900.001 is 66 666.59 us: 66 667, which by itself would be called 900.
    player.set(900_001)
    player.session.quarterMicroseconds = 66_667
    player.report()
    #expect(player.tempo.length?.microseconds == 66_667)
    #expect(player.tempo.thousandths == 900_001)
  }

  @Test func `in follow a tempo that a preset brings gives way to the session's`() {
    var player = SimulatedPlayer(.follow)
    player.session.peers = 1
    player.beat()
    player.set(60_000)
    player.report()
    #expect(player.tempo.thousandths == 120_000)
    #expect(player.orders.isEmpty)
  }

  @Test(
    "a step of the session's clock is made up for unheard",
    arguments: [1_500_000, -1_500_000, 600_000, -60_000] as [Int64])
  func sawtooth(step: Int64) {
    var player = SimulatedPlayer(.follow)
    player.session.peers = 1
    player.play(16)
    let before = player.intervals.count
    player.session.bar = player.session.bar.advanced(byNanoseconds: step)
    player.play(120)
    // 80 ppm of half a second are 40 us; one over 1 - 80 ppm is a few nanoseconds more.
    for interval in player.intervals[before...] { #expect(abs(interval - 500_000_000) <= 40_010) }
    let error = player.session.error(of: player.due, phase: Double(player.index % 4))
    #expect(abs(error) <= 40_000)
    #expect(player.jumps.isEmpty)
    // Once there, exactly the session's grid again.
    #expect(player.intervals.last == 500_000_000)
  }

  @Test func `another beat of the bar is reached by one jump, from a bar line`() {
    var player = SimulatedPlayer(.follow)
    player.session.peers = 1
    player.play(6)
    // A quarter and a half away.
    player.session.bar = player.session.bar.advanced(byNanoseconds: 750_000_000)
    player.play(3)
    #expect(player.jumps.count == 1)
    #expect(player.index % 4 == 0)
    player.play(8)
    #expect(player.jumps.count == 1)
    let error = player.session.error(of: player.due, phase: Double(player.index % 4))
    #expect(abs(error) < 1_000)
  }

  @Test func `after a break of eight seconds a peer keeps what is heard here, after twelve not`() {
    for (beats, isKept) in [(16, true), (24, false)] {
      var player = SimulatedPlayer(.peer)
      player.session.peers = 1
      player.play(8)
      player.session.peers = 0
      player.play(beats)
      player.orders = []
      // They come back with another tempo and phase.
      player.session.peers = 1
      player.session.quarterMicroseconds = 400_000
      player.session.bar = player.due.advanced(byNanoseconds: 333_000_000)
      player.beat()
      #expect((player.claims == [[.tempo, .phase]]) == isKept)
      #expect((player.tempo.thousandths == 120_000) == isKept)
    }
  }

  @Test func `a ramp of ours is told beat by beat to peers and leads them while it lasts`() {
    var player = SimulatedPlayer(.peer)
    player.session.peers = 1
    player.play(2)
    player.hasRamp = true
    player.set(121_000)
    player.play(2)
    #expect(player.claims == [[.tempo, .phase], [.tempo, .phase]])
    player.hasRamp = false
    player.orders = []
    player.session.quarterMicroseconds = 495_868
    player.play(2)
    #expect(player.claims.isEmpty)
  }

  @Test func `of two that lead, the one that came later gives way; a restless peer takes nothing`()
  {
    // 400 000 us each beat: another leader. One each second beat: a person.
    for (isJoined, everyBeat, yields) in [
      (true, true, true), (false, true, false), (true, false, false),
    ] {
      var player = SimulatedPlayer(.lead)
      player.session.peers = isJoined ? 1 : 0
      player.play(5)
      player.session.peers = 1
      player.play(1)
      for beat in 0..<20 {
        if everyBeat || beat % 3 == 0 {
          player.perform(
            player.policy.putBack(
              LinkTakeOver(
                foundMicroseconds: 400_000, keptMicroseconds: 500_000, phaseErrorMicroseconds: 0)))
        }
        player.beat()
      }
      #expect(player.policy.yields == yields)
      #expect(
        player.notes.contains { if case .contested = $0 { true } else { false } } == everyBeat)
    }
  }

  @Test func `start and stop of others are ours where they are shared, and only changes count`() {
    var player = SimulatedPlayer(.follow)
    player.policy.change(mode: .follow, sharesPlaying: true)
    player.isRunning = false
    player.session.peers = 1
    player.session.isPlaying = true
    player.report()
    // Who joins while others play is told nothing.
    #expect(!player.isRunning)
    player.session.isPlaying = false
    player.report()
    player.session.isPlaying = true
    player.report()
    #expect(player.isRunning)
    player.session.isPlaying = false
    player.report()
    #expect(!player.isRunning)
  }
}
