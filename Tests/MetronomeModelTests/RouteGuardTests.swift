import MetronomeModel
import Testing

/// The table of what makes a measured latency stale.
@Suite("Whether a latency still belongs to its route")
struct RouteGuardTests {
  static let output = AudioRoute.End(
    device: "hw:CARD=USB", card: "USB", rate: 48_000, periodFrames: 240, channels: 2)
  static let input = AudioRoute.End(
    device: "hw:CARD=Mic", card: "Mic", rate: 48_000, periodFrames: 480, channels: 1)
  static let route = AudioRoute(output: output, input: input)

  static func changed(_ change: (inout AudioRoute) -> Void) -> AudioRoute {
    var route = Self.route
    change(&route)
    return route
  }

  static let rows: [(String, AudioRoute)] = [
    ("another output", changed { $0.output.device = "default" }),
    ("another card behind the same name", changed { $0.output.card = "HDMI" }),
    ("another rate of the output", changed { $0.output.rate = 44_100 }),
    ("another period", changed { $0.output.periodFrames = 480 }),
    ("other channels", changed { $0.output.channels = 8 }),
    ("another input", changed { $0.input.device = "hw:CARD=Cam" }),
    ("another rate of the input", changed { $0.input.rate = 44_100 }),
  ]

  @Test("each change of the route is reported once, at once, with its reason", arguments: rows)
  func changes(row: (String, AudioRoute)) {
    var routes = RouteGuard()
    #expect(routes.handle(.measured(Self.route)) == .valid)
    #expect(routes.handle(.seen(Self.route)) == nil)
    guard case .stale(let reason)? = routes.handle(.seen(row.1)) else {
      Issue.record("\(row.0) is not reported")
      return
    }
    #expect(!reason.isEmpty)
    for _ in 0..<3 { #expect(routes.handle(.seen(row.1)) == nil, "\(row.0)") }
    // The old route again, with no card away: what was measured holds.
    #expect(routes.handle(.seen(Self.route)) == .valid)
  }

  @Test("a card that was away and is back is stale until it is measured again, by poll or by event")
  func unplugged() {
    for events: [RouteGuard.Event] in [
      [.seen(nil), .seen(Self.route)], [.returned], [.seen(nil), .returned, .seen(Self.route)],
      [.returned, .seen(nil), .seen(nil), .seen(Self.route)],
    ] {
      var routes = RouteGuard()
      _ = routes.handle(.measured(Self.route))
      let reports = events.compactMap { routes.handle($0) }
      #expect(reports == [.stale("the card was away and is back")], "\(events)")
      #expect(routes.handle(.seen(Self.route)) == nil)
      #expect(routes.handle(.measured(Self.route)) == .valid)
    }
  }

  @Test("without a measurement nothing is stale")
  func unknown() {
    var routes = RouteGuard()
    #expect(routes.handle(.seen(Self.route)) == nil)
    #expect(routes.handle(.seen(nil)) == nil)
    #expect(routes.handle(.returned) == nil)
    #expect(routes.standing == .unknown)
    _ = routes.handle(.measured(Self.route))
    #expect(routes.handle(.forgotten) == .unknown)
    #expect(routes.handle(.seen(Self.changed { $0.output.rate = 96_000 })) == nil)
  }

  @Test("a headset's own microphone is known by its address, a monitor by its name")
  func inputs() {
    func route(_ output: String, _ input: String) -> AudioRoute {
      Self.changed {
        $0.output.device = output
        $0.input.device = input
      }
    }
    let headset = "bluealsa:DEV=00:1B:66:aa:bb:cc,PROFILE=a2dp"
    #expect(route(headset, "bluez_input.00_1B_66_AA_BB_CC.0").isOneHeadset)
    #expect(!route(headset, "bluez_input.00_1B_66_AA_BB_CD.0").isOneHeadset)
    #expect(!route("hw:CARD=USB", "hw:CARD=USB").isOneHeadset)
    #expect(!route("hw:0,0", "hw:0,0").isOneHeadset)
    #expect(route("default", "alsa_output.pci.Monitor").isMonitor)
    #expect(!route("default", "hw:CARD=Mic").isMonitor)
  }

  @Test("the input's share is given, half of a cable, or half and at most 2 ms")
  func share() {
    #expect(CalibrationOrder(inputMilliseconds: 7).inputShare(ofRoundTrip: 200) == 7)
    #expect(CalibrationOrder(isCable: true).inputShare(ofRoundTrip: 9) == 4.5)
    #expect(CalibrationOrder().inputShare(ofRoundTrip: 3) == 1.5)
    #expect(CalibrationOrder().inputShare(ofRoundTrip: 200) == 2)
    #expect(CalibrationOrder().inputShare(ofRoundTrip: -1) == 0)
  }
}
