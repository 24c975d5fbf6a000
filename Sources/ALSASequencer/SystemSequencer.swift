internal import CALSA
internal import Glibc

/// The real sequencer: `SequencerLibrary` call by call.
///
/// The library asserts that its handle is there; here every call after `close` fails with EBADF
/// instead.
@safe public final class SystemSequencer: SequencerLibrary, @unchecked Sendable {
  // Set by open, before any other thread sees the object, and cleared by close, after the last.
  private var handle: OpaquePointer?
  private var client: UInt8 = 0

  public init() {}
  deinit { close() }

  public func open(clientName: String) -> Int32 {
    var opened: OpaquePointer?
    let result = unsafe snd_seq_open(
      &opened, "default", SND_SEQ_OPEN_DUPLEX, SND_SEQ_NONBLOCK)
    guard result >= 0 else { return result }
    unsafe handle = opened
    unsafe snd_seq_set_client_name(opened, clientName)
    // A thousand events: two seconds of pulses at 999 quarters a minute wait on a kernel queue, a
    // tenth of a second of the fastest storm waits to be read.
    unsafe snd_seq_set_client_pool_output(opened, 1000)
    unsafe snd_seq_set_client_pool_input(opened, 1000)
    let number = unsafe snd_seq_client_id(opened)
    client = UInt8(truncatingIfNeeded: number)
    return number
  }

  public func close() {
    guard let opened = unsafe handle else { return }
    unsafe handle = nil
    unsafe snd_seq_close(opened)
  }

  public func createPort(
    name: String, direction: SequencerDirection, stampQueue: Int32?
  ) -> Int32 {
    guard let handle = unsafe handle else { return -EBADF }
    var pointer: OpaquePointer?
    guard unsafe snd_seq_port_info_malloc(&pointer) >= 0, let info = unsafe pointer else {
      return -ENOMEM
    }
    defer { unsafe snd_seq_port_info_free(info) }
    unsafe snd_seq_port_info_set_name(info, name)
    let capability =
      direction == .output
      ? SND_SEQ_PORT_CAP_READ | SND_SEQ_PORT_CAP_SUBS_READ
      : SND_SEQ_PORT_CAP_WRITE | SND_SEQ_PORT_CAP_SUBS_WRITE
    unsafe snd_seq_port_info_set_capability(info, UInt32(capability))
    unsafe snd_seq_port_info_set_type(
      info, UInt32(SND_SEQ_PORT_TYPE_MIDI_GENERIC | SND_SEQ_PORT_TYPE_APPLICATION))
    if let stampQueue {
      unsafe snd_seq_port_info_set_timestamping(info, 1)
      unsafe snd_seq_port_info_set_timestamp_real(info, 1)
      unsafe snd_seq_port_info_set_timestamp_queue(info, stampQueue)
    }
    let result = unsafe snd_seq_create_port(handle, info)
    return result < 0 ? result : unsafe snd_seq_port_info_get_port(info)
  }

  public func deletePort(_ port: UInt8) -> Int32 {
    guard let handle = unsafe handle else { return -EBADF }
    return unsafe snd_seq_delete_port(handle, Int32(port))
  }

  public func setStampQueue(_ queue: Int32?, of port: UInt8) -> Int32 {
    guard let handle = unsafe handle else { return -EBADF }
    var pointer: OpaquePointer?
    guard unsafe snd_seq_port_info_malloc(&pointer) >= 0, let info = unsafe pointer else {
      return -ENOMEM
    }
    defer { unsafe snd_seq_port_info_free(info) }
    let result = unsafe snd_seq_get_port_info(handle, Int32(port), info)
    guard result >= 0 else { return result }
    unsafe snd_seq_port_info_set_timestamping(info, queue == nil ? 0 : 1)
    unsafe snd_seq_port_info_set_timestamp_real(info, 1)
    unsafe snd_seq_port_info_set_timestamp_queue(info, queue ?? 0)
    return unsafe snd_seq_set_port_info(handle, Int32(port), info)
  }

  public func output(
    _ message: MIDIMessage, from port: UInt8, to destination: SequencerAddress,
    at time: SequencerQueueTime?
  ) -> Int32 {
    guard let handle = unsafe handle else { return -EBADF }
    var event = unsafe sequencerEvent(message, from: port, to: destination, at: time)
    return unsafe snd_seq_event_output(handle, &event)
  }

  public func outputDirect(
    _ message: MIDIMessage, from port: UInt8, to destination: SequencerAddress
  ) -> Int32 {
    guard let handle = unsafe handle else { return -EBADF }
    var event = unsafe sequencerEvent(message, from: port, to: destination, at: nil)
    return unsafe snd_seq_event_output_direct(handle, &event)
  }

  public func drain() -> Int32 {
    guard let handle = unsafe handle else { return -EBADF }
    return unsafe snd_seq_drain_output(handle)
  }

  public func dropOutput() {
    guard let handle = unsafe handle else { return }
    unsafe snd_seq_drop_output_buffer(handle)
  }

