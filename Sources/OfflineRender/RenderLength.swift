import MusicalTime
import RealtimeEngine

/// Finds how long a plan's music lasts.
enum RenderLength {
  /// Frames from frame 0; where bars or a stop decide, by walking through the music unheard.
  static func frames(
    of plan: RenderPlan, longestSeconds: Int64 = RenderPlan.longestSeconds
  ) throws(RenderError) -> Int64 {
    let longest = longestSeconds * plan.rate
    switch plan.length {
    case .frames(let frames): return frames
    case .bars(let bars): return try measure(plan, bars: bars, longest: longest)
    case .untilStopped: return try measure(plan, bars: nil, longest: longest)
    }
  }

  private static func measure(
    _ plan: RenderPlan, bars: Int?, longest: Int64
  ) throws(RenderError) -> Int64 {
    let pass = RenderPass(plan)
    var barLines = 0
    var end: Int64?
    var stop: Int64?
    pass.onFact = { fact in
      switch fact {
      case .beat(let beat) where beat.beat == 0 && !beat.flags.contains(.countIn):
        barLines += 1
        if let bars, barLines == bars + 1, end == nil { end = beat.frame.value }
      case .started, .continued: stop = nil
      case .stopped(let event): stop = event.frame.value
      default: break
      }
    }
    try pass.begin()
    while pass.now.value < longest {
      try pass.skip(to: FrameIndex(pass.now.value + plan.rate))
      if let end { return end }
      if let stop, pass.scriptIsOver { return stop }
      guard bars != nil || pass.mayStop else { throw .endless }
    }
    if let bars { throw .tooLong(bars: bars) }
    throw .endless
  }
}
