internal import MetronomeModel
internal import RealtimeEngine
internal import SoundFiles

/// Makes sound banks and keeps each alive until the engine has let go of it.
///
/// - Thread: control
struct SoundKeeper {
  private let folder: SoundFolder
  private var banks: [Int32: SoundBank] = [:]
  private var nextIdentifier: Int32 = 1

  init(folder: SoundFolder) { self.folder = folder }

  /// Prepares a bank at the output's rate.
  ///
  /// - Throws: what makes a file unusable; the bank in use stays.
  mutating func prepare(_ settings: SoundSettings, rate: Int64) throws(SoundFileError) -> SoundBank
  {
    let bank = try SoundBank(
      settings, rate: Int(rate), folder: folder, identifier: nextIdentifier)
    banks[nextIdentifier] = bank
    nextIdentifier = nextIdentifier == Int32.max ? 1 : nextIdentifier + 1
    return bank
  }

  /// The engine reads it no longer.
  mutating func release(_ identifier: Int32) { banks[identifier] = nil }
}
