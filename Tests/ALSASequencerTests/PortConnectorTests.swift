import MetronomeModel
import MusicalTime
import Testing

@testable import ALSASequencer

private func port(
  _ client: UInt8, _ number: UInt8, _ clientName: String, _ portName: String, path: String = "",
  takesInput: Bool = true
) -> SequencerPort {
  SequencerPort(
    address: SequencerAddress(client: client, port: number), clientName: clientName,
    portName: portName, takesInput: takesInput, givesOutput: true, devicePath: path)
}

private let interface = (0..<4).map {
  port(24, UInt8($0), "UM-4", "UM-4 MIDI \($0 + 1)", path: "/usb/1-1")
}

@Suite struct PortPatterns {
  private let ports =
    interface + [
      port(14, 0, "Midi Through", "Midi Through Port-0"),
      port(20, 0, "USB Device 0x763:0x12", "MIDI 1", path: "/usb/1-2"),
      port(28, 0, "Keys", "Keys MIDI 1", path: "/usb/2-1"),
      port(29, 0, "Keys", "Keys MIDI 1", path: "/usb/1-9"),
      port(30, 0, "Sensor", "out", takesInput: false),
      port(128, 0, "Synth", "in"),
    ]

  private func addresses(_ pattern: String) -> [String] {
    var ordinals = DeviceOrdinals()
    ordinals.observe(ports)
    return PortPattern(pattern).matches(in: ports) { ordinals.ordinal(of: $0) }.map {
      "\($0.address)"
    }
  }

  @Test(
    "a pattern names a client's first port, any one port, or all of them",
    arguments: [
      ("UM-4", ["24:0"]),
      ("um-4", ["24:0"]),
      ("UM-*", ["24:0"]),
      ("UM-4:UM-4 MIDI 3", ["24:2"]),
      ("UM-4:MIDI 3", ["24:2"]),
      ("UM-4:2", ["24:2"]),
      ("UM-4:*", ["24:0", "24:1", "24:2", "24:3"]),
      ("UM-4:MIDI ?", ["24:0", "24:1", "24:2", "24:3"]),
      ("UM-4:MIDI 9", []),
      ("USB Device 0x763:0x12", ["20:0"]),
      ("USB Device 0x763:0x12:MIDI 1", ["20:0"]),
      ("Midi Through Port-0", ["14:0"]),
      ("UM-4 MIDI ?", ["24:0"]),
      ("128:0", ["128:0"]),
      ("Sensor", []),
      ("nobody", []),
      ("", []),
      (":", []),
      ("*#999999999999999999999", []),
    ])
  func names(pattern: String, expected: [String]) {
    #expect(addresses(pattern) == expected)
  }

  @Test("two equal devices are told apart by where they are plugged in")
  func equal() {
    // 29:0 is at 1-9, which comes before 2-1.
    #expect(addresses("Keys") == ["29:0"])
    #expect(addresses("Keys#1") == ["29:0"])
    #expect(addresses("Keys#2") == ["28:0"])
    #expect(addresses("Keys#2:*") == ["28:0"])
    #expect(addresses("Keys#3").isEmpty)
  }

  @Test("a device keeps its place in the order while its twin is away")
  func place() {
    let first = port(28, 0, "Keys", "MIDI 1", path: "/usb/1-1")
    let second = port(29, 0, "Keys", "MIDI 1", path: "/usb/1-2")
    var ordinals = DeviceOrdinals()
    ordinals.observe([first, second])
    ordinals.observe([second])
    #expect(ordinals.ordinal(of: second) == 2)
    var back = first
    back.address.client = 40
    ordinals.observe([second, back])
    #expect(ordinals.ordinal(of: back) == 1)
  }

  @Test("wildcards need no more than length times length steps")
  func glob() {
    let pattern = String(repeating: "*a", count: 60) + "*b"
    #expect(!NamePattern.matches(pattern, String(repeating: "a", count: 4000)))
    #expect(NamePattern.matches("a*c?e", "abbbcde"))
    #expect(NamePattern.matches("*", ""))
    #expect(!NamePattern.matches("?", ""))
  }
}

