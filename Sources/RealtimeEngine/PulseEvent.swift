public import MusicalTime

/// A MIDI clock pulse (24 a quarter).
@frozen
public struct PulseEvent: Sendable, BitwiseCopyable {
  public var frame: FrameIndex
  /// Counts from beat one of the run (0); negative in a count-in. After Continue it goes on from
  /// where Stop left it. Free pulses count on their own.
  public var number: Int64
  /// The place in the song, in pulses from bar 1: what song position counts (6 = one MIDI beat).
  public var songPulse: Int64
  /// How far the exact instant lies from the frame, in 2^-32 frames: a MIDI cable knows no frames,
  /// and whole ones would be up to 10 us of jitter at 48 kHz.
  public var fraction: Int32
  public var flags: Flags

  @frozen
  public struct Flags: OptionSet, Sendable, BitwiseCopyable {
    public let rawValue: UInt8
    @inlinable @_noAllocation @_noLocks
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// The transport is stopped; only ports whose clock always runs send it.
    @inlinable public static var free: Flags {
      @_noAllocation @_noLocks get { Flags(rawValue: 1) }
    }
    @inlinable public static var countIn: Flags {
      @_noAllocation @_noLocks get { Flags(rawValue: 2) }
    }
    /// Falls on a bar line.
    @inlinable public static var barLine: Flags {
      @_noAllocation @_noLocks get { Flags(rawValue: 4) }
    }
  }

  @inlinable @_noAllocation @_noLocks
  public init(
    frame: FrameIndex, number: Int64, songPulse: Int64, fraction: Int32 = 0, flags: Flags
  ) {
    self.frame = frame
    self.number = number
    self.songPulse = songPulse
    self.fraction = fraction
    self.flags = flags
  }

  /// A pulse at its exact point on the sample clock.
  @inlinable @_noAllocation @_noLocks
  public init(at point: ExactFrame, number: Int64, songPulse: Int64, flags: Flags) {
    self.init(
      frame: point.nearest, number: number, songPulse: songPulse, fraction: point.fromNearest,
      flags: flags)
  }

  /// The exact instant less that of the frame, in nanoseconds.
  ///
  /// - Parameter framesPerSecond: 1 or more.
  public func nanosecondsFromFrame(framesPerSecond: Int64) -> Int64 {
    // A whole nanosecond a frame too few is half a nanosecond here.
    (Int64(fraction) * (1_000_000_000 / max(framesPerSecond, 1)) + (1 << 31)) >> 32
  }
}
