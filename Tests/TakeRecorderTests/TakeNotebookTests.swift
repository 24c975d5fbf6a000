import MetronomeModel
import MusicalTime
import ScoreFormats
import TakeRecorder
import Testing

@Suite("What a take knows of the beats")
struct TakeNotebookTests {
  static func beat(
    _ frame: Double, _ beat: Int, tempo: Tempo = Tempo(120)!, isCountIn: Bool = false,
    isMuted: Bool = false
  ) -> TakeNotebook.Beat {
    TakeNotebook.Beat(
      frame: frame, isCountIn: isCountIn, beat: beat, meter: .common, tempo: tempo,
      subdivision: .none, pattern: nil, isMuted: isMuted)
  }

  static func notebook() -> TakeNotebook {
    TakeNotebook(rate: 48_000, channels: 1, tempo: Tempo(90)!, meter: .common)
  }

  @Test("a steady tempo is one stretch, however long, whole frames and all")
  func steady() {
    var book = Self.notebook()
    // 137.5 a minute: 20945.4545 frames a beat.
    let tempo = Tempo(137.5)!
    for index in 0..<4_000 {
      let frame = (Double(index) * 60 * 48_000 / 137.5).rounded() + 1_000
      book.take(Self.beat(frame, index % 4, tempo: tempo))
    }
    #expect(book.sheet.tempo.count == 1)
    #expect(book.sheet.barOneFrame == 1_000)
    #expect(book.sheet.tempo[0].tempo == tempo)
  }

  @Test("count-in bars are counted, and bar 1 is the first downbeat after them")
  func countIn() {
    var book = Self.notebook()
    for index in 0..<8 { book.take(Self.beat(Double(index) * 24_000, index % 4, isCountIn: true)) }
    book.take(Self.beat(192_000, 0))
    #expect(book.sheet.countInBars == 2 && book.sheet.barOneFrame == 192_000)
  }

  @Test("a take that joins in the middle of a bar begins with the next one")
  func joined() {
    var book = Self.notebook()
    for index in 2..<8 { book.take(Self.beat(Double(index) * 24_000, index % 4)) }
    #expect(book.sheet.barOneFrame == 96_000)
    #expect(book.sheet.tempo.count == 1)
  }

  @Test("a change of tempo, a muted bar and a jump of the clock each begin a stretch at its frame")
  func changes() {
    var book = Self.notebook()
    var frame = 0.0
    for index in 0..<4 {
      book.take(Self.beat(frame, index))
      frame += 24_000
    }
    for index in 0..<4 {
      book.take(Self.beat(frame, index, tempo: Tempo(60)!))
      frame += 48_000
    }
    for index in 0..<4 {
      book.take(Self.beat(frame, index, tempo: Tempo(60)!, isMuted: true))
      frame += 48_000
    }
    // A clock that is 5 frames off is told; half a frame is rounding.
    book.take(Self.beat(frame + 5, 0, tempo: Tempo(60)!, isMuted: true))
    book.take(Self.beat(frame + 48_005.5, 1, tempo: Tempo(60)!, isMuted: true))
    let stretches = book.sheet.tempo
    #expect(stretches.map(\.bar) == [1, 2, 3, 4])
    #expect(stretches.map(\.frame) == [nil, 96_000, 288_000, 480_005])
    #expect(stretches.map(\.isMuted) == [false, false, true, true])
  }

  @Test("two clocks that drift by 100 ppm stay within a frame of the grid that is written")
  func drift() {
    var book = Self.notebook()
    for index in 0..<2_000 {
      book.take(Self.beat(Double(index) * 24_000 * 1.0001, index % 4))
    }
    // 2.4 frames a beat: nearly every beat is anchored anew.
    #expect(book.sheet.tempo.count > 1_900)
    for stretch in book.sheet.tempo.dropFirst() {
      let beats = Double((stretch.bar - 1) * 4 + stretch.beat - 1)
      #expect(stretch.frame == beats * 24_000 * 1.0001)
    }
  }

  @Test("a stop ends the plan: what was announced after it was not played")
  func stop() {
    var book = Self.notebook()
    for index in 0..<4 { book.take(Self.beat(Double(index) * 24_000, index)) }
    book.take(Self.beat(96_000, 0, tempo: Tempo(99)!))
    book.stop(at: 95_000)
    book.take(Self.beat(200_000, 0))
    #expect(book.sheet.stopFrame == 95_000)
    #expect(book.sheet.tempo.count == 1)
  }

  @Test("a take without music has a tempo all the same, so that its side file is whole")
  func silent() throws {
    let text = TakeSheetFormat.write(Self.notebook().sheet)
    #expect(try TakeSheetFormat.read(Array(text.utf8), file: "a").tempo[0].tempo == Tempo(90)!)
  }
}
