import Calibration
import Glibc
import Sweeps

/// SplitMix64: the same rooms on every machine.
struct RoomDice {
  private var state: UInt64
  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// Even in 0 to 1.
  mutating func share() -> Double { Double(next() >> 11) * 0x1p-53 }

  mutating func within(_ range: ClosedRange<Double>) -> Double {
    range.lowerBound + share() * (range.upperBound - range.lowerBound)
  }

  mutating func chance(_ probability: Double) -> Bool { share() < probability }

  /// Standard normal (Box and Muller).
  mutating func normal() -> Double {
    (-2 * log(1 - share())).squareRoot() * cos(2 * Double.pi * share())
  }
}

/// A recording of sweeps in a room whose delay is known, made without any code of the product but
/// the formula of the sweep, which stands in the product page.
struct SyntheticRoom {
  var rate = 48_000.0
  /// Frames from playback to recording, at frame 0 of playback.
  var delayFrames = 0.0
  var spacingSeconds = 1.0
  var count = 16
  /// Decibels of each sweep of a raise before those that count.
  var raise: [Double] = []
  /// Amplitude of a sweep's peak where it is recorded.
  var gain = 0.3
  /// Sweep (root mean square over its 20 ms) over white noise; nil: none.
  var signalToNoise: Double?
  /// Frames after the direct sound, and its share of it.
  var echoes: [(frames: Int, gain: Double)] = []
  /// Seconds in which the reverberation falls by 60 dB, and its energy beside the direct sound in dB.
  var reverberation: (seconds: Double, decibels: Double)?
  var humGain = 0.0
  /// Full scale is cut here.
  var ceiling = 1.0
  /// Recording's clock over the playback's.
  var driftPPM = 0.0
  /// Bursts of noise: seconds from, length, amplitude.
  var bursts: [(second: Double, length: Double, gain: Double)] = []
  /// Sweeps from this one on (of those that count) come so many frames later.
  var step: (sweep: Int, frames: Double)?
  /// Nothing above it, in Hertz (a codec).
  var bandLimitHertz: Double?
  var isReversed = false
  var seed: UInt64 = 1
  var secondsAfterLast = 2.0

  /// The value of the sweep, written down anew from the product page.
  static func sweep(_ t: Double) -> Double {
    let length = 0.02
    guard t > 0, t < length else { return 0 }
    let s = sin(Double.pi * t / length)
    return s * s * sin(2 * Double.pi * 2_000 * length / log(3) * (pow(3, t / length) - 1))
  }

  /// Mean of x^2 over the 20 ms: sin^4 has the mean 3/8, the sine's square 1/2.
  static let meanSquare = 3.0 / 16

  func second(_ slot: Int) -> Double { 1.5 + Double(slot) * spacingSeconds }

  /// Frames of latency at the middle of the sweeps that count.
  var latencyFrames: Double {
    let middle = second(raise.count) + Double(count - 1) / 2 * spacingSeconds
    return delayFrames + middle * rate * driftPPM * 1e-6
  }

  func recording() -> [Float] {
    var dice = RoomDice(seed)
    let slots = raise.count + count
    let length = Int((second(slots - 1) + secondsAfterLast) * rate)
    var output = [Double](repeating: 0, count: length)
    var taps: [(frames: Int, gain: Double)] = [(0, 1)] + echoes
    if let reverberation {
      let tail = Int(reverberation.seconds * rate)
      let first = Int(0.002 * rate)
      var late: [(Int, Double)] = []
      var energy = 0.0
      for frame in stride(from: first, to: tail, by: 3) {
        // 60 dB are a factor of 1000, ln 1000 = 6.9.
        let gain = exp(-6.9 * Double(frame) / Double(tail)) * dice.normal()
        late.append((frame, gain))
        energy += gain * gain
      }
      let scale = pow(10, reverberation.decibels / 20) / energy.squareRoot()
      taps += late.map { ($0.0, $0.1 * scale) }
    }
    let stretch = 1 + driftPPM * 1e-6
    for slot in 0..<slots {
      var start = second(slot) * rate * stretch + delayFrames
      if let step, slot - raise.count >= step.sweep { start += step.frames }
      let amplitude = gain * (slot < raise.count ? pow(10, raise[slot] / 20) : 1)
      let first = Int(start.rounded(.up))
      let dry = (0..<Int(0.02 * rate * 1.001 + 2)).map {
        amplitude * Self.sweep((Double(first + $0) - start) / (rate * stretch))
      }
      for tap in taps {
        for (index, value) in dry.enumerated() {
          let frame = first + tap.frames + index
          if frame >= 0, frame < length { output[frame] += value * tap.gain }
        }
      }
    }
    if let bandLimitHertz { output = Self.lowPass(output, hertz: bandLimitHertz, rate: rate) }
    if humGain > 0 {
      for frame in output.indices {
        let phase = 2 * Double.pi * 50 * Double(frame) / rate
        output[frame] += humGain * (sin(phase) + 0.4 * sin(3 * phase) + 0.2 * sin(5 * phase))
      }
    }
    for burst in bursts {
      let from = Int(burst.second * rate)
      for frame in from..<min(length, from + Int(burst.length * rate)) where frame >= 0 {
        output[frame] += burst.gain * dice.normal()
      }
    }
    if let signalToNoise {
      let level = gain * (Self.meanSquare * pow(10, -signalToNoise / 10)).squareRoot()
      for frame in output.indices { output[frame] += level * dice.normal() }
    }
    return output.map { Float(min(max(isReversed ? -$0 : $0, -ceiling), ceiling)) }
  }

  /// A linear-phase low-pass of 401 taps (windowed sinc), its delay taken off.
  static func lowPass(_ input: [Double], hertz: Double, rate: Double) -> [Double] {
    let half = 200
    var taps: [Double] = []
    for index in -half...half {
      let x = 2 * hertz / rate * Double(index)
      let sinc = index == 0 ? 1 : sin(Double.pi * x) / (Double.pi * x)
      let window = 0.5 + 0.5 * cos(Double.pi * Double(index) / Double(half + 1))
      taps.append(2 * hertz / rate * sinc * window)
    }
    var output = [Double](repeating: 0, count: input.count)
    for frame in input.indices where input[frame] != 0 {
      for (index, tap) in taps.enumerated() {
        let to = frame + index - half
        if to >= 0, to < output.count { output[to] += input[frame] * tap }
      }
    }
    return output
  }
}
