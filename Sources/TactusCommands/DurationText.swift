/// Lengths of time as people write them: `10m`, `90s`, `1:30`, `1h30m`, `1:02:03.5`, `250ms`.
///
/// - Unit: nanoseconds
/// - Thread: any
enum DurationText {
  /// Up to four days; nil where it cannot be read.
  static func nanoseconds(_ text: String) -> Int64? {
    guard (1...40).contains(text.utf8.count) else { return nil }
    let result = text.contains(":") ? colons(text) : units(text)
    guard let result, result <= 345_600 * 1_000_000_000 else { return nil }
    return result
  }

  /// Nearest frame, half up.
  static func frames(nanoseconds: Int64, rate: Int64) -> Int64 {
    Int64((2 * Int128(nanoseconds) * Int128(rate) + 1_000_000_000) / 2_000_000_000)
  }

  static let forms = "10m, 90s, 1:30, 1h30m or 250ms"

  private static func colons(_ text: String) -> Int64? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count), let seconds = decimal(parts[parts.count - 1]) else {
      return nil
    }
    guard seconds < 60_000_000_000 else { return nil }
    var whole: Int64 = 0
    for (index, part) in parts.dropLast().enumerated() {
      guard let value = digits(part), value < 100_000, index == 0 || value < 60 else { return nil }
      whole = whole * 60 + value
    }
    return whole * 60_000_000_000 + seconds
  }

  private static func units(_ text: String) -> Int64? {
    var total: Int64 = 0
    var rest = text[...]
    var last = Int64.max
    while !rest.isEmpty {
      let number = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
      rest = rest.dropFirst(number.count)
      let unit = rest.prefix { $0.isASCII && $0.isLetter }
      rest = rest.dropFirst(unit.count)
      let factor: Int64
      switch unit {
      case "h": factor = 3600_000
      case "m", "min": factor = 60_000
      case "s", "": factor = 1000
      case "ms": factor = 1
      default: return nil
      }
      // From the largest unit to the smallest, each once; without a unit it is seconds, alone.
      guard factor < last, !unit.isEmpty || number.count == text.count else { return nil }
      last = factor
      guard let value = decimal(number) else { return nil }
      // Nanoseconds of a second, times milliseconds of the unit.
      let part = Int128(value) * Int128(factor) / 1000
      guard part <= Int128(Int64.max / 4) else { return nil }
      total += Int64(part)
    }
    return total
  }

  /// Billionths of a decimal number with at most nine places.
  private static func decimal(_ text: Substring) -> Int64? {
    let sides = text.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(sides.count), text.contains(where: \.isNumber) else { return nil }
    let whole = sides[0].isEmpty ? 0 : digits(sides[0])
    guard let whole, whole < 1_000_000 else { return nil }
    var fraction: Int64 = 0
    if sides.count == 2, !sides[1].isEmpty {
      guard sides[1].count <= 9, let value = digits(sides[1]) else { return nil }
      fraction = value
      for _ in sides[1].count..<9 { fraction *= 10 }
    }
    return whole * 1_000_000_000 + fraction
  }

  private static func digits(_ text: Substring) -> Int64? {
    guard (1...9).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    return Int64(text)
  }
}
