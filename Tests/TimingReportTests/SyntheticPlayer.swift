import Glibc

/// Notes that begin at known instants, made without any code of the product.
struct SyntheticPlayer {
  enum Instrument: CaseIterable { case struck, plucked, bowed }

  var instrument: Instrument
  var rate = 48_000.0
  var seed: UInt64 = 1
  /// Amplitude of white noise.
  var noise = 1e-4

  struct Dice {
    private var state: UInt64
    init(_ seed: UInt64) { state = seed }
    mutating func share() -> Double {
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = state
      z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
      z ^= z >> 31
      return Double(z >> 11) * 0x1p-53
    }
    mutating func within(_ range: ClosedRange<Double>) -> Double {
      range.lowerBound + share() * (range.upperBound - range.lowerBound)
    }
    mutating func normal() -> Double {
      (-2 * log(1 - share())).squareRoot() * cos(2 * Double.pi * share())
    }
  }

  /// - Parameter instants: frames, with a fraction.
  func take(_ instants: [Double], frames: Int) -> [Float] {
    var dice = Dice(seed)
    var output = (0..<frames).map { _ in noise * dice.normal() }
    for (number, instant) in instants.enumerated() {
      let hertz = 110 * pow(2, (dice.share() * 36).rounded() / 12)
      let level = 0.5 * pow(10, -dice.within(0...6) / 20)
      let next = number + 1 < instants.count ? instants[number + 1] : instant + rate
      let length = Int(instrument == .bowed ? next - instant + 0.03 * rate : 1.2 * rate)
      let first = Int(instant.rounded(.up))
      switch instrument {
      case .struck:
        // Partials of a bar and a knock, all from one instant.
        let phases = (0..<5).map { _ in dice.share() * 6.28 }
        var knock = (0..<length).map { _ in dice.normal() }
        knock[0] = 1
        for index in 0..<length where first + index < frames {
          let t = (Double(first + index) - instant) / rate
          var value = 0.4 * knock[index] * exp(-t * 300)
          for (partial, ratio) in [1, 2.76, 5.4, 8.93, 13.3].enumerated()
          where hertz * ratio < 0.4 * rate {
            value +=
              exp(-t * (4 + 6 * Double(partial)))
              * sin(2 * .pi * hertz * ratio * t + phases[partial])
              / Double(partial + 1)
          }
          output[first + index] += level * 0.6 * value
        }
      case .plucked:
        // Karplus and Strong.
        var string = (0..<Int(rate / hertz)).map { _ in dice.within(-1...1) }
        var place = 0
        for index in 0..<length where first + index < frames {
          let value = string[place]
          output[first + index] += level * value
          let other = string[(place + 1) % string.count]
          string[place] = 0.996 * (value + other) / 2
          place = (place + 1) % string.count
        }
      case .bowed:
        // A saw with vibrato that swells in 60 ms and is lifted as the next one begins.
        var phase = dice.share()
        for index in 0..<length where first + index < frames {
          let t = (Double(first + index) - instant) / rate
          let swell = t < 0.06 ? 0.5 - 0.5 * cos(.pi * t / 0.06) : 1
          let rest = Double(length - index) / rate
          let lift = rest < 0.06 ? 0.5 - 0.5 * cos(.pi * rest / 0.06) : 1
          phase += hertz * (1 + 0.006 * sin(2 * .pi * 5.5 * t)) / rate
          var value = 0.0
          for partial in 1...20 where hertz * Double(partial) < 0.4 * rate {
            value += sin(2 * .pi * phase * Double(partial)) / Double(partial)
          }
          output[first + index] += level * 0.5 * swell * lift * (value + 0.02 * dice.normal())
        }
      }
    }
    return output.map { Float(max(-1, min(1, $0))) }
  }
}
