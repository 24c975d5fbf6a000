internal import CAbletonLink
internal import LinkSession
internal import MusicalTime

/// Our peer in a session: the one way to Ableton's library.
///
/// - Thread: the process's first one; the library has two of its own.
@safe final class LinkLibrary {
  private let link: OpaquePointer

  /// Founds a session of its own, which it leaves for another that is older.
  ///
  /// - Parameter eventDescriptor: is signalled where something has changed.
  /// - Returns: nil where the library fails.
  init?(quarterMicroseconds: Int64, eventDescriptor: Int32) {
    guard let link = unsafe cabletonlink_create(60e6 / Double(quarterMicroseconds)) else {
      return nil
    }
    unsafe self.link = link
    unsafe cabletonlink_notify(link, eventDescriptor)
    guard unsafe cabletonlink_enable(link, 1) == 0 else { return nil }
  }

  /// Leaves the session, and says so to the others.
  deinit {
    _ = unsafe cabletonlink_enable(link, 0)
    unsafe cabletonlink_destroy(link)
  }

  /// - Returns: false where the library fails.
  func share(playing isOn: Bool) -> Bool {
    unsafe cabletonlink_share_playing(link, isOn ? 1 : 0) == 0
  }

  /// The session at an instant.
  func view(at time: MonotonicTime, quantum: Double) -> LinkView {
    var session = cabletonlink_session()
    unsafe cabletonlink_look(link, LinkLibrary.microseconds(time), quantum, &session)
    return LinkView(
      at: time, quarterMicroseconds: session.quarter_microseconds,
      bar: MonotonicTime(nanoseconds: session.bar_microseconds &* 1000), quantum: quantum,
      peers: Int(session.peers), isPlaying: session.is_playing != 0,
      playingChanged: MonotonicTime(nanoseconds: session.playing_microseconds &* 1000))
  }

  func tell(_ change: LinkLeading.Change, of beat: LinkBeat) {
    var told = cabletonlink_change()
    tell(change.quarterMicroseconds, &told)
    told.forces_phase = change.forcesPhase ? 1 : 0
    told.at_microseconds = LinkLibrary.microseconds(beat.at)
    told.phase = beat.phase
    told.quantum = beat.quantum
    unsafe cabletonlink_tell(link, &told)
  }

  func tell(quarterMicroseconds: Int64, at time: MonotonicTime) {
    var told = cabletonlink_change()
    tell(quarterMicroseconds, &told)
    told.at_microseconds = LinkLibrary.microseconds(time)
    unsafe cabletonlink_tell(link, &told)
  }

  func tell(playing isOn: Bool, at time: MonotonicTime) {
    var told = cabletonlink_change()
    told.sets_playing = 1
    told.is_playing = isOn ? 1 : 0
    told.at_microseconds = LinkLibrary.microseconds(time)
    unsafe cabletonlink_tell(link, &told)
  }

  private func tell(_ length: Int64?, _ told: inout cabletonlink_change) {
    guard let length else { return }
    told.sets_tempo = 1
    // The library rounds to whole microseconds again.
    told.tempo = 60e6 / Double(length)
  }

  /// To the nearest.
  private static func microseconds(_ time: MonotonicTime) -> Int64 {
    (time.nanoseconds &+ 500) / 1000
  }
}
