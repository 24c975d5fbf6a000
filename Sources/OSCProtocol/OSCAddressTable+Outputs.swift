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
