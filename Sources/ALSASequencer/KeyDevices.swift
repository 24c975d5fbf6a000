internal import CLinux
internal import Glibc
public import MetronomeModel
public import MusicalTime

/// Keys of pedals, page turners and buttons, as Linux input devices (evdev).
///
/// Only devices that have one of the wanted keys are opened, unless all are wanted in order to
/// learn one; devices that come are found, those that go are let go. Opening and closing them may
/// wait, so a `KeySearch` does it elsewhere.
///
/// - Thread: control
public final class KeyDevices {
  /// A key that was pressed or let go.
  public struct Stroke: Equatable, Sendable {
    public var gesture: MIDIGesture
    /// When the kernel saw it.
    public var time: MonotonicTime
    /// One for each device, for taps.
    public var series: UInt64
    public var device: String
  }

  private let folder: String
  private let poll: Int32
  private let watch: Int32
  private var devices: [String: Device] = [:]
  private var codes: Set<Int> = []
  private var wantsAll = false
  private var unreadable: Set<String> = []
  private var isSearchDue = false
  private var isSearching = false
  /// No longer read, and still to be closed.
  private var leaving: [Int32] = []

  private struct Device {
    var descriptor: Int32
    var name: String
  }

  /// Devices that could not be read, to be told once: the user is not in group input.
  public private(set) var refused: [String] = []

  public init(folder: String = "/dev/input") {
    self.folder = folder
    poll = clinux_epoll()
    watch = clinux_watch_open()
    if watch >= 0 {
      _ = unsafe clinux_watch_folder(watch, folder)
      if poll >= 0 { _ = clinux_epoll_add(poll, watch) }
    }
  }

  deinit {
    for device in devices.values { clinux_close(device.descriptor) }
    for descriptor in leaving { clinux_close(descriptor) }
    if watch >= 0 { clinux_close(watch) }
    if poll >= 0 { clinux_close(poll) }
  }

  /// For poll: readable when `service` has something to do.
  public var descriptor: Int32 { poll }

  /// Names of the devices that are read.
  public var names: [String] { devices.values.map(\.name).sorted() }

  /// Says which keys matter; `learning` wants any.
  public func want(_ mapping: MIDIMapping, learning: Bool = false) {
    let wanted = Set(
      mapping.rules.compactMap { rule -> Int? in
        if case .key(let code, _) = rule.trigger { return code }
        return nil
      })
    guard wanted != codes || learning != wantsAll else { return }
    codes = wanted
    wantsAll = learning
    // What is open and still wanted stays open: a press between closing and opening would be lost.
    for (path, device) in devices where !isWanted(device.descriptor) { drop(path, device) }
    unreadable = []
    isSearchDue = isSearchDue || wantsAll || !codes.isEmpty
  }

  /// Reads what was pressed and finds what is new; bounded work.
  public func service() -> [Stroke] {
    if watch >= 0, clinux_watch_drain(watch) != 0, wantsAll || !codes.isEmpty { isSearchDue = true }
    var strokes: [Stroke] = []
    for (path, device) in devices { read(path, device, &strokes) }
    return strokes
  }

  private func read(_ path: String, _ device: Device, _ strokes: inout [Stroke]) {
    var type: Int32 = 0
    var code: Int32 = 0
    var value: Int32 = 0
    var nanoseconds: Int64 = 0
    for _ in 0..<64 {
      let result = unsafe clinux_key_read(
        device.descriptor, &type, &code, &value, &nanoseconds)
      if result == -EAGAIN { return }
      guard result == 1 else {
        drop(path, device)
        return
      }
      // EV_KEY; 2 is the repetition of a key that is held.
      guard type == 1, value == 0 || value == 1 else { continue }
      guard wantsAll || codes.contains(Int(code)) else { continue }
      strokes.append(
        Stroke(
          gesture: .key(Int(code), isPressed: value == 1, device: device.name),
          time: MonotonicTime(nanoseconds: nanoseconds),
          series: KeyDevices.series(path), device: device.name))
    }
  }

  // MARK: Looking for devices

  /// What is to be looked for now; nil where nothing is, or a search is under way. `take` follows.
  public func takeSearch() -> KeySearch? {
    guard isSearchDue, !isSearching else { return nil }
    isSearchDue = false
    isSearching = true
    defer { leaving = [] }
    return KeySearch(
      folder: folder, codes: codes, wantsAll: wantsAll, known: Set(devices.keys),
      leaving: leaving)
  }

  /// What a search has found.
  public func take(_ found: KeySearch.Found) {
    isSearching = false
    for path in found.unreadable where unreadable.insert(path).inserted { refused.append(path) }
    for device in found.devices {
      // Other keys may be wanted by now.
      guard devices[device.path] == nil, isWanted(device.descriptor) else {
        leave(device.descriptor)
        continue
      }
      devices[device.path] = Device(descriptor: device.descriptor, name: device.name)
      if poll >= 0 { _ = clinux_epoll_add(poll, device.descriptor) }
    }
  }

  /// The search could not be made: it is due again.
  public func searchFailed(_ search: KeySearch) {
    isSearching = false
    search.leaving.forEach(leave)
    isSearchDue = true
  }

  private func isWanted(_ descriptor: Int32) -> Bool {
    KeySearch.isWanted(descriptor, codes: codes, wantsAll: wantsAll)
  }

  private func drop(_ path: String, _ device: Device) {
    if poll >= 0 { clinux_epoll_remove(poll, device.descriptor) }
    devices[path] = nil
    leave(device.descriptor)
  }

  /// Closing a device waits for the kernel, as opening does: the next search does both.
  private func leave(_ descriptor: Int32) {
    leaving.append(descriptor)
    isSearchDue = true
  }

  /// A number of its own for each path, apart from those of sequencer ports, which are below 2^16.
  private static func series(_ path: String) -> UInt64 {
    // FNV-1a, 64 bits.
    path.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
      | 1 << 63
  }
}