@Suite struct Connections {
  private let library = RecordingSequencer()
  private let own = SequencerAddress(client: 130, port: 0)
  private let connector: PortConnector

  init() throws {
    library.openResult = 129
    connector = try PortConnector(
      handle: SequencerHandle(name: "Tactus connections", library: library), ownClient: 130)
  }

  private func announce(_ kind: SequencerEvent.Kind) {
    library.incoming.append(
      .success(
        SequencerEvent(kind: kind, source: PortConnector.announcements, port: 0)))
  }

  @Test("a pattern that matches nothing waits, says so once, and is connected when it appears")
  func waits() {
    connector.connect("Clock", at: own, to: ["UM-4:MIDI 2"])
    #expect(connector.service() == [.waiting(port: "Clock", pattern: "UM-4:MIDI 2", present: [])])
    announce(.portAppeared(SequencerAddress(client: 77, port: 0)))
    #expect(connector.service().isEmpty)
    library.directory = interface
    announce(.portAppeared(interface[1].address))
    #expect(
      connector.service() == [
        .connected(
          port: "Clock", to: "UM-4:UM-4 MIDI 2", interface[1].address, isReturn: false)
      ])
    #expect(library.receivers(of: own) == [interface[1].address])
  }

  @Test("one that vanishes is reported, and connected again under another client number")
  func replug() {
    library.directory = [port(24, 0, "Drums", "MIDI 1", path: "/usb/1-1")]
    connector.connect("Clock", at: own, to: ["Drums"])
    _ = connector.service()
    library.directory = []
    library.connections = library.connections.filter { $0.from != own }
    announce(.portVanished(SequencerAddress(client: 24, port: 0)))
    announce(.clientVanished(client: 24))
    #expect(connector.service() == [.lost(port: "Clock", to: "Drums:MIDI 1")])
    library.directory = [port(36, 0, "Drums", "MIDI 1", path: "/usb/1-1")]
    announce(.portAppeared(SequencerAddress(client: 36, port: 0)))
    #expect(
      connector.service() == [
        .connected(
          port: "Clock", to: "Drums:MIDI 1", SequencerAddress(client: 36, port: 0),
          isReturn: true)
      ])
  }

  @Test(
    "a loss is told once, whichever of its announcements comes first", arguments: [true, false])
  func lossInEitherOrder(connectionEndsFirst: Bool) {
    let drums = port(24, 0, "Drums", "MIDI 1", path: "/usb/1-1")
    library.directory = [drums]
    connector.connect("Clock", at: own, to: ["Drums"])
    _ = connector.service()
    library.directory = []
    library.connections = []
    let end = SequencerEvent.Kind.disconnected(
      SequencerConnection(from: own, to: drums.address))
    let exit = SequencerEvent.Kind.portVanished(drums.address)
    // Each in a turn of its own.
    announce(connectionEndsFirst ? end : exit)
    var reports = connector.service()
    announce(connectionEndsFirst ? exit : end)
    reports += connector.service()
    #expect(reports == [.lost(port: "Clock", to: "Drums:MIDI 1")])
    library.directory = [drums]
    announce(.portAppeared(drums.address))
    #expect(
      connector.service() == [
        .connected(port: "Clock", to: "Drums:MIDI 1", drums.address, isReturn: true)
      ])
  }

  @Test("a pattern taken away ends its connection without a loss")
  func takenAway() {
    library.directory = [port(24, 0, "Drums", "MIDI 1")]
    connector.connect("Clock", at: own, to: ["Drums"])
    _ = connector.service()
    connector.connect("Clock", at: own, to: [])
    #expect(connector.service().isEmpty)
    #expect(library.receivers(of: own).isEmpty)
  }

  @Test("every port can be connected by the name it is listed with")
  func listed() {
    // Twins on two USB ports, and a driver that pads its names.
    let ports = [
      port(24, 0, "Drums ", "Drums MIDI 1  ", path: "/usb/1-2"),
      port(28, 0, "Drums ", "Drums MIDI 1  ", path: "/usb/1-1"),
      port(32, 0, " Keys", "Keys: MIDI 1", path: "/usb/1-3"),
    ]
    var ordinals = DeviceOrdinals()
    ordinals.observe(ports)
    let names = ports.map { ordinals.name(of: $0) }
    #expect(names == ["Drums#2:Drums MIDI 1", "Drums:Drums MIDI 1", "Keys:Keys: MIDI 1"])
    for (port, name) in zip(ports, names) {
      #expect(PortPattern(name).matches(in: ports) { ordinals.ordinal(of: $0) } == [port])
    }
  }

  @Test("a refused connection is told once, and tried again when the port comes anew")
  func refused() {
    let busy = port(24, 0, "Drums", "MIDI 1")
    library.directory = [busy]
    library.connectResults[SequencerConnection(from: own, to: busy.address)] = -16
    connector.connect("Clock", at: own, to: ["Drums"])
    guard case .failed(_, _, let error) = connector.service().first else {
      Issue.record("no failure was told")
      return
    }
    #expect(error.code == 16)
    announce(.portAppeared(busy.address))
    #expect(connector.service().isEmpty)
    library.connectResults = [:]
    announce(.portAppeared(busy.address))
    #expect(connector.service().count == 1)
    #expect(library.receivers(of: own) == [busy.address])
  }

  @Test("two of our ports into one receiver are told once with both names, whoever joined them")
  func shared() {
    let other = SequencerAddress(client: 130, port: 1)
    let drums = port(24, 0, "Drums", "MIDI 1")
    library.directory = [drums]
    connector.connect("A", at: own, to: ["Drums"])
    connector.connect("B", at: other, to: [])
    _ = connector.service()
    library.connections.insert(SequencerConnection(from: other, to: drums.address))
    announce(.connected(SequencerConnection(from: other, to: drums.address)))
    #expect(
      connector.service() == [
        .sharedReceiver("Drums:MIDI 1", first: "A", second: "B")
      ])
    announce(.portAppeared(drums.address))
    #expect(connector.service().isEmpty)
  }

  @Test("a second way round through a thru port is noticed, and our clock coming back in is")
  func through() {
    let thru = port(14, 0, "Midi Through", "Midi Through Port-0")
    let drums = port(24, 0, "Drums", "MIDI 1")
    let other = SequencerAddress(client: 130, port: 1)
    let sync = SequencerAddress(client: 130, port: 5)
    library.directory = [thru, drums]
    connector.watch(input: "Sync", at: sync)
    connector.connect("A", at: own, to: ["Drums"])
    connector.connect("B", at: other, to: ["Midi Through"])
    library.connections = [
      SequencerConnection(from: thru.address, to: drums.address),
      SequencerConnection(from: thru.address, to: sync),
    ]
    let reports = connector.service()
    #expect(reports.contains(.sharedReceiver("Drums:MIDI 1", first: "A", second: "B")))
    #expect(reports.contains(.echo(from: "B", into: "Sync")))
  }

  @Test("patterns that are no longer named lose their connections, the others keep theirs")
  func renamed() {
    let drums = port(24, 0, "Drums", "MIDI 1")
    let bass = port(25, 0, "Bass", "MIDI 1")
    library.directory = [drums, bass]
    connector.connect("Clock", at: own, to: ["Drums", "Bass"])
    _ = connector.service()
    connector.connect("Clock", at: own, to: ["Bass"])
    _ = connector.service()
    #expect(library.receivers(of: own) == [bass.address])
    #expect(library.calls.filter { $0 == "connect 130:0 25:0" }.count == 1)
  }
}
