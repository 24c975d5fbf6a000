/// Natural numbers of any size, as far as an exact timeline needs them: no division, since a frame
/// is checked by comparing products.
struct BigNatural: Comparable {
  /// Base 2^32, least significant first, no leading zeros.
  private(set) var limbs: [UInt32]

  init(_ value: UInt64) {
    limbs = [UInt32(truncatingIfNeeded: value), UInt32(value >> 32)]
    trim()
  }

  private mutating func trim() {
    while limbs.last == 0 { limbs.removeLast() }
  }

  static func < (left: BigNatural, right: BigNatural) -> Bool {
    if left.limbs.count != right.limbs.count { return left.limbs.count < right.limbs.count }
    for index in left.limbs.indices.reversed() where left.limbs[index] != right.limbs[index] {
      return left.limbs[index] < right.limbs[index]
    }
    return false
  }

  static func + (left: BigNatural, right: BigNatural) -> BigNatural {
    var sum = BigNatural(0)
    var carry: UInt64 = 0
    for index in 0..<max(left.limbs.count, right.limbs.count) {
      carry += index < left.limbs.count ? UInt64(left.limbs[index]) : 0
      carry += index < right.limbs.count ? UInt64(right.limbs[index]) : 0
      sum.limbs.append(UInt32(truncatingIfNeeded: carry))
      carry >>= 32
    }
    if carry > 0 { sum.limbs.append(UInt32(carry)) }
    return sum
  }

  static func * (left: BigNatural, right: BigNatural) -> BigNatural {
    var product = BigNatural(0)
    product.limbs = Array(repeating: 0, count: left.limbs.count + right.limbs.count)
    for (i, a) in left.limbs.enumerated() {
      var carry: UInt64 = 0
      for (j, b) in right.limbs.enumerated() {
        carry += UInt64(product.limbs[i + j]) + UInt64(a) * UInt64(b)
        product.limbs[i + j] = UInt32(truncatingIfNeeded: carry)
        carry >>= 32
      }
      product.limbs[i + right.limbs.count] = UInt32(carry)
    }
    product.trim()
    return product
  }

  /// The quotient by a number that divides this one.
  func divided(by divisor: UInt64) -> BigNatural {
    var quotient = self
    var rest: UInt64 = 0
    for index in limbs.indices.reversed() {
      let digit = rest << 32 | UInt64(limbs[index])
      quotient.limbs[index] = UInt32(digit / divisor)
      rest = digit % divisor
    }
    precondition(rest == 0)
    quotient.trim()
    return quotient
  }
}

/// A line of time in exact rational arithmetic, all of whose tempos are known beforehand, so that
/// one common denominator serves all its places.
///
/// A pulse at t thousandths of a quarter tempo lasts 60 000 x rate / 24 t = 2500 x rate / t frames.
struct ExactTimeline {
  let rate: UInt64
  /// The product of the distinct tempos: every place is a whole number of 1 / denominator frames.
  let denominator: BigNatural
  private let pulse: [UInt64: BigNatural]
  /// The present place, in 1 / denominator frames.
  private(set) var place: BigNatural

  init(rate: Int64, start: Int64, quarterThousandths: Set<UInt64>) {
    self.rate = UInt64(rate)
    let product = quarterThousandths.reduce(BigNatural(1)) { $0 * BigNatural($1) }
    denominator = product
    place = product * BigNatural(UInt64(start))
    pulse = Dictionary(
      uniqueKeysWithValues: quarterThousandths.map {
        ($0, product.divided(by: $0) * BigNatural(2500 * UInt64(rate)))
      })
  }

  /// Goes on by so many pulses at a tempo.
  mutating func advance(pulses: UInt64, at quarterThousandths: UInt64) {
    place = place + pulse[quarterThousandths]! * BigNatural(pulses)
  }

  /// Whether `frame` is the present place rounded half up: frame - 1/2 <= place < frame + 1/2.
  func isNearest(_ frame: Int64) -> Bool {
    let twice = place * BigNatural(2)
    let low = denominator * BigNatural(UInt64(2 * frame - 1))
    let high = denominator * BigNatural(UInt64(2 * frame + 1))
    return low <= twice && twice < high
  }
}

/// SplitMix64, written out again: tests draw from it, the engine's copy is judged by it.
struct SeededNumbers: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
