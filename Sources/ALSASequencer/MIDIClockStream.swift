public import MusicalTime
public import RealtimeEngine

/// What one clock port sends, and when: takes the engine's facts in, gives timed messages out.
///
/// A value without a clock of its own: the present and the FrameClock are arguments. A message's
/// instant is computed from its frame when it leaves, so it follows every refinement of the
/// FrameClock. Its memory is taken once.
///
/// Messages wait in one queue in score order, so nothing can overtake anything; what depends on a
/// pulse (FA, FB) is put in just before that pulse.
///
/// - Thread: MIDI
public struct MIDIClockStream: Sendable {
  /// What is to be sent before a pulse still to come.
  enum Armed: Sendable, BitwiseCopyable {
    case nothing
    /// FA before the pulse of this number.
    case start(number: Int64)
    /// FA before the first bar line.
    case startAtBar(MIDIDestination)
    /// FB before the pulse at this place in the song.
    case resume(songPulse: Int64, MIDIDestination)
  }

  public internal(set) var settings: MIDIStreamSettings
  /// Measured output latency that is common to all outputs, in nanoseconds.
  public internal(set) var latency: Int64 = 0
  /// Faults for a test port.
  var perturbation: ClockPerturbation?
  var tally = MIDIClockCounters()
  var queue: FixedRing<ScheduledMessage>
  var notes = BeatNoteStream()
  var armed = Armed.nothing

  // What the engine last said.
  var isRolling = false
  var lastFrame: FrameIndex?
  var lastSongPulse: Int64 = 0
  var pulseFrames: Int64 = 0
  /// Pulses in an unbroken row, for receivers that need some before FA.
  var rowOfPulses: Int64 = 0
  /// The shift of the newest pulse: a new offset is approached without reordering.
  var shift: Int64

  // What has left.
  var lastClockSent: MonotonicTime?
  var lastPositionSent: MonotonicTime?
  var lastTransportSent: MonotonicTime?
  /// Whether the receivers play, as far as what we sent tells.
  var receiversRoll = false

  /// - Parameter capacity: messages; 2048 is five seconds of pulses at 999 quarters a minute.
  public init(settings: MIDIStreamSettings, latency: Int64 = 0, capacity: Int = 2048) {
    self.settings = settings
    self.latency = latency
    shift = settings.offset &+ latency
    queue = FixedRing(capacity: capacity, filler: .filler)
  }

  /// What was sent so far.
  public var counters: MIDIClockCounters {
    var counters = tally
    counters.droppedNotes = notes.dropped
    return counters
  }

  /// Takes in one fact; facts come in score order.
  public mutating func take(_ event: EngineEvent, clock: FrameClock, now: MonotonicTime) {
    switch event {
    case .pulse(let pulse): take(pulse, clock)
    case .beat(let beat):
      notes.take(beat, settings: settings.notes, shift: settings.offset &+ latency)
    case .started(let start): begin(start)
    case .continued(let resumption): begin(resumption, clock, now)
    case .stopped(let stop): end(stop)
    case .jumped(let jump): reposition(jump, clock, now)
    case .tempo(let tempo): learnInterval(tempo, clock)
    case .epoch(let epoch): begin(epoch)
    default: break
    }
  }

  /// New settings act from the first pulse not yet announced.
  public mutating func configure(_ settings: MIDIStreamSettings) { self.settings = settings }

  public mutating func setLatency(_ nanoseconds: Int64) { latency = nanoseconds }

  /// A receiver has come, or come back, and is told where the music is, as the port's policy says.
  public mutating func reconnected(
    _ destination: MIDIDestination, clock: FrameClock, now: MonotonicTime
  ) {
    guard isRolling, settings.transport else { return }
    // A start or a resumption that is still to come will reach this receiver as well.
    guard case .nothing = armed, !hasTransportWaiting else { return }
    inform(destination, clock, now)
  }

  /// Whether FA or FB to everybody is in the queue.
  private var hasTransportWaiting: Bool {
    for index in 0..<queue.count {
      switch queue[index].message {
      case .start, .resume: if queue[index].destination == .subscribers { return true }
      default: break
      }
    }
    return false
  }

  /// A port that is made while the music plays: its receivers are told where it is.
  mutating func join(
    after pulse: PulseEvent, pulseFrames: Int64, clock: FrameClock, now: MonotonicTime
  ) {
    isRolling = true
    lastFrame = pulse.frame
    lastSongPulse = pulse.songPulse
    self.pulseFrames = pulseFrames
    guard settings.transport else { return }
    inform(.subscribers, clock, now)
  }

  /// Pulses that were handed over ahead of their instant and have been taken back.
  mutating func takeBack(pulses: Int64) { tally.pulses -= pulses }

  /// FC where the receivers play, notes off, and nothing more.
  public mutating func finish() {
    queue.removeAll()
    notes.silence()
    armed = .nothing
    if receiversRoll || (isRolling && settings.transport) {
      put(.stop, anchor: .immediate, frame: .distantPast, shift: 0)
    }
    isRolling = false
    rowOfPulses = 0
  }

