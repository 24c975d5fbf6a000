import MetronomeModel
import MusicalTime
import RealtimeEngine

/// What a preset changes at the bar line that the engine by itself would change at once: it waits
/// until the engine has said which frame the bar line is.
///
/// Values are read from the state when they are sent, so that a fader moved in the meantime wins.
///
/// - Thread: conductor
struct LateChanges: Sendable {
  enum Aspect: Hashable, Sendable, CaseIterable {
    case mute, levels, volume, accentGains, sync, countInMute, timer, audioOffset
  }

  struct Batch: Sendable {
    var aspects: [Aspect]
    var soundTicket: UInt32?
  }

  /// By the identifier of the command whose answer names the bar line.
  var batches: [UInt32: Batch] = [:]
  /// Tickets of banks that wait for a bar line, and its frame once it is known.
  var frames: [UInt32: FrameIndex?] = [:]
  /// Banks that were ready before their bar line was known.
  var banks: [UInt32: SoundBankReference] = [:]
}
