import Companion
import OSCProtocol
import OSCWire
import Testing

@Suite struct DaemonDirectoryTests {
  static func daemon(
    _ name: String = "Tactus", on host: String = "stage.local", at address: String = "10.0.0.5",
    port: UInt16 = 9_700, interface: Int32 = 2, isIPv6: Bool = false
  ) -> AnnouncedDaemon {
    AnnouncedDaemon(
      name: name, host: host, address: address, port: port, interface: interface, isIPv6: isIPv6)
  }

  func directory(_ daemons: AnnouncedDaemon...) -> DaemonDirectory {
    var directory = DaemonDirectory()
    for daemon in daemons { directory.take(.seen(daemon)) }
    directory.take(.complete)
    return directory
  }

  @Test(arguments: [
    ("seen 2 4 9700 10.0.0.5 stage.local Tactus", DaemonSighting.seen(daemon())),
    (
      "seen 3 6 9701 fe80::1%3 stage.local Tactus #2",
      .seen(daemon("Tactus #2", at: "fe80::1%3", port: 9_701, interface: 3, isIPv6: true))
    ),
    ("gone 3 6 Tactus #2", .gone(name: "Tactus #2", interface: 3, isIPv6: true)),
    ("complete", .complete), ("unavailable Daemon not running", .unavailable("Daemon not running")),
  ])
  func `a sighting is one line and back`(line: String, sighting: DaemonSighting) {
    #expect(sighting.line == line)
    #expect(DaemonSighting(line: line) == sighting)
  }

  @Test(arguments: [
    "", "seen", "seen 2 4 9700 10.0.0.5 stage.local", "seen 2 5 9700 10.0.0.5 stage.local Tactus",
    "seen 2 4 0 10.0.0.5 stage.local Tactus", "seen 2 4 65536 10.0.0.5 stage.local Tactus",
    "seen two 4 9700 10.0.0.5 stage.local Tactus", "gone 2 4", "gone 2 x Tactus", "completely",
    "seen 2 4 9700 10.0.0.5 stage.local TouchOSC", "unavailable",
  ])
  func `a line that says none of it is no sighting`(line: String) {
    #expect(DaemonSighting(line: line) == nil)
  }

  /// avahi puts a number behind a name that is taken.
  @Test(arguments: [
    ("Tactus", true), ("Tactus #2", true), ("Tactus #17", true), ("Tactus#2", false),
    ("Tactus two", false), ("TouchOSC", false), ("tactus", false), ("", false),
  ])
  func `a service is ours by its name`(name: String, isOurs: Bool) {
    #expect(AnnouncedDaemon.isOurs(name) == isOurs)
  }

  @Test func `the only daemon is taken`() {
    #expect(directory().choice(named: nil) == .none)
    #expect(directory(Self.daemon()).choice(named: nil) == .one(Self.daemon()))
  }

  @Test func `of one daemon's addresses IPv4 comes first and link-local last`() {
    let linkLocal = Self.daemon(at: "fe80::1%2", isIPv6: true)
    let self4 = Self.daemon(at: "169.254.3.4", interface: 4)
    let global6 = Self.daemon(at: "2001:db8::5", isIPv6: true)
    let global4 = Self.daemon(interface: 3)
    #expect(directory(linkLocal, global6).choice(named: nil) == .one(global6))
    #expect(directory(linkLocal, self4, global6).choice(named: nil) == .one(global6))
    #expect(directory(linkLocal, self4).choice(named: nil) == .one(self4))
    #expect(directory(linkLocal, global6, global4).choice(named: nil) == .one(global4))
  }

  @Test func `several daemons are a question, in the order of their numbers`() {
    let two = Self.daemon("Tactus #2", on: "foyer.local", at: "10.0.0.6")
    let ten = Self.daemon("Tactus #10", on: "cellar.local", at: "10.0.0.7")
    let directory = directory(ten, two, Self.daemon())
    #expect(directory.choice(named: nil) == .several([Self.daemon(), two, ten]))
  }

  @Test(arguments: ["Tactus #2", "tactus #2", "foyer.local", "foyer", "FOYER"])
  func `a daemon is named as it is announced or by its machine`(name: String) {
    let two = Self.daemon("Tactus #2", on: "foyer.local", at: "10.0.0.6")
    #expect(directory(Self.daemon(), two).choice(named: name) == .one(two))
    #expect(directory(Self.daemon()).choice(named: name) == .none)
  }

  @Test func `whoever is followed stays so while it is announced there`() {
    let linkLocal = Self.daemon(at: "fe80::1%2", isIPv6: true)
    let other = Self.daemon("Tactus #2", at: "10.0.0.6")
    let directory = directory(linkLocal, Self.daemon(), other)
    #expect(directory.choice(named: nil, following: linkLocal) == .one(linkLocal))
    #expect(directory.choice(named: nil, following: other) == .one(other))
  }

  @Test func `a daemon that comes back at another port or address is followed there`() {
    var directory = directory(Self.daemon(), Self.daemon("Tactus #2", at: "10.0.0.6"))
    let moved = Self.daemon(at: "10.0.0.9", port: 9_777)
    directory.take(.seen(moved))
    #expect(directory.choice(named: nil, following: Self.daemon()) == .one(moved))
  }

  @Test func `one that is gone is followed by the only one left, and by none of several`() {
    let two = Self.daemon("Tactus #2", at: "10.0.0.6")
    var directory = directory(Self.daemon(), two)
    directory.take(.gone(name: "Tactus", interface: 2, isIPv6: false))
    #expect(directory.choice(named: nil, following: Self.daemon()) == .one(two))
    #expect(directory.choice(named: "Tactus", following: Self.daemon()) == .none)
    let three = Self.daemon("Tactus #3", at: "10.0.0.8")
    directory.take(.seen(three))
    #expect(directory.choice(named: nil, following: Self.daemon()) == .several([two, three]))
  }

  @Test func `gone on one interface is still there on another`() {
    var directory = directory(Self.daemon(), Self.daemon(at: "10.1.0.5", interface: 3))
    directory.take(.gone(name: "Tactus", interface: 2, isIPv6: false))
    #expect(
      directory.choice(named: nil, following: Self.daemon())
        == .one(Self.daemon(at: "10.1.0.5", interface: 3)))
  }

  @Test func `when nothing can be seen nothing is known, and why`() {
    var directory = directory(Self.daemon())
    directory.take(.unavailable("Daemon not running"))
    #expect(directory.choice(named: nil) == .none)
    #expect(directory.reason == "Daemon not running")
    #expect(!directory.isComplete)
    directory.take(.complete)
    #expect(directory.reason == nil)
  }

  @Test func `a flood of names does not grow without end`() {
    var directory = DaemonDirectory()
    for number in 2..<2_000 { directory.take(.seen(Self.daemon("Tactus #\(number)"))) }
    #expect(directory.daemons.count == 256)
  }
}
