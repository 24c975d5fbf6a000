import Testing

@testable import OfflineRender

/// How long a render is where bars decide.
@Suite struct RenderLengthTests {
  @Test func `bars that last too long are named, and those before are not`() throws {
    // A bar of 4/4 at 120 lasts 2 s: the sixth bar line is at 10 s.
    let five = RenderPlan(length: .bars(5))
    #expect(try RenderLength.frames(of: five, longestSeconds: 11) == 480_000)
    #expect(throws: RenderError.tooLong(bars: 6)) {
      try RenderLength.frames(of: RenderPlan(length: .bars(6)), longestSeconds: 11)
    }
    #expect(
      RenderError.tooLong(bars: 6).description
        == "6 bars last longer than 96 hours: give fewer bars")
  }
}
