import MetronomeModel

/// The notes that stand for clicks in a MIDI file.
///
/// - Thread: any
struct ClickNotes: Equatable, Sendable {
  struct Note: Equatable, Sendable {
    /// 0 to 127.
    var key: UInt8
    /// 1 to 127.
    var velocity: UInt8

    init(key: UInt8, velocity: UInt8) {
      self.key = key
      self.velocity = velocity
    }
  }

  /// 0 to 15; 9 is percussion in General MIDI.
  var channel: UInt8 = 9
  // Keys of the General MIDI percussion map: 76 and 77 are the wood blocks, 37 the side stick,
  // 75 the claves, 42 the closed hi-hat.
  var strong = Note(key: 76, velocity: 127)
  var normal = Note(key: 77, velocity: 100)
  var soft = Note(key: 77, velocity: 64)
  var subdivision = Note(key: 42, velocity: 64)
  var layer = Note(key: 75, velocity: 90)
  var countIn = Note(key: 37, velocity: 100)

  init() {}

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
