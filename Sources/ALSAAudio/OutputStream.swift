internal import RealtimeHost

/// An open device with all the memory that playing on it takes.
///
/// - Thread: made and freed on the device thread, used on the audio thread.
@safe final class OutputStream: @unchecked Sendable {
  let device: any PCMDevice
  let configuration: PCMConfiguration
  /// Planar Float32, one period for each channel.
  let planar: UnsafeMutablePointer<Float>
  /// Interleaved, one period in the device's format.
  let packed: UnsafeMutableRawPointer
  /// The same in zeros, which is silence in every format.
  let silence: UnsafeMutableRawPointer

  init(device: any PCMDevice) {
    self.device = device
    configuration = device.configuration
    let samples = configuration.periodFrames * configuration.channelCount
    let bytes = configuration.periodFrames * configuration.bytesPerFrame
    // Written now, so that the audio thread meets no page for the first time.
    unsafe planar = UnsafeMutablePointer<Float>.allocate(capacity: samples)
    unsafe planar.initialize(repeating: 0, count: samples)
    unsafe packed = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 16)
    unsafe packed.initializeMemory(as: UInt8.self, repeating: 0, count: bytes)
    unsafe silence = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 16)
    unsafe silence.initializeMemory(as: UInt8.self, repeating: 0, count: bytes)
  }

  deinit {
    unsafe planar.deallocate()
    unsafe packed.deallocate()
    unsafe silence.deallocate()
  }
}

/// What the audio thread tells the device thread.
struct StreamFact: BitwiseCopyable {
  enum Kind: UInt8, BitwiseCopyable {
    /// Sound has joined in, in phase.
    case playing
    /// The device failed with `code`; the audio thread no longer touches it.
    case lost
    /// The source cannot run at the device's rate; the audio thread no longer touches it.
    case rateRefused
    case suspended, resumed
  }
  var kind: Kind
  var code: Int32 = 0
}