  // MARK: Pulses

  private mutating func take(_ pulse: PulseEvent, _ clock: FrameClock) {
    let gap = lastFrame.map { max((pulse.frame - $0).value, 0) } ?? 0
    let isFree = pulse.flags.contains(.free)
    approachOffset(gap, clock)
    if !isFree {
      isRolling = true
      sendArmed(before: pulse, clock)
      lastSongPulse = pulse.songPulse
    }
    if gap > 0 { pulseFrames = gap }
    lastFrame = pulse.frame
    guard isFree ? settings.whileStopped : settings.whileRolling else {
      rowOfPulses = 0
      return
    }
    rowOfPulses += 1
    guard perturbation == nil else {
      putPerturbed(pulse, span(gap > 0 ? gap : pulseFrames, clock), clock)
      return
    }
    put(
      .clock, frame: pulse.frame, shift: exactShift(of: pulse, clock), gap: gap,
      songPulse: pulse.songPulse)
  }

  /// From the instant of a pulse's frame to when it leaves: the port's shift, and the part of a
  /// frame that the exact instant is away.
  private func exactShift(of pulse: PulseEvent, _ clock: FrameClock) -> Int64 {
    shift &+ pulse.nanosecondsFromFrame(framesPerSecond: clock.framesPerSecond)
  }

  /// With faults for those who build receivers; they are not evened out as late pulses are.
  private mutating func putPerturbed(
    _ pulse: PulseEvent, _ interval: Int64, _ clock: FrameClock
  ) {
    let shift = exactShift(of: pulse, clock)
    guard let shifts = perturbation?.shifts(intervalNanoseconds: interval) else { return }
    if let first = shifts.first { put(.clock, frame: pulse.frame, shift: shift &+ first) }
    if let second = shifts.second { put(.clock, frame: pulse.frame, shift: shift &+ second) }
  }

  /// A new offset acts at once where it is later; where it is earlier, half a pulse interval at a
  /// time, so that no pulse is due before the one it follows.
  private mutating func approachOffset(_ gap: Int64, _ clock: FrameClock) {
    let wanted = settings.offset &+ latency
    guard gap > 0, wanted < shift else {
      shift = wanted
      return
    }
    shift = max(wanted, shift &- span(gap, clock) / 2)
  }

  private mutating func sendArmed(before pulse: PulseEvent, _ clock: FrameClock) {
    switch armed {
    case .nothing: break
    case .start(let number):
      guard pulse.number >= number else { return }
      if rowOfPulses >= settings.pulsesBeforeStart || !settings.whileRolling {
        putTransport(.start, before: pulse, .subscribers, clock)
      } else {
        armed = .startAtBar(.subscribers)
      }
    case .startAtBar(let destination):
      guard pulse.flags.contains(.barLine), !pulse.flags.contains(.countIn),
        rowOfPulses >= settings.pulsesBeforeStart || !settings.whileRolling
      else { return }
      putTransport(.start, before: pulse, destination, clock)
    case .resume(let songPulse, let destination):
      guard pulse.songPulse >= songPulse else { return }
      putTransport(.resume, before: pulse, destination, clock)
    }
  }

  private mutating func putTransport(
    _ message: MIDIMessage, before pulse: PulseEvent, _ destination: MIDIDestination,
    _ clock: FrameClock
  ) {
    armed = .nothing
    put(
      message, to: destination, frame: pulse.frame,
      shift: exactShift(of: pulse, clock) &- settings.startLead, songPulse: pulse.songPulse)
  }

  /// Keeps the instant of what waits while frames get another length.
  private mutating func begin(_ epoch: EpochEvent) {
    queue.replaceAll { entry in
      var entry = entry
      let moved = epoch.moved(entry.frame)
      entry.frame = moved.frame
      entry.shift &+= moved.remainder
      entry.gap = epoch.scaled(entry.gap)
      return entry
    }
    notes.begin(epoch)
    lastFrame = lastFrame.map { epoch.moved($0).frame }
    pulseFrames = epoch.scaled(pulseFrames)
  }

  // MARK: The queue

  mutating func put(
    _ message: MIDIMessage, to destination: MIDIDestination = .subscribers,
    anchor: ScheduledMessage.Anchor = .frame, frame: FrameIndex, shift: Int64, gap: Int64 = 0,
    songPulse: Int64 = 0
  ) {
    let entry = ScheduledMessage(
      message: message, destination: destination, anchor: anchor, frame: frame, shift: shift,
      gap: gap, songPulse: songPulse)
    if queue.append(entry) { return }
    if entry.isClock {
      tally.droppedPulses += 1
    } else {
      tally.refused += 1
    }
  }

  /// Nanoseconds of so many frames.
  func span(_ frames: Int64, _ clock: FrameClock) -> Int64 {
    clock.time(of: FrameIndex(clock.anchorFrame.value &+ frames))
      .nanoseconds(since: clock.time(of: clock.anchorFrame))
  }
}
