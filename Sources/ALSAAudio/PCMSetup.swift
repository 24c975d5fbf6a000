internal import CALSA
internal import Glibc

/// Sets the hardware and software parameters of a PCM that has just been opened.
///
/// - Thread: device
@safe struct PCMSetup {
  /// The call that refused and its negative errno.
  struct Refusal: Error {
    var call: String
    var code: Int32
  }

  let pcm: OpaquePointer
  let request: PCMRequest

  init(pcm: OpaquePointer, request: PCMRequest) {
    unsafe self.pcm = pcm
    self.request = request
  }

  func apply() throws(Refusal) -> PCMConfiguration {
    var record: OpaquePointer?
    try check("snd_pcm_hw_params_malloc", unsafe snd_pcm_hw_params_malloc(&record))
    guard let params = unsafe record else {
      throw Refusal(call: "snd_pcm_hw_params_malloc", code: -ENOMEM)
    }
    defer { unsafe snd_pcm_hw_params_free(params) }

    let configuration: PCMConfiguration
    do throws(Refusal) {
      configuration = try unsafe setHardware(params, asTimes: false)
    } catch {
      // Some plug-ins refuse sizes that they offered; as times they may choose for themselves.
      configuration = try unsafe setHardware(params, asTimes: true)
    }
    try setSoftware(configuration)
    return configuration
  }

  private func setHardware(
    _ params: OpaquePointer, asTimes: Bool
  ) throws(Refusal) -> PCMConfiguration {
    try check("snd_pcm_hw_params_any", unsafe snd_pcm_hw_params_any(pcm, params))
    try check(
      "interleaved access",
      unsafe snd_pcm_hw_params_set_access(pcm, params, SND_PCM_ACCESS_RW_INTERLEAVED))
    // alsa-lib's own resampler works in whole periods (940 for 1024 frames is 0.085 % slow): a
    // metronome takes the rate that the card has. Where the call is refused there is no choice.
    unsafe snd_pcm_hw_params_set_rate_resample(pcm, params, 0)
    let format = try unsafe setFormat(params)
    var channels = UInt32(clamping: request.channelCount)
    try check(
      "channel count",
      unsafe snd_pcm_hw_params_set_channels_near(pcm, params, &channels))
    var rate = UInt32(clamping: request.framesPerSecond)
    try check("rate", unsafe snd_pcm_hw_params_set_rate_near(pcm, params, &rate, nil))
    if asTimes {
      try unsafe setTimes(params)
    } else {
      try unsafe setSizes(params, framesPerSecond: Int(rate))
    }
    try check("snd_pcm_hw_params", unsafe snd_pcm_hw_params(pcm, params))

    var period: snd_pcm_uframes_t = 0
    var buffer: snd_pcm_uframes_t = 0
    try check(
      "period size", unsafe snd_pcm_hw_params_get_period_size(params, &period, nil))
    try check("buffer size", unsafe snd_pcm_hw_params_get_buffer_size(params, &buffer))
    guard period > 0, buffer > 0, rate > 0, channels > 0 else {
      throw Refusal(call: "snd_pcm_hw_params", code: -EINVAL)
    }
    return PCMConfiguration(
      framesPerSecond: Int(rate), channelCount: Int(channels), format: format,
      periodFrames: Int(period), bufferFrames: Int(buffer))
  }

  private func setFormat(_ params: OpaquePointer) throws(Refusal) -> SampleFormat {
    for format in SampleFormat.allCases
    where unsafe snd_pcm_hw_params_test_format(pcm, params, format.alsa) == 0 {
      try check(
        "sample format", unsafe snd_pcm_hw_params_set_format(pcm, params, format.alsa))
      return format
    }
    throw Refusal(call: "every sample format of 16, 24, 32 bits and float", code: -EINVAL)
  }

