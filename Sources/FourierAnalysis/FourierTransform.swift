import CFFTW
import Glibc

/// A complex number of a spectrum.
public struct ComplexSample: BitwiseCopyable, Equatable, Sendable {
  public var real: Float
  public var imaginary: Float

  public init(_ real: Float, _ imaginary: Float) {
    self.real = real
    self.imaginary = imaginary
  }

  public static let zero = ComplexSample(0, 0)

  public static func * (left: ComplexSample, right: ComplexSample) -> ComplexSample {
    ComplexSample(
      left.real * right.real - left.imaginary * right.imaginary,
      left.real * right.imaginary + left.imaginary * right.real)
  }

  public static func * (left: ComplexSample, right: Float) -> ComplexSample {
    ComplexSample(left.real * right, left.imaginary * right)
  }

  public var conjugate: ComplexSample { ComplexSample(real, -imaginary) }

  /// |z|^2.
  public var power: Float { real * real + imaginary * imaginary }
}

/// Discrete Fourier transforms of one size, in single precision, by FFTW.
///
/// Plans are estimated, not measured: the result does not depend on the speed of the machine.
///
/// - Thread: any one at a time. FFTW's planner is not thread-safe: create on one thread only.
@safe public final class FourierTransform {
  /// Points; even.
  public let size: Int
  /// Bins from 0 to half the rate, both included.
  public var binCount: Int { size / 2 + 1 }

  private let reals: UnsafeMutablePointer<Float>
  private let bins: UnsafeMutablePointer<fftwf_complex>
  private let whole: UnsafeMutablePointer<fftwf_complex>
  private let forwardPlan: fftwf_plan
  private let inversePlan: fftwf_plan
  private let analyticPlan: fftwf_plan

  /// - Parameter leastSize: points that must fit; the next power of two is taken, at most 2^26.
  /// - Returns: nil where there is no memory for it.
  public init?(leastSize: Int) {
    var points = 16
    while points < leastSize, points < 1 << 26 { points *= 2 }
    guard points >= leastSize else { return nil }
    size = points
    PlannerLock.shared.lock()
    defer { PlannerLock.shared.unlock() }
    guard
      let reals = unsafe fftwf_alloc_real(points),
      let bins = unsafe fftwf_alloc_complex(points / 2 + 1),
      let whole = unsafe fftwf_alloc_complex(points),
      let forward = unsafe fftwf_plan_dft_r2c_1d(Int32(points), reals, bins, FFTW_ESTIMATE),
      let inverse = unsafe fftwf_plan_dft_c2r_1d(Int32(points), bins, reals, FFTW_ESTIMATE),
      let analytic = unsafe fftwf_plan_dft_1d(
        Int32(points), whole, whole, FFTW_BACKWARD, FFTW_ESTIMATE)
    else { return nil }
    unsafe self.reals = reals
    unsafe self.bins = bins
    unsafe self.whole = whole
    unsafe forwardPlan = forward
    unsafe inversePlan = inverse
    unsafe analyticPlan = analytic
  }

  deinit {
    PlannerLock.shared.lock()
    unsafe fftwf_destroy_plan(forwardPlan)
    unsafe fftwf_destroy_plan(inversePlan)
    unsafe fftwf_destroy_plan(analyticPlan)
    PlannerLock.shared.unlock()
    unsafe fftwf_free(reals)
    unsafe fftwf_free(bins)
    unsafe fftwf_free(whole)
  }

  /// The spectrum of real samples, zeros following them up to `size`; unscaled.
  ///
  /// - Parameter samples: at most `size`; what is beyond is left out.
  public func spectrum(_ samples: ArraySlice<Float>) -> [ComplexSample] {
    let count = min(samples.count, size)
    unsafe samples.withUnsafeBufferPointer { buffer in
      if let base = buffer.baseAddress { unsafe reals.update(from: base, count: count) }
    }
    unsafe (reals + count).update(repeating: 0, count: size - count)
    unsafe fftwf_execute(forwardPlan)
    return unsafe [ComplexSample](unsafeUninitializedCapacity: binCount) { buffer, filled in
      for index in 0..<binCount {
        unsafe buffer[index] = ComplexSample(bins[index].0, bins[index].1)
      }
      filled = binCount
    }
  }

  /// Real samples of a spectrum, scaled so that it undoes `spectrum`.
  public func samples(_ spectrum: [ComplexSample]) -> [Float] {
    for index in 0..<binCount {
      let value = index < spectrum.count ? spectrum[index] : .zero
      unsafe bins[index] = (value.real, value.imaginary)
    }
    unsafe fftwf_execute(inversePlan)
    let scale = 1 / Float(size)
    return unsafe [Float](unsafeUninitializedCapacity: size) { buffer, filled in
      for index in 0..<size { unsafe buffer[index] = reals[index] * scale }
      filled = size
    }
  }

  /// The analytic signal of a spectrum: its real part is `samples`, its magnitude their envelope.
  public func analyticSignal(_ spectrum: [ComplexSample]) -> [ComplexSample] {
    for index in 0..<size {
      // Twice the positive frequencies, none of the negative ones, the two ends as they are.
      var value = index < spectrum.count ? spectrum[index] : .zero
      if index > 0, index < size / 2 { value = value * 2 }
      unsafe whole[index] = (value.real, value.imaginary)
    }
    unsafe fftwf_execute(analyticPlan)
    let scale = 1 / Float(size)
    return unsafe [ComplexSample](unsafeUninitializedCapacity: size) { buffer, filled in
      for index in 0..<size {
        unsafe buffer[index] = ComplexSample(whole[index].0 * scale, whole[index].1 * scale)
      }
      filled = size
    }
  }
}

/// FFTW makes and destroys plans with tables that are common to all threads; only executing them is safe
/// beside that (its manual, "Thread safety").
@safe private final class PlannerLock: @unchecked Sendable {
  static let shared = PlannerLock()
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  private init() {
    unsafe mutex = .allocate(capacity: 1)
    unsafe mutex.initialize(to: pthread_mutex_t())
    _ = unsafe pthread_mutex_init(mutex, nil)
  }

  func lock() { _ = unsafe pthread_mutex_lock(mutex) }
  func unlock() { _ = unsafe pthread_mutex_unlock(mutex) }
}
