/// What a person asks of an output; every figure is a preference, what was got is reported.
public struct PCMRequest: Sendable, Equatable {
  /// An ALSA name (`default`, `hw:CARD=ID`, `plughw:CARD=ID,DEV=0`), or a bare card id.
  public var device: String
  public var framesPerSecond: Int
  public var channelCount: Int
  /// nil: a quarter of the buffer that is asked for, or 5 ms.
  public var periodFrames: Int?
  /// The longest buffer that is asked for; two periods are the shortest there is, three where the
  /// device dictates a longer period than was asked for. nil: four periods, 50 ms at most.
  public var bufferMilliseconds: Double?
  /// A shorter period has run empty again and again: this one is the least, with four in the
  /// buffer whatever their length; nil until that has happened.
  public var leastPeriodFrames: Int?

  /// The longest buffer that is asked for where nobody names one.
  static let usualBufferMilliseconds: Double = 50

  public init(
    device: String = "default", framesPerSecond: Int = 48_000, channelCount: Int = 2,
    periodFrames: Int? = nil, bufferMilliseconds: Double? = nil
  ) {
    self.device = device
    self.framesPerSecond = framesPerSecond
    self.channelCount = channelCount
    self.periodFrames = periodFrames
    self.bufferMilliseconds = bufferMilliseconds
  }

  /// Whether no device is wanted: `none` runs the clock on the host's time.
  public var isSilent: Bool { device == "none" }

  /// The name that ALSA is given: a bare card id stands for the card alone, unconverted.
  public func alsaName(cards: [SoundCard]) -> String {
    cards.contains { $0.id == device } ? "hw:CARD=\(device)" : device
  }
}

/// What an open PCM is set to.
public struct PCMConfiguration: Sendable, Equatable, BitwiseCopyable {
  public var framesPerSecond: Int
  public var channelCount: Int
  public var format: SampleFormat
  public var periodFrames: Int
  public var bufferFrames: Int

  public init(
    framesPerSecond: Int, channelCount: Int, format: SampleFormat, periodFrames: Int,
    bufferFrames: Int
  ) {
    self.framesPerSecond = framesPerSecond
    self.channelCount = channelCount
    self.format = format
    self.periodFrames = periodFrames
    self.bufferFrames = bufferFrames
  }

  public var bytesPerFrame: Int { channelCount * format.bytesPerSample }

  public var bufferMilliseconds: Double {
    Double(bufferFrames) * 1000 / Double(framesPerSecond)
  }

  /// As shown to people: `48000 Hz, 2 channels, S32_LE, period 240, buffer 960 (20.0 ms)`.
  public var summary: String {
    let tenths = Int((bufferMilliseconds * 10).rounded())
    return "\(framesPerSecond) Hz, \(channelCount) channel\(channelCount == 1 ? "" : "s"), "
      + "\(format.name), period \(periodFrames), buffer \(bufferFrames) "
      + "(\(tenths / 10).\(tenths % 10) ms)"
  }
}

/// Which period and buffer to ask a card for, within what it offers.
public struct BufferPlan: Sendable, Equatable {
  public var periodFrames: Int
  public var bufferFrames: Int

  /// - Parameters:
  ///   - periods: period sizes that the card offers at this rate, in frames.
  ///   - buffers: buffer sizes likewise.
  public init(
    request: PCMRequest, framesPerSecond: Int, periods: ClosedRange<Int>,
    buffers: ClosedRange<Int>
  ) {
    let milliseconds = request.bufferMilliseconds ?? PCMRequest.usualBufferMilliseconds
    let asked = milliseconds * Double(framesPerSecond) / 1000
    let longest = asked >= 2 ? Int(min(asked, 1e6)) : 2
    // 5 ms: at most rates a whole number of frames and of the timer ticks behind some cards, so
    // that a period lasts what it says.
    let usual = request.bufferMilliseconds == nil ? framesPerSecond / 200 : longest / 4
    let patient = request.leastPeriodFrames ?? 0
    let wanted = max(min(request.periodFrames ?? usual, longest / 2), patient, 1)
    let period = min(max(wanted, periods.lowerBound), periods.upperBound)
    // Four periods ride out a late wake-up of three; two are the least that can play. A period that
    // is dictated comes from a mixer or a server with a card of its own behind it (dmix, PipeWire):
    // there two would leave no time at all between its wake-up and ours, and dmix shifts a stream
    // of two periods by part of one without saying so in its delay.
    let least = patient > 0 ? 4 : period > wanted ? 3 : 2
    let most = request.bufferMilliseconds == nil ? 4 : 1_000_000 / period
    let count = max(min(longest / period, most), least)
    periodFrames = period
    bufferFrames = min(max(period * count, buffers.lowerBound), buffers.upperBound)
  }

  /// The period to try after this one has run empty again and again: twice as long, to 50 ms.
  ///
  /// - Returns: nil where there is none.
  static func longerPeriod(than periodFrames: Int, framesPerSecond: Int) -> Int? {
    let longest = framesPerSecond / 20
    return periodFrames < longest ? min(periodFrames * 2, longest) : nil
  }
}
