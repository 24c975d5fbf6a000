internal import CALSA
internal import Glibc

/// Who is there, as the sequencer lists it.
enum SequencerDirectory {
  @unsafe
  static func ports(_ handle: OpaquePointer?) -> [SequencerPort] {
    var clientPointer: OpaquePointer?
    var portPointer: OpaquePointer?
    guard unsafe snd_seq_client_info_malloc(&clientPointer) >= 0,
      let client = unsafe clientPointer
    else { return [] }
    defer { unsafe snd_seq_client_info_free(client) }
    guard unsafe snd_seq_port_info_malloc(&portPointer) >= 0, let port = unsafe portPointer else {
      return []
    }
    defer { unsafe snd_seq_port_info_free(port) }
    var list: [SequencerPort] = []
    unsafe snd_seq_client_info_set_client(client, -1)
    while unsafe snd_seq_query_next_client(handle, client) >= 0 {
      let number = unsafe snd_seq_client_info_get_client(client)
      let name = unsafe text(snd_seq_client_info_get_name(client))
      let path = devicePath(card: unsafe snd_seq_client_info_get_card(client))
      unsafe snd_seq_port_info_set_client(port, number)
      unsafe snd_seq_port_info_set_port(port, -1)
      while unsafe snd_seq_query_next_port(handle, port) >= 0 {
        let capability = unsafe Int32(
          truncatingIfNeeded: snd_seq_port_info_get_capability(port))
        // What hides from connections cannot be connected.
        guard capability & Int32(SND_SEQ_PORT_CAP_NO_EXPORT) == 0 else { continue }
        list.append(
          SequencerPort(
            address: SequencerAddress(
              client: UInt8(truncatingIfNeeded: number),
              port: UInt8(truncatingIfNeeded: unsafe snd_seq_port_info_get_port(port))),
            clientName: name, portName: unsafe text(snd_seq_port_info_get_name(port)),
            takesInput: capability & Int32(SND_SEQ_PORT_CAP_SUBS_WRITE) != 0,
            givesOutput: capability & Int32(SND_SEQ_PORT_CAP_SUBS_READ) != 0,
            devicePath: path))
      }
    }
    return list
  }

  @unsafe
  static func receivers(
    _ handle: OpaquePointer?, of port: SequencerAddress
  ) -> [SequencerAddress] {
    var pointer: OpaquePointer?
    guard unsafe snd_seq_query_subscribe_malloc(&pointer) >= 0, let query = unsafe pointer else {
      return []
    }
    defer { unsafe snd_seq_query_subscribe_free(query) }
    var root = snd_seq_addr_t(client: port.client, port: port.port)
    unsafe snd_seq_query_subscribe_set_root(query, &root)
    unsafe snd_seq_query_subscribe_set_type(query, SND_SEQ_QUERY_SUBS_READ)
    var list: [SequencerAddress] = []
    unsafe snd_seq_query_subscribe_set_index(query, 0)
    while unsafe snd_seq_query_port_subscribers(handle, query) >= 0 {
      guard let found = unsafe snd_seq_query_subscribe_get_addr(query) else { break }
      list.append(
        SequencerAddress(client: unsafe found.pointee.client, port: unsafe found.pointee.port))
      unsafe snd_seq_query_subscribe_set_index(
        query, snd_seq_query_subscribe_get_index(query) + 1)
    }
    return list
  }

  /// Two equal devices differ in where they are plugged in, and that survives a replug.
  private static func devicePath(card: Int32) -> String {
    guard card >= 0, let resolved = unsafe realpath("/sys/class/sound/card\(card)/device", nil)
    else { return "" }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }

  @unsafe
  private static func text(_ pointer: UnsafePointer<CChar>?) -> String {
    guard let pointer = unsafe pointer else { return "" }
    return unsafe String(cString: pointer)
  }
}
