import MetronomeModel

/// The limits of sounds as error messages name them.
enum SoundLimitsText {
  static var channels: String {
    "\(Limits.soundChannels.lowerBound) to \(Limits.soundChannels.upperBound)"
  }
  static var rates: String {
    "\(Limits.soundRate.lowerBound) to \(Limits.soundRate.upperBound)"
  }
  static var bankMebibytes: String { "\(Limits.soundBankBytes >> 20) MiB" }
  static var builtIn: String {
    BuiltInSound.allCases.map(\.rawValue).joined(separator: ", ")
  }
}
