public import MusicalTime

/// What one tap is: a beat of the meter in force, or a note value whatever the meter.
///
/// - Thread: any
public enum TapUnit: Hashable, Sendable, CustomStringConvertible {
  /// One heard click without subdivisions: tapping along keeps the tempo in every meter.
  case beat
  case note(NoteValue)

  /// Reads `beat`, or a note value such as `1/4` or `1/4.`
  public init?(text: String) {
    if text == "beat" {
      self = .beat
    } else if let note = NoteValue(text: text) {
      self = .note(note)
    } else {
      return nil
    }
  }

  /// All that it can be.
  public static let words =
    ["beat"] + [1, 2, 4, 8, 16, 32].flatMap { ["1/\($0)", "1/\($0)."] }

  /// The note value; nil is the meter's beat.
  public var note: NoteValue? { if case .note(let note) = self { note } else { nil } }

  public var description: String { note.map { "\($0)" } ?? "beat" }
}