  private func setSizes(_ params: OpaquePointer, framesPerSecond: Int) throws(Refusal) {
    var smallest: snd_pcm_uframes_t = 0
    var largest: snd_pcm_uframes_t = 0
    unsafe snd_pcm_hw_params_get_period_size_min(params, &smallest, nil)
    unsafe snd_pcm_hw_params_get_period_size_max(params, &largest, nil)
    let periods = range(smallest, largest)
    unsafe snd_pcm_hw_params_get_buffer_size_min(params, &smallest)
    unsafe snd_pcm_hw_params_get_buffer_size_max(params, &largest)
    let plan = BufferPlan(
      request: request, framesPerSecond: framesPerSecond, periods: periods,
      buffers: range(smallest, largest))
    var period = snd_pcm_uframes_t(plan.periodFrames)
    try check(
      "period size", unsafe snd_pcm_hw_params_set_period_size_near(pcm, params, &period, nil))
    // The period that was got may differ: the buffer is a whole number of those.
    let count = max(plan.bufferFrames / max(Int(period), 1), 2)
    var buffer = period * snd_pcm_uframes_t(count)
    try check(
      "buffer size", unsafe snd_pcm_hw_params_set_buffer_size_near(pcm, params, &buffer))
  }

  private func setTimes(_ params: OpaquePointer) throws(Refusal) {
    let milliseconds = request.bufferMilliseconds ?? PCMRequest.usualBufferMilliseconds
    var buffer = UInt32(min(max(milliseconds * 1000, 1_000), 2_000_000))
    try check(
      "buffer time", unsafe snd_pcm_hw_params_set_buffer_time_near(pcm, params, &buffer, nil))
    var period = buffer / 4
    try check(
      "period time", unsafe snd_pcm_hw_params_set_period_time_near(pcm, params, &period, nil))
  }

  private func setSoftware(_ configuration: PCMConfiguration) throws(Refusal) {
    var record: OpaquePointer?
    try check("snd_pcm_sw_params_malloc", unsafe snd_pcm_sw_params_malloc(&record))
    guard let params = unsafe record else {
      throw Refusal(call: "snd_pcm_sw_params_malloc", code: -ENOMEM)
    }
    defer { unsafe snd_pcm_sw_params_free(params) }
    try check("snd_pcm_sw_params_current", unsafe snd_pcm_sw_params_current(pcm, params))
    try check(
      "wake-up level",
      unsafe snd_pcm_sw_params_set_avail_min(
        pcm, params, snd_pcm_uframes_t(configuration.periodFrames)))
    // It starts when the buffer is full, so that the first periods have the same lead as all others.
    try check(
      "start level",
      unsafe snd_pcm_sw_params_set_start_threshold(
        pcm, params, snd_pcm_uframes_t(configuration.bufferFrames)))
    try check(
      "time stamps", unsafe snd_pcm_sw_params_set_tstamp_mode(pcm, params, SND_PCM_TSTAMP_ENABLE))
    // Plug-ins may not know the clock's type; their stamps are judged when they come.
    unsafe snd_pcm_sw_params_set_tstamp_type(pcm, params, SND_PCM_TSTAMP_TYPE_MONOTONIC)
    // What has been played is overwritten with silence, so that a buffer that runs empty falls
    // silent instead of repeating old clicks. Plug-ins that cannot do it go on without.
    var boundary: snd_pcm_uframes_t = 0
    if unsafe snd_pcm_sw_params_get_boundary(params, &boundary) == 0 {
      unsafe snd_pcm_sw_params_set_silence_threshold(pcm, params, 0)
      unsafe snd_pcm_sw_params_set_silence_size(pcm, params, boundary)
    }
    try check("snd_pcm_sw_params", unsafe snd_pcm_sw_params(pcm, params))
  }

  private func check(_ call: String, _ code: Int32) throws(Refusal) {
    if code < 0 { throw Refusal(call: call, code: code) }
  }

  private func range(
    _ smallest: snd_pcm_uframes_t, _ largest: snd_pcm_uframes_t
  ) -> ClosedRange<Int> {
    let low = max(Int(clamping: smallest), 1)
    return low...max(Int(clamping: largest), low)
  }
}
