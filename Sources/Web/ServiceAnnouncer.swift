internal import CAvahi
internal import MusicalTime
internal import RealtimeHost

/// Announces the daemon on the local network: `_osc._udp`, `_oscjson._tcp` and, for the page,
/// `_http._tcp`.
///
/// - Thread: announcer, which does nothing else
@safe public final class ServiceAnnouncer {
  private let poll: OpaquePointer
  private var client: OpaquePointer?
  private var group: OpaquePointer?
  private var name: String
  private let oscPort: UInt16
  private let webPort: UInt16
  private let say: (String) -> Void
  private var isSaid = false
  /// When to connect anew: a connection that broke does not come back by itself.
  private var retryAt: MonotonicTime?

  /// - Returns: nil where the library gives no loop.
  public init?(name: String, oscPort: Int, webPort: Int, say: @escaping (String) -> Void) {
    guard let poll = unsafe avahi_simple_poll_new() else { return nil }
    unsafe self.poll = unsafe poll
    self.name = name
    self.oscPort = UInt16(clamping: oscPort)
    self.webPort = UInt16(clamping: webPort)
    self.say = say
  }

  deinit {
    if let client = unsafe client { unsafe avahi_client_free(client) }
    unsafe avahi_simple_poll_free(poll)
  }

  /// Connects to avahi-daemon, now or when it comes.
  public func start() {
    if let client = unsafe client { unsafe avahi_client_free(client) }
    unsafe client = nil
    unsafe group = nil
    retryAt = nil
    var code: Int32 = 0
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe client = avahi_client_new(
      avahi_simple_poll_get(poll), AVAHI_CLIENT_NO_FAIL, clientChanged, context, &code)
    if unsafe client == nil { fail(code) }
  }

  /// Announces, and waits for avahi-daemon alone; returns only where its loop is broken.
  public func run() {
    start()
    while true {
      var milliseconds: Int32 = -1
      if let retryAt {
        let left = retryAt.nanoseconds(since: MonotonicClock.now())
        if left <= 0 {
          start()
          continue
        }
        milliseconds = Int32(clamping: left / 1_000_000 + 1)
      }
      guard unsafe avahi_simple_poll_iterate(poll, milliseconds) >= 0 else { return }
    }
  }

  /// Not at once: whoever calls us back may not be freed meanwhile.
  private func fail(_ code: Int32) {
    complain(code)
    retryAt = MonotonicClock.now().advanced(byNanoseconds: 5_000_000_000)
  }

  fileprivate func changed(_ client: OpaquePointer?, _ state: AvahiClientState) {
    switch state {
    case AVAHI_CLIENT_S_RUNNING:
      unsafe register(client)
    case AVAHI_CLIENT_S_COLLISION, AVAHI_CLIENT_S_REGISTERING:
      if let group = unsafe group { _ = unsafe avahi_entry_group_reset(group) }
    case AVAHI_CLIENT_FAILURE:
      fail(unsafe avahi_client_errno(client))
    case AVAHI_CLIENT_CONNECTING:
      complain(Int32(AVAHI_ERR_NO_DAEMON))
    default: break
    }
  }

  fileprivate func groupChanged(_ state: AvahiEntryGroupState) {
    switch state {
    case AVAHI_ENTRY_GROUP_ESTABLISHED:
      say("announced as '\(name)'")
      isSaid = false
    case AVAHI_ENTRY_GROUP_COLLISION:
      // On another machine.
      takeAnotherName()
      unsafe register(client)
    default: break
    }
  }

  /// Another Tactus has the name: the next one is "Tactus #2".
  private func takeAnotherName() {
    guard let other = unsafe avahi_alternative_service_name(name) else { return }
    name = unsafe String(cString: other)
    unsafe avahi_free(other)
  }

  private func register(_ client: OpaquePointer?) {
    guard let client = unsafe client else { return }
    if unsafe group == nil {
      let context = unsafe Unmanaged.passUnretained(self).toOpaque()
      unsafe group = avahi_entry_group_new(client, entryGroupChanged, context)
    }
    guard let group = unsafe group else { return complain(unsafe avahi_client_errno(client)) }
    var code: Int32
    var namesLeft = ServiceAnnouncer.mostNames
    repeat {
      code = unsafe add(group)
      namesLeft -= 1
      guard code == Int32(AVAHI_ERR_COLLISION), namesLeft > 0 else { break }
      // On this machine: that is told at once.
      _ = unsafe avahi_entry_group_reset(group)
      takeAnotherName()
    } while true
    if code >= 0 { code = unsafe avahi_entry_group_commit(group) }
    if code < 0 { complain(code) }
  }

  /// More daemons than one machine will have.
  private static let mostNames = 100

  /// - Returns: a negative code of Avahi where something went wrong.
  private func add(_ group: OpaquePointer) -> Int32 {
    for (type, port) in [
      ("_osc._udp", oscPort), ("_oscjson._tcp", webPort), ("_http._tcp", webPort),
    ] where port > 0 {
      // Interface and protocol -1: all of them.
      let code = unsafe avahi_entry_group_add_service_strlst(
        group, -1, -1, AvahiPublishFlags(rawValue: 0), name, type, nil, nil, port, nil)
      if code < 0 { return code }
    }
    return 0
  }

  /// Once: without avahi-daemon nothing is lost but being found.
  private func complain(_ code: Int32) {
    guard !isSaid else { return }
    isSaid = true
    let reason = unsafe String(cString: avahi_strerror(code))
    say(
      "not announced on the network: \(reason); install or start avahi-daemon, or give apps the "
        + "address by hand")
  }
}

private func clientChanged(
  _ client: OpaquePointer?, _ state: AvahiClientState, _ context: UnsafeMutableRawPointer?
) {
  guard let context = unsafe context else { return }
  unsafe Unmanaged<ServiceAnnouncer>.fromOpaque(context).takeUnretainedValue().changed(
    client, state)
}

private func entryGroupChanged(
  _ group: OpaquePointer?, _ state: AvahiEntryGroupState, _ context: UnsafeMutableRawPointer?
) {
  guard let context = unsafe context else { return }
  unsafe Unmanaged<ServiceAnnouncer>.fromOpaque(context).takeUnretainedValue().groupChanged(state)
}
