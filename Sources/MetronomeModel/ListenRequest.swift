/// What a person asks of the microphone: takes and calibrations.
///
/// - Thread: any
public enum ListenRequest: Equatable, Sendable {
  /// Records; a name that is nil is made from the date. `layers` play beside it, aligned.
  case startTake(name: String?, layers: [String])
  /// Completes the take, or ends what plays.
  case stopTake
  /// Ends the take and deletes it.
  case discardTake
  /// Plays takes aligned to a start of the metronome at the tempo of the first.
  case playTakes([String])
  case calibrate(CalibrationOrder)
  case cancelCalibration
  /// Forgets what was measured for a route by its number from 1, or for all: 0.
  case forgetCalibration(Int)

  /// Takes that sound at once at most.
  public static let mostLayers = 3
}

/// How a calibration is to be done.
///
/// - Thread: any
public struct CalibrationOrder: Equatable, Sendable {
  /// Sweeps that count.
  public var count: Int
  /// Seconds from one sweep to the next, in whole hundredths.
  public var spacingSeconds: Double
  /// The input's share of the round trip in milliseconds; nil is the usual assumption.
  public var inputMilliseconds: Double?
  /// Output and input are one cable.
  public var isCable: Bool
  /// Whether what speaks against this input is passed over.
  public var isForced: Bool
  /// Runs, each with the input opened anew.
  public var opens: Int

  public static let countRange: ClosedRange<Int> = 8...64
  public static let spacingRange: ClosedRange<Double> = 0.5...10
  public static let inputRange: ClosedRange<Double> = 0...200
  public static let opensRange: ClosedRange<Int> = 1...20
  /// Opens whose results lie further apart than this, in milliseconds, have no latency to be stored.
  public static let widestSpread = 1.0

  public init(
    count: Int = 16, spacingSeconds: Double = 1, inputMilliseconds: Double? = nil,
    isCable: Bool = false, isForced: Bool = false, opens: Int = 1
  ) {
    self.count = count
    self.spacingSeconds = (spacingSeconds * 100).rounded() / 100
    self.inputMilliseconds = inputMilliseconds
    self.isCable = isCable
    self.isForced = isForced
    self.opens = opens
  }

  /// What of a round trip is the input's own, in milliseconds.
  ///
  /// A chirp measures only the sum. The two converters of one cable are taken to be alike; through
  /// the air what is long is nearly always the output (Bluetooth, a sound server), so the input's
  /// share is half, but no more than 2 ms.
  public func inputShare(ofRoundTrip milliseconds: Double) -> Double {
    if let inputMilliseconds { return inputMilliseconds }
    let half = milliseconds / 2
    return isCable ? half : min(max(half, 0), 2)
  }
}
