internal import MetronomeModel
internal import MusicalTime

/// The bar that the walk is in: where it lies, what it holds and which of its clicks come next.
///
/// Ticks are those of the run, which never jump; `songBar` and `songStart` say which place of the
/// song the bar is.
///
/// - Thread: audio; free of allocation and locks.
struct BarCursor {
  var start: ScorePosition
  /// Counts the bars of a run, whatever the song does; negative in a count-in.
  var runIndex: Int64 = 0
  var songBar: Int64
  var songStart: ScorePosition
  var meter: Meter
  var pattern: AccentPattern
  var subdivision: Subdivision
  var layerCount: UInt8
  var layerAccent: Accent
  var isMuted: Bool
  /// The score's section, or -1.
  var section: Int32
  var barInSection: Int32
  var gain: Float
  /// The score whose section this is, or -1.
  var scoreIdentifier: Int32 = -1
  /// A person's meter or pattern holds until the section ends.
  var keepsMeter = false
  var keepsPattern = false
  // Requests that landed on this bar's line: they wait again where Stop takes the bar back.
  var landedMeter: Meter?
  var landedPattern: AccentPattern?
  var landedJump: Int32?

  // What comes next: click `nextSub` of beat `nextBeat`; layer click `nextLayer`.
  var nextBeat: Int = 0
  var nextSub: Int = 0
  var nextLayer: Int = 0

  @_noAllocation @_noLocks
  init(
    start: ScorePosition, songBar: Int64, songStart: ScorePosition, meter: Meter,
    pattern: AccentPattern, subdivision: Subdivision, layerCount: UInt8, layerAccent: Accent,
    isMuted: Bool, section: Int32, barInSection: Int32, gain: Float
  ) {
    self.start = start
    self.songBar = songBar
    self.songStart = songStart
    self.meter = meter
    self.pattern = pattern
    self.subdivision = subdivision
    self.layerCount = layerCount
    self.layerAccent = layerAccent
    self.isMuted = isMuted
    self.section = section
    self.barInSection = barInSection
    self.gain = gain
  }

  var isCountIn: Bool {
    @_noAllocation @_noLocks get { songBar < 0 }
  }

  var end: ScorePosition {
    @_noAllocation @_noLocks get { start + meter.barLength }
  }

  /// A count-in is counted in beats only.
  var clicksPerBeat: Int {
    @_noAllocation @_noLocks get { isCountIn ? 1 : Int(subdivision.count) }
  }

  /// Where the next click of the beats and subdivisions lies: the end of the bar after the last.
  var nextClick: ScorePosition {
    @_noAllocation @_noLocks get {
      guard nextBeat < Int(meter.beatCount) else { return end }
      let beat = ScorePosition(
        ticks: start.ticks &+ meter.beatLength.ticks &* Int64(nextBeat))
      guard nextSub > 0 else { return beat }
      return beat + subdivision.offset(of: nextSub, beatLength: meter.beatLength)
    }
  }

  /// Where the layer's next click lies; far away where there is none in this bar.
  var nextLayerClick: ScorePosition {
    @_noAllocation @_noLocks get {
      guard layerCount > 0, !isCountIn, nextLayer < Int(layerCount) else {
        return ScorePosition(ticks: Int64.max)
      }
      return ScorePosition(
        ticks: start.ticks &+ meter.barLength.ticks &* Int64(nextLayer) / Int64(layerCount))
    }
  }

  @_noAllocation @_noLocks
  mutating func passClick() {
    nextSub &+= 1
    if nextSub >= clicksPerBeat {
      nextSub = 0
      nextBeat &+= 1
    }
  }

  /// Puts the cursor on the first click and layer click at or after a place in this bar.
  @_noAllocation @_noLocks
  mutating func seek(_ position: ScorePosition) {
    nextBeat = 0
    nextSub = 0
    nextLayer = 0
    while nextBeat < Int(meter.beatCount), nextClick.ticks < position.ticks { passClick() }
    while nextLayer < Int(layerCount), nextLayerClick.ticks < position.ticks { nextLayer &+= 1 }
  }

  /// The start of the latest beat at or before a place in this bar.
  @_noAllocation @_noLocks
  func beatStart(at position: ScorePosition) -> ScorePosition {
    let beats = (position.ticks &- start.ticks) / meter.beatLength.ticks
    return ScorePosition(ticks: start.ticks &+ beats &* meter.beatLength.ticks)
  }
}

/// The bars announced last, so that Stop can find the bar in which it fell.
///
/// - Thread: audio
@safe struct BarHistory {
  // More bars than the longest horizon holds at the fastest sensible pace.
  private static var capacity: Int {
    @_noAllocation @_noLocks get { 256 }
  }
  private let bars: UnsafeMutablePointer<BarCursor>
  private var count = 0

  init(_ first: BarCursor) {
    unsafe bars = UnsafeMutablePointer<BarCursor>.allocate(capacity: BarHistory.capacity)
    unsafe bars.initialize(repeating: first, count: BarHistory.capacity)
  }

  func free() { unsafe bars.deallocate() }

  @_noAllocation @_noLocks
  mutating func clear() { count = 0 }

  @_noAllocation @_noLocks
  mutating func push(_ bar: BarCursor) {
    unsafe bars[count & (BarHistory.capacity &- 1)] = bar
    count &+= 1
  }

  /// The bar that is `place` before the newest one.
  @_noAllocation @_noLocks
  func beforeNewest(_ place: Int) -> BarCursor {
    unsafe bars[(count &- 1 &- place) & (BarHistory.capacity &- 1)]
  }

  /// How many bars begin after a place.
  @_noAllocation @_noLocks
  func countAfter(_ position: ScorePosition) -> Int {
    var index = count &- 1
    let oldest = count > BarHistory.capacity ? count &- BarHistory.capacity : 0
    var found = 0
    while index >= oldest,
      unsafe bars[index & (BarHistory.capacity &- 1)].start.ticks > position.ticks
    {
      found &+= 1
      index &-= 1
    }
    return found
  }

  /// The latest bar that starts at or before a place; nil where it is older than the history.
  @_noAllocation @_noLocks
  func bar(at position: ScorePosition) -> BarCursor? {
    var index = count &- 1
    let oldest = count > BarHistory.capacity ? count &- BarHistory.capacity : 0
    while index >= oldest {
      let candidate = unsafe bars[index & (BarHistory.capacity &- 1)]
      if candidate.start.ticks <= position.ticks { return candidate }
      index &-= 1
    }
    return nil
  }
}
