internal import CLinux
internal import MetronomeModel
internal import MusicalTime
internal import RealtimeHost
internal import ScoreFormats

/// What is known at the start of the state that was kept, and what is said about it.
///
/// - Thread: control, before it serves
struct StateAtStart {
  /// Where it is kept from now on; nil: nowhere.
  var store: StateStore?
  var last: LastState?
  /// What a person is to know.
  var warning: String?

  /// A disk that answers at all does so within this time, in nanoseconds; without an answer the
  /// metronome begins with its defaults and leaves the file alone.
  static let patience: Int64 = 2_000_000_000

  /// - Parameter store: nil where nothing is kept.
  init(_ store: StateStore?, isFresh: Bool) {
    guard let store else { return }
    let news = WakeUp()
    let worker = Worker<StateReading>(name: "tactus-state", capacity: 1, news: news)
    let limit = MonotonicClock.now().advanced(byNanoseconds: StateAtStart.patience)
    var reading: StateReading?
    if worker.submit({ store.read() }) {
      while reading == nil, MonotonicClock.now() < limit {
        var poll = clinux_poll(descriptor: news.descriptor, wanted: 1, came: 0)
        _ = unsafe clinux_wait(
          &poll, 1, max(limit.nanoseconds(since: MonotonicClock.now()), 0))
        news.drain()
        reading = worker.take()
      }
    }
    take(reading, store, isFresh: isFresh)
    // One that hangs in a dead disk is left to itself.
    if reading != nil { worker.end() }
  }

  init(_ reading: StateReading?, _ store: StateStore, isFresh: Bool) {
    take(reading, store, isFresh: isFresh)
  }

  private mutating func take(_ reading: StateReading?, _ store: StateStore, isFresh: Bool) {
    switch reading {
    case .nothing: self.store = store
    case .kept(let last):
      self.store = store
      self.last = isFresh ? nil : last
    case .setAside(let path, let reason):
      self.store = store
      warning = "the last state could not be used and now lies in '\(path)': \(reason)"
    case .stuck(let reason):
      warning =
        "the last state could not be used, and nothing is kept until that is put right: \(reason)"
    case nil:
      warning =
        "the last state in '\(store.path)' could not be read within "
        + "\(StateAtStart.patience / 1_000_000_000) s: it is left as it is, and nothing is kept"
    }
  }

  /// What is brought back beneath what was typed.
  func restored(beneath options: DaemonOptions) -> LastState? {
    guard var last else { return nil }
    let typed = options.typedPreset
    // A tempo or meter means to be heard, and a preset brings its own song along.
    if options.preset != nil || typed.tempo != nil || typed.meter != nil {
      last.settings.map = .off
    }
    if options.preset != nil {
      last.settings.setlist = .off
      last.setlistEntry = nil
      last.preset = nil
    }
    last.settings = last.settings.overlaid(by: typed)
    last.settings.midiPorts = options.ports(above: last.settings.midiPorts ?? [])
    return last
  }
}
