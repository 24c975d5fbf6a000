public import MusicalTime
public import OSCWire

/// A beat, or a click between beats, as it travels: `,iiiifiiih`.
///
/// The order on the wire: run, sequence, bar, beat, quarter tempo, beats in the bar (for a click
/// between beats: its number within the beat), accent 0 to 3, flags, and the instant at which it
/// is heard, last, so that a small parser can stop before it.
///
/// - Thread: any
public struct BeatMessage: Equatable, Sendable {
  public static let beatAddress = "/tactus/beat"
  public static let subAddress = "/tactus/beat/sub"

  /// A random number for each start of the daemon.
  public var run: Int32
  /// Counts beats, and clicks between beats on their own.
  public var sequence: Int32
  /// 1 and up; -n to -1 in a count-in.
  public var bar: Int32
  /// From 1.
  public var beat: Int32
  public var quarterTempo: Float
  /// Beats in the bar; for a click between beats its number within the beat, from 1.
  public var count: Int32
  public var accent: Int32
  /// 1 muted bar, 2 mute, 4 count-in.
  public var flags: Int32
  /// CLOCK_MONOTONIC of the daemon.
  public var due: MonotonicTime

  public init(
    run: Int32, sequence: Int32, bar: Int32, beat: Int32, quarterTempo: Float, count: Int32,
    accent: Int32, flags: Int32, due: MonotonicTime
  ) {
    self.run = run
    self.sequence = sequence
    self.bar = bar
    self.beat = beat
    self.quarterTempo = quarterTempo
    self.count = count
    self.accent = accent
    self.flags = flags
    self.due = due
  }

  /// What a companion reads; nil where the message is no beat.
  public init?(_ message: OSCMessage) {
    guard message.address == BeatMessage.beatAddress || message.address == BeatMessage.subAddress,
      message.arguments.count >= 9
    else { return nil }
    var integers: [Int32] = []
    for index in [0, 1, 2, 3, 5, 6, 7] {
      guard case .int32(let value) = message.arguments[index] else { return nil }
      integers.append(value)
    }
    guard case .float(let tempo) = message.arguments[4],
      case .int64(let instant) = message.arguments[8]
    else { return nil }
    run = integers[0]
    sequence = integers[1]
    bar = integers[2]
    beat = integers[3]
    quarterTempo = tempo
    count = integers[4]
    accent = integers[5]
    flags = integers[6]
    due = MonotonicTime(nanoseconds: instant)
  }

  public func message(_ address: String) -> OSCMessage {
    OSCMessage(
      address, .int32(run), .int32(sequence), .int32(bar), .int32(beat), .float(quarterTempo),
      .int32(count), .int32(accent), .int32(flags), .int64(due.nanoseconds))
  }
}

/// What a stop takes back: `,iii` run, first sequence, last sequence.
///
/// First and last are both void, and all between. Both ends are named, so that the message may be
/// doubled, come late or overtake a beat without voiding one of the next start.
public struct BeatCancel: Equatable, Sendable {
  public static let beatAddress = "/tactus/beat/cancel"
  public static let subAddress = "/tactus/beat/sub/cancel"

  public var run: Int32
  public var first: Int32
  /// One less than `first` where nothing was announced.
  public var last: Int32

  public init(run: Int32, first: Int32, last: Int32) {
    self.run = run
    self.first = first
    self.last = last
  }

  public func message(_ address: String) -> OSCMessage {
    OSCMessage(address, .int32(run), .int32(first), .int32(last))
  }

  /// - Returns: nil where the message is no cancel.
  public init?(_ message: OSCMessage) {
    guard message.address == BeatCancel.beatAddress || message.address == BeatCancel.subAddress,
      message.arguments.count >= 2, case .int32(let run) = message.arguments[0],
      case .int32(let first) = message.arguments[1]
    else { return nil }
    var last = Int32.max
    if message.arguments.count > 2, case .int32(let named) = message.arguments[2] { last = named }
    self.init(run: run, first: first, last: last)
  }

  public func voids(_ beat: BeatMessage) -> Bool {
    beat.run == run && beat.sequence >= first && beat.sequence <= last
  }
}
