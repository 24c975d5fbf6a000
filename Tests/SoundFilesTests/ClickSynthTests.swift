import Glibc
import RealtimeEngine
import Testing

@testable import SoundFiles

let rates = [44_100, 48_000, 88_200, 96_000, 192_000]

@Suite("Built-in sounds")
struct ClickSynthTests {
  static let audible = SoundSlot.allCases.filter { $0 != .sync }

  @Test(
    "the first sample is heard, the crest comes within a millisecond, the last is zero",
    arguments: BuiltInSound.allCases, rates)
  func onset(sound: BuiltInSound, rate: Int) {
    for slot in Self.audible {
      let samples = ClickSynth.samples(sound, for: slot, rate: rate)
      let crest = samples.map(abs).max() ?? 0
      // What lies more than 40 dB below the peak counts as silence at the head of a file.
      #expect(abs(samples[0]) >= crest / 100, "\(sound) \(slot) \(rate)")
      let crestFrame = samples.firstIndex { abs($0) == crest } ?? samples.count
      #expect(crestFrame <= rate / 1000, "\(sound) \(slot) \(rate): \(crestFrame)")
      #expect(samples.last == 0)
      #expect(samples.allSatisfy { $0.isFinite })
    }
  }

  /// The level that a sound level meter shows of a click: A-weighted, Fast. In dB of full scale.
  static func loudness(_ samples: [Float], rate: Int) -> Double {
    // The analog A curve (IEC 61672-1 annex E): four zeros at 0, poles at 20.6 (twice), 107.7,
    // 737.9 and 12194 Hz (twice), 0 dB at 1 kHz; each as a bilinear first-order section.
    func section(_ hertz: Double, highPass: Bool, _ x: [Double]) -> [Double] {
      // Warped so that the pole is where it should be.
      let pole = tan(Double.pi * hertz / Double(rate))
      let (b0, b1) =
        highPass ? (1 / (1 + pole), -1 / (1 + pole)) : (pole / (1 + pole), pole / (1 + pole))
      let a1 = (pole - 1) / (pole + 1)
      var (lastX, lastY) = (0.0, 0.0)
      return x.map { value in
        let y = b0 * value + b1 * lastX - a1 * lastY
        (lastX, lastY) = (value, y)
        return y
      }
    }
    var x = samples.map(Double.init) + [Double](repeating: 0, count: rate / 5)
    for hertz in [20.598_997, 20.598_997, 107.652_65, 737.862_23] {
      x = section(hertz, highPass: true, x)
    }
    for _ in 0..<2 { x = section(12_194.217, highPass: false, x) }
    let fall = exp(-1 / (0.125 * Double(rate)))
    var mean = 0.0
    var greatest = 0.0
    for value in x {
      mean = fall * mean + (1 - fall) * value * value
      greatest = max(greatest, mean)
    }
    // 2.0 dB make up for what the poles take at 1 kHz.
    return 10 * log10(greatest) + 2.0
  }

  @Test("all sounds are equally loud within 1 dB, and accents are clearly apart")
  func loudness() {
    // The rate is high, so that the bilinear sections follow the analog curve.
    let rate = 192_000
    for slot in Self.audible where slot != .timerEnd {
      let all = BuiltInSound.allCases.map {
        Self.loudness(ClickSynth.samples($0, for: slot, rate: rate), rate: rate)
      }
      #expect((all.max() ?? 0) - (all.min() ?? 0) < 1, "\(slot): \(all)")
    }
    for sound in BuiltInSound.allCases {
      let levels = [SoundSlot.strong, .normal, .soft, .subdivision].map {
        Self.loudness(ClickSynth.samples(sound, for: $0, rate: rate), rate: rate)
      }
      for (louder, softer) in zip(levels, levels.dropFirst()) {
        #expect(louder - softer > 2.5, "\(sound): \(levels)")
      }
      for slot in Self.audible {
        let samples = ClickSynth.samples(sound, for: slot, rate: 48_000)
        #expect((samples.map(abs).max() ?? 2) <= 1)
      }
    }
  }

