/// What one target sounds like: a built-in sound or a file of the sound folder, how loud, how high,
/// and where it comes out.
///
/// - Thread: any
public struct SoundChoice: Hashable, Sendable {
  /// `wood`, `beep`, `bell`, `noise`, or the name of a file.
  public var name: String
  /// Decibels, `Limits.gainDecibels`; `-.infinity` is silence.
  public var gainDecibels: Double
  /// Semitones, `Limits.semitones`; a file is resampled, so its length changes with it.
  public var semitones: Double
  /// 1-based output channels, `Limits.outputChannels`.
  public var channels: [Int]
  /// Whether silence at the head of a file is kept; it makes every click late against MIDI.
  public var keepsLeadingSilence: Bool

  public init(
    name: String = "wood", gainDecibels: Double = 0, semitones: Double = 0,
    channels: [Int] = [1, 2], keepsLeadingSilence: Bool = false
  ) {
    self.name = name
    self.gainDecibels = gainDecibels
    self.semitones = semitones
    self.channels = channels
    self.keepsLeadingSilence = keepsLeadingSilence
  }
}
