import OSCProtocol
import OSCWire
import Testing

@testable import ControllerLayouts

@Suite("A layout for a tablet")
struct LayoutLaws {
  let surface = LayoutSurface.tactus

  @Test("sends nothing that the address table refuses")
  func everyMessageIsAccepted() throws {
    var sent = 0
    for control in surface.controls {
      for message in surface.messages(of: control) {
        #expect(throws: Never.self, "\(control.id): \(message)") {
          try OSCAddressTable.decode(message.message)
        }
        sent += 1
      }
    }
    for message in LayoutSurface.service(receivePort: 9000)
      + LayoutSurface.service(receivePort: nil)
    {
      #expect(throws: Never.self, "\(message)") { try OSCAddressTable.decode(message.message) }
    }
    // Both ends of every fader and toggle alone are more than this.
    #expect(sent > 100)
  }

  @Test("shows nothing that the address table does not send")
  func everythingShownIsSent() {
    for (path, arguments) in surface.received {
      let row = OSCAddressTable.row(for: "/tactus/\(path)")?.row
      #expect(row != nil, "\(path)")
      let sends: Set<OSCAddressRow.Access> = [.value, .report, .event]
      #expect(row.map { sends.contains($0.access) } == true, "\(path)")
      // A value has as many arguments as its longest form.
      if row?.access == .value {
        #expect((row?.forms.map(\.count).max() ?? 0) >= arguments, "\(path)")
      }
    }
  }

  @Test("names only addresses of the table in the generated files, scripts included")
  func filesNameOnlyKnownAddresses() {
    let files = [
      TouchOSCLayout.xml(surface, receivePort: 9000), OpenStageControlLayout.file(surface),
    ]
    for file in files {
      var addresses: Set<String> = []
      for part in file.split(separator: "/tactus/", omittingEmptySubsequences: false).dropFirst() {
        let path = part.prefix { $0.isLetter || $0 == "/" }
        if !path.isEmpty { addresses.insert("/tactus/\(path)") }
      }
      #expect(addresses.count > 40)
      for address in addresses {
        #expect(OSCAddressTable.row(for: address) != nil, "\(address)")
      }
    }
  }

  @Test("has a fader's range from the table")
  func fadersHaveTheTablesRange() {
    var faders: [String: ClosedRange<Double>] = [:]
    for control in surface.controls {
      if case .fader(let path, let range, _) = control.kind { faders[path] = range }
    }
    // Rows of the table: fader 0...1; swing 50...75 per cent. The tempo's 5...999 would be a beat
    // for each pixel: the fader has the part that people play.
    #expect(faders["volume"] == 0...1)
    #expect(faders["level/strong"] == 0...1)
    #expect(faders["swing"] == 50...75)
    #expect(faders["tempo"] == 40...240)
  }

  @Test("has no two touch targets over each other")
  func noOverlaps() {
    for page in surface.pages {
      let offset = LayoutSurface.pagerFrame.y + LayoutSurface.tabHeight
      let targets =
        surface.strip.flatMap { control in control.targets.map { (control.id, $0) } }
        + page.controls.flatMap { control in
          control.targets.map { frame in
            (control.id, LayoutFrame(frame.x, frame.y + offset, frame.width, frame.height))
          }
        }
      for (index, target) in targets.enumerated() {
        for other in targets[..<index] {
          #expect(!target.1.overlaps(other.1), "\(page.id): \(target.0) and \(other.0)")
        }
      }
    }
  }

  @Test("has nothing over anything else on its page, lamps and captions included")
  func controlsStandApart() {
    for controls in [surface.strip] + surface.pages.map(\.controls) {
      for (index, control) in controls.enumerated() {
        for other in controls[..<index] {
          #expect(!control.frame.overlaps(other.frame), "\(control.id) and \(other.id)")
        }
      }
    }
  }

  @Test("keeps every control on its page, and the strip off the pages")
  func everythingIsInside() {
    for control in surface.strip {
      #expect(LayoutSurface.frame.contains(control.frame), "\(control.id)")
      #expect(!control.frame.overlaps(LayoutSurface.pagerFrame), "\(control.id)")
    }
    for control in surface.pages.flatMap(\.controls) {
      #expect(LayoutSurface.pageFrame.contains(control.frame), "\(control.id)")
    }
  }

  @Test("has no target smaller than a thumb")
  func targetsAreLargeEnough() {
    for control in surface.controls {
      for target in control.targets {
        #expect(target.width >= 48 && target.height >= 48, "\(control.id): \(target)")
      }
    }
    #expect(LayoutSurface.tabHeight >= 48)
    // START, STOP and TAP are hit without looking: at least four times that in each direction.
    for control in surface.strip where ["start", "stop", "tap"].contains(control.id) {
      #expect(control.frame.width >= 188 && control.frame.height >= 188, "\(control.id)")
    }
  }

  @Test("has a name of its own for every control")
  func namesAreUnique() {
    let names = surface.controls.map(\.id) + surface.pages.map(\.id)
    #expect(Set(names).count == names.count)
    for name in names { #expect(name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }) }
  }

  @Test("reaches what a player needs")
  func contentsAreComplete() {
    var paths: Set<String> = []
    for control in surface.controls {
      for message in surface.messages(of: control) { paths.insert(message.path) }
    }
    let needed = [
      "start", "stop", "continue", "tap", "tempo", "tempo/nudge", "tempo/double", "tempo/half",
      "tempo/push", "tempo/pull", "ramp", "ramp/cancel", "meter", "pattern", "subdivision", "mute",
      "mute/bars", "mute/random", "mute/growing", "mute/off", "volume", "level/strong",
      "level/normal", "level/soft", "level/subdivision", "preset", "preset/next",
      "preset/previous", "timer", "timer/cancel", "countin",
    ]
    for path in needed { #expect(paths.contains(path), "\(path)") }
    #expect(surface.received.contains { $0.path == "preset/list" || $0.path == "preset" })
    #expect(surface.received.contains { $0.path == "ramp/progress" })
    #expect(surface.received.contains { $0.path == "beat" })
  }
}