  @Test(
    "twice the rate is the same sound with a sample between each two",
    arguments: BuiltInSound.allCases)
  func rateIndependence(sound: BuiltInSound) {
    let low = ClickSynth.samples(sound, for: .normal, rate: 48_000)
    let high = ClickSynth.samples(sound, for: .normal, rate: 96_000)
    // Each is scaled to its own crest sample, so one factor lies between them.
    let factor = low[0] / high[0]
    for n in 0..<(low.count * 3 / 4) {
      #expect(abs(high[2 * n] * factor - low[n]) < 1e-4)
    }
  }

  /// The magnitude of the spectrum at a frequency.
  static func magnitude(_ samples: [Float], hertz: Double, rate: Int) -> Double {
    var real = 0.0
    var imaginary = 0.0
    let angle = 2 * Double.pi * hertz / Double(rate)
    for n in samples.indices {
      real += Double(samples[n]) * cos(angle * Double(n))
      imaginary += Double(samples[n]) * sin(angle * Double(n))
    }
    return (real * real + imaginary * imaginary).squareRoot()
  }

  @Test("above the hearing there is next to nothing", arguments: BuiltInSound.allCases)
  func bandLimit(sound: BuiltInSound) {
    for slot in [SoundSlot.strong, .normal, .soft, .subdivision] {
      let samples = ClickSynth.samples(sound, for: slot, rate: 96_000)
      let heard =
        stride(from: 500.0, to: 14_000, by: 250).map {
          Self.magnitude(samples, hertz: $0, rate: 96_000)
        }.max() ?? 0
      let beyond =
        stride(from: 22_050.0, to: 48_000, by: 1_500).map {
          Self.magnitude(samples, hertz: $0, rate: 96_000)
        }.max() ?? 1
      // -40 dB: the first sample's own step is all that is left there.
      #expect(beyond < heard / 100, "\(sound) \(slot): \(20 * log10(beyond / heard)) dB")
    }
  }

  @Test("an octave up doubles the frequency of the crest of the spectrum")
  func pitch() {
    // The ground tone of the normal beep is C6, 1046.5 Hz.
    let samples = ClickSynth.samples(.beep, for: .normal, rate: 48_000, semitones: 12)
    let octave = Self.magnitude(samples, hertz: 2_093, rate: 48_000)
    let ground = Self.magnitude(samples, hertz: 1_046.5, rate: 48_000)
    #expect(octave > 10 * ground)
  }

  @Test("raised beyond half the rate, a partial is left out and not folded back")
  func noAlias() {
    // Two octaves up the wood's strong partials lie at 6.6, 13.74, 22.38 and 33.6 kHz; the last
    // would fold to 44.1 - 33.6 = 10.5 kHz.
    let shares = [44_100, 192_000].map { rate in
      let samples = ClickSynth.samples(.wood, for: .strong, rate: rate, semitones: 24)
      return Self.magnitude(samples, hertz: 10_500, rate: rate)
        / Self.magnitude(samples, hertz: 6_600, rate: rate)
    }
    #expect(shares[0] < 1.3 * shares[1])
  }

  @Test("the variants of a family differ")
  func variants() {
    for sound in BuiltInSound.allCases {
      let all = Self.audible.map { ClickSynth.samples(sound, for: $0, rate: 48_000) }
      #expect(Set(all).count == all.count, "\(sound)")
    }
  }

  @Test("the sync pulse is at full scale on its first frame and holds for 5 ms")
  func sync() {
    let samples = ClickSynth.samples(.wood, for: .sync, rate: 48_000)
    // 5 ms at 48 kHz are 240 frames.
    #expect(samples.count == 241)
    #expect(samples[..<240].allSatisfy { $0 == 1 })
    #expect(samples[240] == 0)
  }

  @Test("the arithmetic agrees with the mathematics library")
  func arithmetic() {
    for x in stride(from: -3.0, through: 3, by: 0.037) {
      #expect(abs(WaveArithmetic.cosine(turns: x) - cos(2 * Double.pi * x)) < 1e-13)
      #expect(abs(WaveArithmetic.sine(turns: x) - sin(2 * Double.pi * x)) < 1e-13)
    }
    for decibels in [0.0, -6, -12, -90, 6] {
      let exact = pow(10, decibels / 20)
      #expect(abs(WaveArithmetic.gain(decibels: decibels) / exact - 1) < 1e-12)
    }
    #expect(WaveArithmetic.gain(decibels: -.infinity) == 0)
    #expect(abs(WaveArithmetic.ratio(semitones: -24) - 0.25) < 1e-14)
  }
}
