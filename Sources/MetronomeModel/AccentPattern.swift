public import MusicalTime

/// One accent for each beat of a bar.
///
/// Held as two bit planes, so that the audio thread copies and reads it without touching memory
/// that another thread owns.
///
/// - Unit: beats, 1 to 64
/// - Thread: any
@frozen
public struct AccentPattern: Hashable, Sendable, BitwiseCopyable {
  public let count: UInt8
  @usableFromInline let low: UInt64
  @usableFromInline let high: UInt64

  @inlinable @_noAllocation @_noLocks
  init(count: UInt8, low: UInt64, high: UInt64) {
    self.count = count
    self.low = low
    self.high = high
  }

  /// - Returns: nil unless there are 1 to 64 accents.
  public init?(_ accents: [Accent]) {
    guard (1...Meter.maximumBeats).contains(accents.count) else { return nil }
    var low: UInt64 = 0
    var high: UInt64 = 0
    for (beat, accent) in accents.enumerated() {
      low |= UInt64(accent.rawValue & 1) << UInt64(beat)
      high |= UInt64(accent.rawValue >> 1) << UInt64(beat)
    }
    self.init(count: UInt8(accents.count), low: low, high: high)
  }

  /// Reads letters, one for each beat: `X` strong, `x` normal, `-` soft, `.` silent.
  public init(text: String, for meter: Meter) throws(AccentPatternError) {
    var accents: [Accent] = []
    for letter in text.prefix(Meter.maximumBeats + 1) {
      guard let accent = Accent(letter: letter) else { throw .letter(letter) }
      accents.append(accent)
    }
    guard accents.count == Int(meter.beatCount) else {
      throw .length(text.count, beats: Int(meter.beatCount), meter: meter)
    }
    guard let pattern = AccentPattern(accents) else { throw .letter(" ") }
    self = pattern
  }

  /// The pattern a meter has when nobody wrote one: strong on one; where the beats are grouped,
  /// normal on the other group starts and soft elsewhere; without groups, normal elsewhere.
  public static func standard(for meter: Meter) -> AccentPattern {
    let hasGroups = meter.groupStarts != 1
    var low: UInt64 = 0
    var high: UInt64 = 0
    for beat in 0..<Int(meter.beatCount) {
      let accent: Accent =
        beat == 0 ? .strong : !hasGroups || meter.startsGroup(beat) ? .normal : .soft
      low |= UInt64(accent.rawValue & 1) << UInt64(beat)
      high |= UInt64(accent.rawValue >> 1) << UInt64(beat)
    }
    return AccentPattern(count: meter.beatCount, low: low, high: high)
  }

  /// Equality that the audio thread may ask for.
  @inlinable @_noAllocation @_noLocks
  public func isSame(as other: AccentPattern) -> Bool {
    count == other.count && low == other.low && high == other.high
  }

  /// The accent of a 0-based beat; silent outside the pattern.
  @inlinable @_noAllocation @_noLocks
  public func accent(at beat: Int) -> Accent {
    guard beat >= 0, beat < Int(count) else { return .silent }
    let bits = (low >> UInt64(beat)) & 1 | ((high >> UInt64(beat)) & 1) << 1
    switch bits {
    case 3: return .strong
    case 2: return .normal
    case 1: return .soft
    default: return .silent
    }
  }
}

extension AccentPattern: CustomStringConvertible {
  public var description: String {
    var text = ""
    for beat in 0..<Int(count) { text.append(accent(at: beat).letter) }
    return text
  }
}

/// Why a pattern was refused.
public enum AccentPatternError: Error, Equatable, CustomStringConvertible {
  case letter(Character)
  case length(Int, beats: Int, meter: Meter)

  public var description: String {
    switch self {
    case .letter(let letter):
      "pattern letter '\(letter)' is unknown: X strong, x normal, - soft, . silent"
    case .length(let length, let beats, let meter):
      "pattern has \(length) letters but a bar of \(meter) has \(beats) beats: write \(beats) letters"
    }
  }
}