  public func removeQueued(from port: UInt8, atOrAfter time: SequencerQueueTime) -> Int32 {
    guard let handle = unsafe handle else { return -EBADF }
    var pointer: OpaquePointer?
    guard unsafe snd_seq_remove_events_malloc(&pointer) >= 0, let removal = unsafe pointer else {
      return -ENOMEM
    }
    defer { unsafe snd_seq_remove_events_free(removal) }
    unsafe snd_seq_remove_events_set_condition(
      removal,
      UInt32(
        SND_SEQ_REMOVE_OUTPUT | SND_SEQ_REMOVE_TAG_MATCH | SND_SEQ_REMOVE_TIME_AFTER))
    unsafe snd_seq_remove_events_set_queue(removal, time.queue)
    unsafe snd_seq_remove_events_set_tag(removal, Int32(port))
    var stamp = snd_seq_timestamp_t()
    unsafe stamp.time = realTime(time.nanoseconds)
    unsafe snd_seq_remove_events_set_time(removal, &stamp)
    return unsafe snd_seq_remove_events(handle, removal)
  }

  public func input() -> Result<SequencerEvent, SequencerCode>? {
    guard let handle = unsafe handle else { return nil }
    var pointer: UnsafeMutablePointer<snd_seq_event_t>?
    let result = unsafe snd_seq_event_input(handle, &pointer)
    if result == -EAGAIN { return nil }
    guard result >= 0, let event = unsafe pointer else { return .failure(SequencerCode(result)) }
    return .success(unsafe SequencerEvent(event.pointee))
  }

  public var descriptor: Int32 {
    var polled = pollfd()
    guard unsafe handle != nil,
      unsafe snd_seq_poll_descriptors(handle, &polled, 1, Int16(POLLIN)) == 1
    else { return -1 }
    return polled.fd
  }

  public func connect(_ connection: SequencerConnection) -> Int32 {
    guard let handle = unsafe handle else { return -EBADF }
    return unsafe withSubscription(connection) { unsafe snd_seq_subscribe_port(handle, $0) }
  }

  public func disconnect(_ connection: SequencerConnection) -> Int32 {
    guard let handle = unsafe handle else { return -EBADF }
    return unsafe withSubscription(connection) { unsafe snd_seq_unsubscribe_port(handle, $0) }
  }

  private func withSubscription(
    _ connection: SequencerConnection, _ body: (OpaquePointer) -> Int32
  ) -> Int32 {
    var pointer: OpaquePointer?
    guard unsafe snd_seq_port_subscribe_malloc(&pointer) >= 0,
      let subscription = unsafe pointer
    else { return -ENOMEM }
    defer { unsafe snd_seq_port_subscribe_free(subscription) }
    var sender = snd_seq_addr_t(client: connection.from.client, port: connection.from.port)
    var receiver = snd_seq_addr_t(client: connection.to.client, port: connection.to.port)
    unsafe snd_seq_port_subscribe_set_sender(subscription, &sender)
    unsafe snd_seq_port_subscribe_set_dest(subscription, &receiver)
    return unsafe body(subscription)
  }

  public func createQueue(name: String) -> Int32 {
    guard let handle = unsafe handle else { return -EBADF }
    return unsafe snd_seq_alloc_named_queue(handle, name)
  }

  public func setQueueResolution(_ queue: Int32, hertz: UInt32) -> Int32 {
    guard let handle = unsafe handle else { return -EBADF }
    var pointer: OpaquePointer?
    guard unsafe snd_seq_queue_timer_malloc(&pointer) >= 0, let timer = unsafe pointer else {
      return -ENOMEM
    }
    defer { unsafe snd_seq_queue_timer_free(timer) }
    var result = unsafe snd_seq_get_queue_timer(handle, queue, timer)
    guard result >= 0 else { return result }
    unsafe snd_seq_queue_timer_set_resolution(timer, hertz)
    result = unsafe snd_seq_set_queue_timer(handle, queue, timer)
    guard result >= 0 else { return result }
    result = unsafe snd_seq_get_queue_timer(handle, queue, timer)
    guard result >= 0 else { return result }
    return Int32(
      truncatingIfNeeded: unsafe snd_seq_queue_timer_get_resolution(timer))
  }

  public func startQueue(_ queue: Int32) -> Int32 {
    guard let handle = unsafe handle else { return -EBADF }
    let result = unsafe snd_seq_control_queue(
      handle, queue, Int32(SND_SEQ_EVENT_START.rawValue), 0, nil)
    return result < 0 ? result : drain()
  }

  public func freeQueue(_ queue: Int32) -> Int32 {
    guard let handle = unsafe handle else { return -EBADF }
    return unsafe snd_seq_free_queue(handle, queue)
  }

  public func queueTime(_ queue: Int32) -> Int64 {
    guard let handle = unsafe handle else { return Int64(-EBADF) }
    var pointer: OpaquePointer?
    guard unsafe snd_seq_queue_status_malloc(&pointer) >= 0, let status = unsafe pointer else {
      return Int64(-ENOMEM)
    }
    defer { unsafe snd_seq_queue_status_free(status) }
    let result = unsafe snd_seq_get_queue_status(handle, queue, status)
    guard result >= 0, let time = unsafe snd_seq_queue_status_get_real_time(status) else {
      return Int64(min(result, -1))
    }
    return unsafe Int64(time.pointee.tv_sec) * 1_000_000_000 + Int64(time.pointee.tv_nsec)
  }

  public func ports() -> [SequencerPort] {
    guard let handle = unsafe handle else { return [] }
    return unsafe SequencerDirectory.ports(handle)
  }

  public func receivers(of port: SequencerAddress) -> [SequencerAddress] {
    guard let handle = unsafe handle else { return [] }
    return unsafe SequencerDirectory.receivers(handle, of: port)
  }
}
