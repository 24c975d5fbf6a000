internal import CALSA

/// A message as the kernel takes it.
///
/// The tag is the port, so that what one port has queued can be taken back.
@unsafe
func sequencerEvent(
  _ message: MIDIMessage, from port: UInt8, to destination: SequencerAddress,
  at time: SequencerQueueTime?
) -> snd_seq_event_t {
  var event = unsafe snd_seq_event_t()
  unsafe event.source.port = port
  unsafe event.tag = port
  unsafe event.dest.client = destination.client
  unsafe event.dest.port = destination.port
  if destination == .subscribers { unsafe event.dest.port = UInt8(SND_SEQ_ADDRESS_UNKNOWN) }
  unsafe event.queue = UInt8(SND_SEQ_QUEUE_DIRECT)
  if let time {
    unsafe event.queue = UInt8(truncatingIfNeeded: time.queue)
    unsafe event.flags = UInt8(SND_SEQ_TIME_STAMP_REAL | SND_SEQ_TIME_MODE_ABS)
    unsafe event.time.time = realTime(time.nanoseconds)
  }
  switch message {
  case .clock: unsafe event.type = eventType(SND_SEQ_EVENT_CLOCK)
  case .start: unsafe event.type = eventType(SND_SEQ_EVENT_START)
  case .resume: unsafe event.type = eventType(SND_SEQ_EVENT_CONTINUE)
  case .stop: unsafe event.type = eventType(SND_SEQ_EVENT_STOP)
  case .songPosition(let beats):
    unsafe event.type = eventType(SND_SEQ_EVENT_SONGPOS)
    unsafe event.data.control.value = Int32(beats)
  case .noteOn(let channel, let note, let velocity):
    unsafe event.type = eventType(SND_SEQ_EVENT_NOTEON)
    unsafe event.data.note.channel = channel
    unsafe event.data.note.note = note
    unsafe event.data.note.velocity = velocity
  case .noteOff(let channel, let note):
    unsafe event.type = eventType(SND_SEQ_EVENT_NOTEOFF)
    unsafe event.data.note.channel = channel
    unsafe event.data.note.note = note
    unsafe event.data.note.velocity = 64
  }
  return unsafe event
}

func realTime(_ nanoseconds: Int64) -> snd_seq_real_time_t {
  let bounded = max(nanoseconds, 0)
  return snd_seq_real_time_t(
    tv_sec: UInt32(truncatingIfNeeded: bounded / 1_000_000_000),
    tv_nsec: UInt32(truncatingIfNeeded: bounded % 1_000_000_000))
}

private func eventType(_ type: snd_seq_event_type) -> snd_seq_event_type_t {
  snd_seq_event_type_t(truncatingIfNeeded: type.rawValue)
}

extension SequencerEvent {
  @unsafe init(_ event: snd_seq_event_t) {
    unsafe self.init(
      kind: Kind(event),
      source: SequencerAddress(client: event.source.client, port: event.source.port),
      port: event.dest.port,
      queueNanoseconds: event.flags & UInt8(SND_SEQ_TIME_STAMP_MASK)
        == UInt8(SND_SEQ_TIME_STAMP_REAL)
        ? Int64(event.time.time.tv_sec) * 1_000_000_000
          + Int64(event.time.time.tv_nsec) : 0)
  }
}

extension SequencerEvent.Kind {
  @unsafe fileprivate init(_ event: snd_seq_event_t) {
    let control = unsafe event.data.control
    let note = unsafe event.data.note
    let seven: (UInt32) -> UInt8 = { UInt8(truncatingIfNeeded: min($0, 127)) }
    switch unsafe UInt32(event.type) {
    case SND_SEQ_EVENT_NOTEON.rawValue where note.velocity > 0:
      self = .noteOn(
        channel: note.channel & 15, note: note.note & 127, velocity: note.velocity & 127)
    case SND_SEQ_EVENT_NOTEON.rawValue, SND_SEQ_EVENT_NOTEOFF.rawValue:
      self = .noteOff(channel: note.channel & 15, note: note.note & 127)
    case SND_SEQ_EVENT_CONTROLLER.rawValue:
      self = .controller(
        channel: control.channel & 15, number: seven(control.param),
        value: UInt8(min(max(control.value, 0), 127)))
    case SND_SEQ_EVENT_PGMCHANGE.rawValue:
      self = .program(
        channel: control.channel & 15, number: UInt8(min(max(control.value, 0), 127)))
    case SND_SEQ_EVENT_CLOCK.rawValue: self = .clock
    case SND_SEQ_EVENT_START.rawValue: self = .start
    case SND_SEQ_EVENT_CONTINUE.rawValue: self = .resume
    case SND_SEQ_EVENT_STOP.rawValue: self = .stop
    case SND_SEQ_EVENT_SONGPOS.rawValue:
      self = .songPosition(UInt16(min(max(control.value, 0), 16_383)))
    case SND_SEQ_EVENT_PORT_START.rawValue, SND_SEQ_EVENT_PORT_CHANGE.rawValue:
      self = .portAppeared(SequencerAddress(unsafe event.data.addr))
    case SND_SEQ_EVENT_PORT_EXIT.rawValue:
      self = .portVanished(SequencerAddress(unsafe event.data.addr))
    case SND_SEQ_EVENT_CLIENT_EXIT.rawValue:
      self = .clientVanished(client: unsafe event.data.addr.client)
    case SND_SEQ_EVENT_PORT_SUBSCRIBED.rawValue:
      self = .connected(SequencerConnection(unsafe event.data.connect))
    case SND_SEQ_EVENT_PORT_UNSUBSCRIBED.rawValue:
      self = .disconnected(SequencerConnection(unsafe event.data.connect))
    default: self = .other
    }
  }
}

extension MIDIDestination {
  fileprivate init(_ address: snd_seq_addr_t) {
    self.init(client: address.client, port: address.port)
  }
}

extension SequencerConnection {
  fileprivate init(_ connect: snd_seq_connect_t) {
    self.init(
      from: SequencerAddress(client: connect.sender.client, port: connect.sender.port),
      to: SequencerAddress(client: connect.dest.client, port: connect.dest.port))
  }
}
