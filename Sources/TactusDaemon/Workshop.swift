internal import Conductor
internal import RealtimeHost
internal import ScoreFormats

/// The workers of the daemon: what may block is done here, each kind behind its own, so that a dead
/// name server holds up no preset and a dead disk no name.
///
/// - Thread: control
struct Workshop {
  /// What a job came to.
  enum Outcome: Sendable {
    case library(LibraryAnswer, ticket: UInt32)
    case sounds(SoundKeeper.Made)
    case done(@Sendable (ControlThread) -> Void)
  }

  typealias Job = Worker<Outcome>.Job

  /// Presets, songs, setlists, learned rules, children.
  let files: Worker<Outcome>
  let sounds: Worker<Outcome>
  /// Name lookup.
  let hosts: Worker<Outcome>

  init(news: WakeUp) {
    files = Worker(name: "tactus-files", capacity: 64, news: news)
    sounds = Worker(name: "tactus-sounds", capacity: 32, news: news)
    hosts = Worker(name: "tactus-hosts", capacity: 64, news: news)
  }

  /// What has been finished, in the order of each worker.
  func take() -> Outcome? { files.take() ?? sounds.take() ?? hosts.take() }

  /// Jobs that found no room.
  var refused: Int { files.refused + sounds.refused + hosts.refused }

  /// Files that are still being written or read.
  var hasOpenFiles: Bool { files.pending > 0 }
}
