/// Which bars are silent while time, MIDI clock and beat events go on.
///
/// Cycles count from bar 1 (0-based bar 0); bars of a count-in are never muted by it.
///
/// - Thread: any; free of allocation and locks.
@frozen
public enum BarMuting: Hashable, Sendable, BitwiseCopyable {
  case off
  /// `play` bars sound, then `mute` bars are silent.
  case cycle(play: Int32, mute: Int32)
  /// Each bar is silent with a probability of `percentHundredths` / 100 per cent.
  case random(percentHundredths: Int32, seed: UInt64)
  /// `play` bars, 1 muted, `play` bars, 2 muted, ... until `maximum` muted, which then stays.
  case growing(play: Int32, maximum: Int32)

  /// Whether the 0-based bar is muted.
  @_noAllocation @_noLocks
  public func mutes(bar: Int64) -> Bool {
    guard bar >= 0 else { return false }
    switch self {
    case .off:
      return false
    case .cycle(let play, let mute):
      let length = Int64(play) + Int64(mute)
      return length > 0 && bar % length >= Int64(play)
    case .random(let percentHundredths, let seed):
      // 53 random bits as a fraction of one, against the share; SplitMix64's n-th output is a
      // function of seed and n alone, so any bar can be asked for by itself.
      let output = BarMuting.splitMix64(seed: seed, index: UInt64(bar))
      return Double(output >> 11) * 0x1p-53 < Double(percentHundredths) / 10_000
    case .growing(let play, let maximum):
      return BarMuting.growingMutes(bar: bar, play: Int64(play), maximum: Int64(maximum))
    }
  }

  /// The `index`-th (0-based) output of SplitMix64.
  @_noAllocation @_noLocks
  static func splitMix64(seed: UInt64, index: UInt64) -> UInt64 {
    var z = seed &+ (index &+ 1) &* 0x9E37_79B9_7F4A_7C15
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  @_noAllocation @_noLocks
  private static func growingMutes(bar: Int64, play: Int64, maximum: Int64) -> Bool {
    guard play > 0, maximum > 0 else { return false }
    // Cycle k (1-based) lasts play + k bars until k reaches the maximum.
    let growingBars = maximum * play + maximum * (maximum + 1) / 2
    if bar >= growingBars {
      return (bar - growingBars) % (play + maximum) >= play
    }
    var start: Int64 = 0
    var muted: Int64 = 1
    while muted <= maximum {
      let length = play + muted
      if bar < start + length { return bar - start >= play }
      start += length
      muted += 1
    }
    return false
  }
}
