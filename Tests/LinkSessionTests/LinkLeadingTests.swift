import LinkSession
import MusicalTime
import Testing

@Suite struct LinkLeadingTests {
  /// A session of 120 a minute whose bars of four begin at 0.
  func session(
    _ length: Int64 = 500_000, lateMicroseconds late: Int64 = 0, peers: Int = 1
  ) -> LinkView {
    LinkView(
      at: MonotonicTime(nanoseconds: 0), quarterMicroseconds: length,
      bar: MonotonicTime(nanoseconds: late * 1000), quantum: 4, peers: peers)
  }

  func beat(
    _ index: Int64, length: Int64 = 500_000, _ claim: LinkClaim = [.tempo, .phase, .leads]
  ) throws -> LinkBeat {
    try #require(
      LinkBeat(
        at: MonotonicTime(nanoseconds: index * length * 1000), phase: Double(index % 4),
        quantum: 4, quarterMicroseconds: length, claim: claim))
  }

  @Test func `a beat within 20 us of ours is left alone, and one beyond is put where ours is`()
    throws
  {
    for (late, isMoved) in [(0, false), (20, false), (-20, false), (21, true), (-21, true)] {
      var leading = LinkLeading()
      let result = leading.take(try beat(3), session(lateMicroseconds: Int64(late)))
      #expect((result.change?.forcesPhase ?? false) == isMoved, "\(late) us")
      #expect(result.change?.quarterMicroseconds == nil)
    }
  }

  @Test func `a beat of another bar place is put where ours is, whatever its distance`() throws {
    // One quarter late in a bar of four: the nearest place with our phase is a quarter away.
    var leading = LinkLeading()
    let result = leading.take(try beat(4), session(lateMicroseconds: 500_000))
    #expect(result.change?.forcesPhase == true)
  }

  @Test func `what is claimed only while alone is not told where others are`() throws {
    var leading = LinkLeading()
    let order = try beat(0, length: 400_000, [.tempo, .phase, .whileAlone])
    #expect(leading.take(order, session(peers: 1)).change == nil)
    let alone = leading.take(order, session(peers: 0))
    #expect(alone.change?.quarterMicroseconds == 400_000)
  }

  @Test func `somebody else's tempo is put back at the next beat and told once for each time`()
    throws
  {
    var leading = LinkLeading()
    #expect(leading.take(try beat(0), session()).takeOver == nil)
    // 140 a minute are 428 571 us.
    let found = leading.take(try beat(1), session(428_571))
    #expect(found.change?.quarterMicroseconds == 500_000)
    #expect(found.takeOver?.foundMicroseconds == 428_571)
    #expect(found.takeOver?.keptMicroseconds == 500_000)
    #expect(leading.take(try beat(2), session()).takeOver == nil)
  }

  @Test func `our own change of tempo is nobody's taking over`() throws {
    var leading = LinkLeading()
    _ = leading.take(try beat(0), session())
    let changed = leading.take(try beat(1, length: 480_000), session())
    #expect(changed.change?.quarterMicroseconds == 480_000)
    #expect(changed.takeOver == nil)
  }

  @Test func `a drifting card moves the session in steps and accuses nobody`() throws {
    var leading = LinkLeading()
    for index in 0..<8 as Range<Int64> {
      // 100 ppm of half a second are 50 us a beat.
      let result = leading.take(try beat(index), session(lateMicroseconds: 50))
      #expect(result.change?.forcesPhase == true && result.takeOver == nil)
    }
    // Three milliseconds from one beat to the next are somebody's doing.
    #expect(leading.take(try beat(8), session(lateMicroseconds: 3_000)).takeOver != nil)
  }

  @Test func `while nothing plays the tempo alone is put back`() {
    var leading = LinkLeading()
    let claim: LinkClaim = [.tempo, .phase, .leads]
    #expect(leading.take(tempo: 500_000, claim, session()).change == nil)
    let found = leading.take(tempo: 500_000, claim, session(400_000))
    #expect(found.change?.quarterMicroseconds == 500_000 && found.change?.forcesPhase == false)
    #expect(found.takeOver?.foundMicroseconds == 400_000)
  }
}
