internal import CAvahi
public import OSCProtocol
internal import OSCWire

/// Looks for daemons on the local network: services of the type `_osc._udp` with our name.
///
/// - Thread: web
@safe public final class ServiceBrowser {
  private let poll: OpaquePointer
  private var client: OpaquePointer?
  private var browser: OpaquePointer?
  /// One for each service and interface; while it lives it tells of every change.
  private var resolvers: [String: OpaquePointer] = unsafe [:]
  /// Those that have not answered yet.
  private var unanswered: Set<String> = []
  private var isListed = false
  private var isComplete = false
  private var lost: String?
  private let tell: (DaemonSighting) -> Void

  /// - Returns: nil where the library gives no loop.
  public init?(tell: @escaping (DaemonSighting) -> Void) {
    guard let poll = unsafe avahi_simple_poll_new() else { return nil }
    unsafe self.poll = unsafe poll
    self.tell = tell
  }

  deinit {
    // The client frees what was made of it.
    if let client = unsafe client { unsafe avahi_client_free(client) }
    unsafe avahi_simple_poll_free(poll)
  }

  /// Connects to avahi-daemon, now or when it comes; after a failure again.
  public func start() {
    if let client = unsafe client { unsafe avahi_client_free(client) }
    unsafe client = nil
    forget()
    lost = nil
    var code: Int32 = 0
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    let made = unsafe avahi_client_new(
      avahi_simple_poll_get(poll), AVAHI_CLIENT_NO_FAIL, browsingClientChanged, context, &code)
    unsafe client = made
    if unsafe made == nil { fail(code) }
  }

  /// Whether `start` has to be called again.
  public var isLost: Bool { lost != nil }

  /// Waits for news, for at most so many milliseconds.
  public func service(milliseconds: Int32) {
    _ = unsafe avahi_simple_poll_iterate(poll, milliseconds)
  }

  private func forget() {
    unsafe browser = nil
    unsafe resolvers.removeAll()
    unanswered.removeAll()
    isListed = false
    isComplete = false
  }

  private func fail(_ code: Int32) {
    let reason = unsafe String(cString: avahi_strerror(code))
    if lost != reason { tell(.unavailable(reason)) }
    lost = reason
  }

  fileprivate func changed(_ client: OpaquePointer?, _ state: AvahiClientState) {
    switch state {
    case AVAHI_CLIENT_S_RUNNING, AVAHI_CLIENT_S_REGISTERING, AVAHI_CLIENT_S_COLLISION:
      unsafe browse(client)
    case AVAHI_CLIENT_FAILURE:
      fail(unsafe avahi_client_errno(client))
    case AVAHI_CLIENT_CONNECTING:
      tell(.unavailable(unsafe String(cString: avahi_strerror(Int32(AVAHI_ERR_NO_DAEMON)))))
    default: break
    }
  }

  private func browse(_ client: OpaquePointer?) {
    guard unsafe browser == nil, let client = unsafe client else { return }
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    // Interface and protocol -1: all of them.
    unsafe browser = avahi_service_browser_new(
      client, -1, -1, "_osc._udp", nil, AvahiLookupFlags(rawValue: 0), browsedServiceChanged,
      context)
    if unsafe browser == nil { fail(unsafe avahi_client_errno(client)) }
  }

  fileprivate func serviceChanged(
    _ event: AvahiBrowserEvent, interface: Int32, family: Int32, name: String, domain: String
  ) {
    switch event {
    case AVAHI_BROWSER_NEW:
      guard AnnouncedDaemon.isOurs(name) else { return }
      let place = self.place(name, interface, family)
      guard let client = unsafe client, unsafe resolvers[place] == nil else { return }
      let context = unsafe Unmanaged.passUnretained(self).toOpaque()
      let resolver = unsafe avahi_service_resolver_new(
        client, interface, family, name, "_osc._udp", domain, family,
        AvahiLookupFlags(rawValue: 0), serviceResolved, context)
      guard let resolver = unsafe resolver else { return }
      unsafe resolvers[place] = resolver
      unanswered.insert(place)
    case AVAHI_BROWSER_REMOVE:
      let place = self.place(name, interface, family)
      guard let resolver = unsafe resolvers.removeValue(forKey: place) else { return }
      unsafe avahi_service_resolver_free(resolver)
      unanswered.remove(place)
      tell(.gone(name: name, interface: interface, isIPv6: family == AVAHI_PROTO_INET6))
    case AVAHI_BROWSER_ALL_FOR_NOW: isListed = true
    case AVAHI_BROWSER_FAILURE: fail(unsafe avahi_client_errno(client))
    default: break
    }
    completeIfSo()
  }

  fileprivate func resolved(
    _ name: String, interface: Int32, family: Int32, at found: (host: String, address: String)?,
    port: UInt16
  ) {
    if let found, port > 0 {
      tell(
        .seen(
          AnnouncedDaemon(
            name: name, host: found.host, address: found.address, port: port,
            interface: interface, isIPv6: family == AVAHI_PROTO_INET6)))
    }
    unanswered.remove(place(name, interface, family))
    completeIfSo()
  }

  private func completeIfSo() {
    guard isListed, unanswered.isEmpty, !isComplete else { return }
    isComplete = true
    tell(.complete)
  }

  private func place(_ name: String, _ interface: Int32, _ family: Int32) -> String {
    "\(interface) \(family) \(name)"
  }
}

private func owner(_ context: UnsafeMutableRawPointer?) -> ServiceBrowser? {
  guard let context = unsafe context else { return nil }
  return unsafe Unmanaged<ServiceBrowser>.fromOpaque(context).takeUnretainedValue()
}

private func browsingClientChanged(
  _ client: OpaquePointer?, _ state: AvahiClientState, _ context: UnsafeMutableRawPointer?
) {
  unsafe owner(context)?.changed(client, state)
}

private func browsedServiceChanged(
  _: OpaquePointer?, _ interface: AvahiIfIndex, _ family: AvahiProtocol,
  _ event: AvahiBrowserEvent, _ name: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?,
  _ domain: UnsafePointer<CChar>?, _: AvahiLookupResultFlags, _ context: UnsafeMutableRawPointer?
) {
  let name = unsafe name.map { unsafe String(cString: $0) } ?? ""
  let domain = unsafe domain.map { unsafe String(cString: $0) } ?? ""
  unsafe owner(context)?.serviceChanged(
    event, interface: interface, family: family, name: name, domain: domain)
}

private func serviceResolved(
  _: OpaquePointer?, _ interface: AvahiIfIndex, _ family: AvahiProtocol,
  _ event: AvahiResolverEvent, _ name: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?,
  _: UnsafePointer<CChar>?, _ host: UnsafePointer<CChar>?, _ address: UnsafePointer<AvahiAddress>?,
  _ port: UInt16, _: UnsafeMutablePointer<AvahiStringList>?, _: AvahiLookupResultFlags,
  _ context: UnsafeMutableRawPointer?
) {
  guard let name = unsafe name.map({ unsafe String(cString: $0) }) else { return }
  var found: (host: String, address: String)?
  if event == AVAHI_RESOLVER_FOUND, let host = unsafe host, let address = unsafe address {
    var text = [CChar](repeating: 0, count: 64)
    unsafe avahi_address_snprint(&text, text.count, address)
    var number = String(
      decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    // Such an address means nothing without its interface.
    if number.hasPrefix("fe80:") { number += "%\(interface)" }
    found = (unsafe String(cString: host), number)
  }
  unsafe owner(context)?.resolved(
    name, interface: interface, family: family, at: found, port: port)
}
