internal import CALSA
internal import Glibc

/// Sets the hardware and software parameters of an input that has just been opened.
///
/// - Thread: as `CaptureOpener`
@safe struct CaptureSetup {
  let pcm: OpaquePointer
  let request: CaptureRequest

  /// A period that wakes often enough for the clock, and a buffer that rides out a busy machine: how
  /// late a recording is read does not matter.
  private static let periodMicroseconds: UInt32 = 10_000
  private static let bufferMicroseconds: UInt32 = 250_000

  init(pcm: OpaquePointer, request: CaptureRequest) {
    unsafe self.pcm = pcm
    self.request = request
  }

  func apply() throws(PCMSetup.Refusal) -> PCMConfiguration {
    var record: OpaquePointer?
    try check("snd_pcm_hw_params_malloc", unsafe snd_pcm_hw_params_malloc(&record))
    guard let params = unsafe record else {
      throw PCMSetup.Refusal(call: "snd_pcm_hw_params_malloc", code: -ENOMEM)
    }
    defer { unsafe snd_pcm_hw_params_free(params) }
    try check("snd_pcm_hw_params_any", unsafe snd_pcm_hw_params_any(pcm, params))
    try check(
      "interleaved access",
      unsafe snd_pcm_hw_params_set_access(pcm, params, SND_PCM_ACCESS_RW_INTERLEAVED))
    // A resampler would put a delay of its own, which nobody tells, between microphone and take.
    unsafe snd_pcm_hw_params_set_rate_resample(pcm, params, 0)
    let format = try unsafe setFormat(params)
    var channels = UInt32(clamping: request.channelCount)
    try check(
      "channel count", unsafe snd_pcm_hw_params_set_channels_near(pcm, params, &channels))
    var rate = UInt32(clamping: request.framesPerSecond)
    try check("rate", unsafe snd_pcm_hw_params_set_rate_near(pcm, params, &rate, nil))
    var buffer = CaptureSetup.bufferMicroseconds
    try check(
      "buffer time", unsafe snd_pcm_hw_params_set_buffer_time_near(pcm, params, &buffer, nil))
    var period = min(CaptureSetup.periodMicroseconds, buffer / 2)
    try check(
      "period time", unsafe snd_pcm_hw_params_set_period_time_near(pcm, params, &period, nil))
    try check("snd_pcm_hw_params", unsafe snd_pcm_hw_params(pcm, params))

    var periodFrames: snd_pcm_uframes_t = 0
    var bufferFrames: snd_pcm_uframes_t = 0
    try check(
      "period size", unsafe snd_pcm_hw_params_get_period_size(params, &periodFrames, nil))
    try check("buffer size", unsafe snd_pcm_hw_params_get_buffer_size(params, &bufferFrames))
    guard periodFrames > 0, bufferFrames > 0, rate > 0, channels > 0 else {
      throw PCMSetup.Refusal(call: "snd_pcm_hw_params", code: -EINVAL)
    }
    let configuration = PCMConfiguration(
      framesPerSecond: Int(rate), channelCount: Int(channels), format: format,
      periodFrames: Int(periodFrames), bufferFrames: Int(bufferFrames))
    try setSoftware(configuration)
    return configuration
  }

  private func setFormat(_ params: OpaquePointer) throws(PCMSetup.Refusal) -> SampleFormat {
    // A card's own integers first: a plug-in that offers floats has converted them.
    for format in [SampleFormat.int32, .int24, .int24Packed, .int16, .float32]
    where unsafe snd_pcm_hw_params_test_format(pcm, params, format.alsa) == 0 {
      try check(
        "sample format", unsafe snd_pcm_hw_params_set_format(pcm, params, format.alsa))
      return format
    }
    throw PCMSetup.Refusal(call: "every sample format of 16, 24, 32 bits and float", code: -EINVAL)
  }

  private func setSoftware(_ configuration: PCMConfiguration) throws(PCMSetup.Refusal) {
    var record: OpaquePointer?
    try check("snd_pcm_sw_params_malloc", unsafe snd_pcm_sw_params_malloc(&record))
    guard let params = unsafe record else {
      throw PCMSetup.Refusal(call: "snd_pcm_sw_params_malloc", code: -ENOMEM)
    }
    defer { unsafe snd_pcm_sw_params_free(params) }
    try check("snd_pcm_sw_params_current", unsafe snd_pcm_sw_params_current(pcm, params))
    try check(
      "wake-up level",
      unsafe snd_pcm_sw_params_set_avail_min(
        pcm, params, snd_pcm_uframes_t(configuration.periodFrames)))
    // It is started by a call, not by the first read.
    try check(
      "start level",
      unsafe snd_pcm_sw_params_set_start_threshold(
        pcm, params, snd_pcm_uframes_t(configuration.bufferFrames) * 16))
    try check(
      "time stamps", unsafe snd_pcm_sw_params_set_tstamp_mode(pcm, params, SND_PCM_TSTAMP_ENABLE))
    // Plug-ins may not know the clock's type; their stamps are judged when they come.
    unsafe snd_pcm_sw_params_set_tstamp_type(pcm, params, SND_PCM_TSTAMP_TYPE_MONOTONIC)
    try check("snd_pcm_sw_params", unsafe snd_pcm_sw_params(pcm, params))
  }

  private func check(_ call: String, _ code: Int32) throws(PCMSetup.Refusal) {
    if code < 0 { throw PCMSetup.Refusal(call: call, code: code) }
  }
}
