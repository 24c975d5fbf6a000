import MetronomeModel

/// The notes that stand for clicks in a MIDI file.
///
/// - Thread: any
public struct ClickNotes: Equatable, Sendable {
  public struct Note: Equatable, Sendable {
    /// 0 to 127.
    public var key: UInt8
    /// 1 to 127.
    public var velocity: UInt8

    public init(key: UInt8, velocity: UInt8) {
      self.key = key
      self.velocity = velocity
    }
  }

  /// 0 to 15; 9 is percussion in General MIDI.
  public var channel: UInt8 = 9
  // Keys of the General MIDI percussion map: 76 and 77 are the wood blocks, 37 the side stick,
  // 75 the claves, 42 the closed hi-hat.
  public var strong = Note(key: 76, velocity: 127)
  public var normal = Note(key: 77, velocity: 100)
  public var soft = Note(key: 77, velocity: 64)
  public var subdivision = Note(key: 42, velocity: 64)
  public var layer = Note(key: 75, velocity: 90)
  public var countIn = Note(key: 37, velocity: 100)

  public init() {}

  /// nil where nothing sounds.
  func beat(_ accent: Accent) -> Note? {
    switch accent {
    case .strong: strong
    case .normal: normal
    case .soft: soft
    case .silent: nil
    }
  }
}
