internal import MetronomeModel
internal import MusicalTime
internal import RealtimeEngine

/// The beat notes of one port: a note on at each sounding beat, its note off a length later.
///
/// A value: time is an argument.
/// - Thread: MIDI
struct BeatNoteStream: Sendable {
  private struct Waiting: Sendable, BitwiseCopyable {
    var frame: FrameIndex
    var shift: Int64
    var channel: UInt8
    var note: UInt8
    var velocity: UInt8
    var length: Int64

    func due(_ clock: FrameClock) -> MonotonicTime {
      clock.time(of: frame).advanced(byNanoseconds: shift)
    }
  }

  private struct Sounding: Sendable, BitwiseCopyable {
    var off: MonotonicTime
    var channel: UInt8
    var note: UInt8
  }

  private var waiting: FixedRing<Waiting>
  private var sounding: FixedRing<Sounding>
  private(set) var dropped: Int64 = 0

  /// A note this late would be taken for another beat.
  private static let tooLate: Int64 = 50_000_000

  /// 128 beats are more than any horizon holds; 16 notes sound at once at the most.
  init() {
    waiting = FixedRing(
      capacity: 128,
      filler: Waiting(
        frame: FrameIndex(0), shift: 0, channel: 0, note: 0, velocity: 0, length: 0))
    sounding = FixedRing(
      capacity: 16, filler: Sounding(off: MonotonicTime(nanoseconds: 0), channel: 0, note: 0))
  }

  /// A muted bar is silent; its clock goes on elsewhere.
  mutating func take(_ beat: BeatEvent, settings: BeatNoteSettings, shift: Int64) {
    guard !beat.flags.contains(.mutedBar), let note = settings.note(for: beat.accent) else {
      return
    }
    let entry = Waiting(
      frame: beat.frame, shift: shift, channel: settings.channel, note: note.note,
      velocity: note.velocity, length: settings.length)
    if !waiting.append(entry) { dropped += 1 }
  }

  /// Notes on at or after the frame will not be; what sounds ends in its time.
  mutating func void(from frame: FrameIndex) { waiting.removeAll { $0.frame >= frame } }

  /// Keeps the instant of what waits while frames get another length.
  mutating func begin(_ epoch: EpochEvent) {
    waiting.replaceAll { note in
      var note = note
      let moved = epoch.moved(note.frame)
      note.frame = moved.frame
      note.shift &+= moved.remainder
      return note
    }
  }

  /// Nothing more begins and what sounds ends now.
  mutating func silence() {
    waiting.removeAll()
    for _ in 0..<sounding.count {
      guard var note = sounding.first else { break }
      sounding.removeFirst()
      note.off = .distantPast
      _ = sounding.append(note)
    }
  }

  func nextDue(_ clock: FrameClock) -> MonotonicTime? {
    var due: MonotonicTime?
    if let head = waiting.first { due = head.due(clock) }
    for index in 0..<sounding.count {
      let off = sounding[index].off
      if due.map({ off < $0 }) ?? true { due = off }
    }
    return due
  }

  /// The next message due at or before `limit`.
  mutating func next(
    _ clock: FrameClock, now: MonotonicTime, until limit: MonotonicTime
  ) -> TimedMIDIMessage? {
    while true {
      let onDue = waiting.first?.due(clock)
      var earliest: Int?
      for index in 0..<sounding.count
      where earliest.map({ sounding[index].off < sounding[$0].off }) ?? true {
        earliest = index
      }
      if let earliest, sounding[earliest].off <= limit,
        onDue.map({ sounding[earliest].off <= $0 }) ?? true
      {
        return end(at: earliest, due: sounding[earliest].off)
      }
      guard let head = waiting.first, let onDue, onDue <= limit else { return nil }
      // The same note again, or no place to remember it: the old one ends first.
      for index in 0..<sounding.count
      where sounding[index].note == head.note && sounding[index].channel == head.channel
        || sounding.isFull
      {
        return end(at: index, due: onDue)
      }
      waiting.removeFirst()
      if now.nanoseconds(since: onDue) > BeatNoteStream.tooLate {
        dropped += 1
        continue
      }
      let start = onDue < now ? now : onDue
      _ = sounding.append(
        Sounding(
          off: start.advanced(byNanoseconds: head.length), channel: head.channel, note: head.note))
      return TimedMIDIMessage(
        message: .noteOn(channel: head.channel, note: head.note, velocity: head.velocity),
        destination: .subscribers, due: onDue, frame: head.frame)
    }
  }

  private mutating func end(at position: Int, due: MonotonicTime) -> TimedMIDIMessage {
    let note = sounding[position]
    var index = 0
    sounding.removeAll { _ in
      defer { index += 1 }
      return index == position
    }
    return TimedMIDIMessage(
      message: .noteOff(channel: note.channel, note: note.note), destination: .subscribers,
      due: due, frame: .distantFuture)
  }
}
