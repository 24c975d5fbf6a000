internal import MetronomeModel

extension OSCAddressTable {
  private static func midi(
    _ path: String, _ argument: OSCArgument, permission: OSCAddressRow.Permission = .play,
    access: OSCAddressRow.Access = .value, continuous: Bool = false, _ documentation: String,
    make: @escaping @Sendable (OSCArguments) -> ControlCommand.MIDIPortSetting
  ) -> OSCAddressRow {
    OSCAddressRow(
      "midi/<port>/\(path)", access, [[argument]], permission: permission,
      continuous: continuous, documentation
    ) { .command(.midi(port: $0.port, make($0))) }
  }

  private static let offset = OSCArgument.Kind.number(Limits.eventOffsetMilliseconds)
  private static let client = OSCArgument("name", .text(OSCArgument.maximumNameLength))

  static let outputRows: [OSCAddressRow] = [
    midi(
      "offset", OSCArgument("milliseconds", offset, unit: "ms"), continuous: true,
      "Moves this port's clock against the click; minus is earlier."
    ) { .offset(milliseconds: $0.number(0) ?? 0) },
    midi(
      "clock", OSCArgument("mode", .word(["off", "rolling", "always"])),
      "When this port sends clock pulses."
    ) { .clock(MIDIClockMode(rawValue: $0.text(0) ?? "") ?? .rolling) },
    midi("transport", OSCArgument("on", .flag), "Whether this port sends start and stop.") {
      .transport($0.flag(0) ?? true)
    },
    midi(
      "songposition", OSCArgument("on", .flag), "Whether this port sends the song position."
    ) { .songPosition($0.flag(0) ?? true) },
    midi("notes", OSCArgument("on", .flag), "Whether this port sends a note on each beat.") {
      .beatNotes($0.flag(0) ?? true)
    },
    midi(
      "connect", client, permission: .admin, access: .action,
      "Connects this port: Client, Client:Port or Client:*."
    ) { .connect(name: $0.text(0) ?? "") },
    midi(
      "disconnect", client, permission: .admin, access: .action,
      "Takes a connection of this port back."
    ) { .disconnect(name: $0.text(0) ?? "") },
    OSCAddressRow(
      "midi/learn", .action,
      [
        [
          OSCArgument("action", .text(OSCArgument.maximumNameLength)),
          OSCArgument("seconds", .integer(Limits.learnSeconds), unit: "s", optional: true),
        ]
      ], permission: .admin,
      "Binds what is played next on a pedal, pad or key, within 30 s, to an action: tap, or a command."
    ) { .command(.learn(action: $0.text(0) ?? "", seconds: $0.integer(1) ?? 30)) },
    OSCAddressRow(
      "follow", .value, [[OSCArgument("source", .text(OSCArgument.maximumNameLength))]],
      permission: .admin,
      "Whose MIDI clock is followed: off, on for what is connected to Sync, or Client:Port."
    ) { .command(.follow(FollowSource(text: $0.text(0) ?? ""))) },
    OSCAddressRow(
      "link", .value, [[OSCArgument("mode", .word(LinkMode.allCases.map(\.rawValue)))]],
      permission: .admin,
      "Takes part in a session of Ableton Link: follow it, be a peer of it, or lead it."
    ) { .command(.link(LinkMode(rawValue: $0.text(0) ?? "") ?? .off)) },
    OSCAddressRow(
      "link/sync", .value, [[OSCArgument("on", .flag)]], permission: .admin,
      "Whether start and stop are shared with the session."
    ) { .command(.linkSync($0.flag(0) ?? true)) },
    OSCAddressRow(
      "link/quantum", .value,
      [
        [OSCArgument("quantum", .text(16))],
        [OSCArgument("quarters", .number(Limits.linkQuarters), unit: "quarters")],
      ], permission: .admin,
      "Where phase begins anew in the session: bar, or after so many quarters."
    ) { arguments throws(OSCRefusal) -> OSCIntent in
      let quantum =
        arguments.number(0).map { LinkQuantum.quarters($0) }
        ?? arguments.text(0).flatMap { LinkQuantum(text: $0) }
      guard let quantum else {
        throw OSCRefusal(
          .range,
          "link/quantum '\(arguments.text(0) ?? "")' is not possible: allowed are bar, or "
            + "\(Limits.linkQuarters.lowerBound) to \(Limits.linkQuarters.upperBound) quarters")
      }
      return .command(.linkQuantum(quantum))
    },
    OSCAddressRow(
      "link/status", .report, permission: .observe,
      "Others in the session, its tempo, milliseconds by which our beat is early against it."),
    OSCAddressRow("midi/learn/cancel", .trigger, permission: .admin, "Ends a learn.") { _ in
      .command(.cancelLearning)
    },
    OSCAddressRow(
      "midi/forget", .action, [[OSCArgument("trigger", .text(OSCArgument.maximumNameLength))]],
      permission: .admin, "Forgets what was learned for a trigger such as note 36, or for all."
    ) { .command(.forget(trigger: $0.text(0) ?? "")) },
    OSCAddressRow(
      "midi/learned/list", .report, permission: .observe,
      "What was learned: trigger and action in turn."
    ) { _ in .information(.learned) },
    OSCAddressRow(
      "midi/learned", .event, permission: .observe, "What was played and what it does now."),
    OSCAddressRow(
      "offset/audio", .value,
      [[OSCArgument("milliseconds", .number(Limits.audioOffsetMilliseconds), unit: "ms")]],
      continuous: true, "Makes the clicks later."
    ) { .command(.audioOffset(milliseconds: $0.number(0) ?? 0)) },
    OSCAddressRow(
      "offset/beats", .value, [[OSCArgument("milliseconds", offset, unit: "ms")]],
      continuous: true, "Moves the beat events against the click; minus is earlier."
    ) { .command(.beatOffset(milliseconds: $0.number(0) ?? 0)) },
  ]
}
