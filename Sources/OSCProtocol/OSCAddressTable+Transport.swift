internal import MetronomeModel

extension OSCAddressTable {
  static let transportRows: [OSCAddressRow] = [
    OSCAddressRow("start", .trigger, "Starts from bar 1, after the count-in if there is one.") {
      _ in .command(.start)
    },
    OSCAddressRow("stop", .trigger, urgent: true, "Stops at once; clicks that sound ring out.") {
      _ in .command(.stop)
    },
    OSCAddressRow("continue", .trigger, "Goes on from where Stop left it.") {
      _ in .command(.continue)
    },
    OSCAddressRow("toggle", .trigger, "Start when stopped, Stop when not.") {
      _ in .command(.toggle)
    },
    OSCAddressRow(
      "panic", .trigger, urgent: true, "Stop, notes off and silence, now."
    ) { _ in .command(.panic) },
    OSCAddressRow("rewind", .trigger, "Back to bar 1, while stopped.") { _ in .command(.rewind) },
    OSCAddressRow(
      "locate", .action,
      [
        [
          OSCArgument("bar", .integer(Limits.bars)),
          OSCArgument("beat", .integer(1...64), optional: true),
        ]
      ], "Where Continue goes on, while stopped; bar and beat count from 1."
    ) { .command(.locate(bar: $0.integer(0) ?? 1, beat: $0.integer(1) ?? 1)) },
    OSCAddressRow(
      "transport", .report, permission: .observe, "stopped, counting in or rolling."),
    OSCAddressRow(
      "position", .report, permission: .observe, "Bar and beat where Continue would go on."),
  ]

  static let tempoArgument = OSCArgument("tempo", .tempo, unit: "a minute")
  static let whenArgument = OSCArgument(
    "when", .word(ChangeBoundary.allCases.map(\.name)), optional: true)

  static let tempoRows: [OSCAddressRow] = [
    OSCAddressRow(
      "tempo", .value,
      [[tempoArgument, OSCArgument("unit", .noteValue, optional: true), whenArgument]],
      continuous: true,
      "Tempo in its unit (a quarter unless it says otherwise), from the next beat, bar or now.",
      make: tempo),
    OSCAddressRow(
      "tempo/nudge", .action,
      [[OSCArgument("difference", .number(-994...994), unit: "a minute", optional: true)]],
      "A little faster, or slower with a minus; 1 unless it says otherwise, 0 is a release."
    ) {
      let difference = $0.number(0) ?? Limits.nudge
      return difference == 0 ? .release : .command(.nudge(difference))
    },
    OSCAddressRow("tempo/double", .trigger, "Twice the tempo.") { _ in .command(.doubleTempo) },
    OSCAddressRow("tempo/half", .trigger, "Half the tempo.") { _ in .command(.halfTempo) },
    flag("tempo/push", "4 % faster while held, then the old tempo again.") { .push($0) },
    flag("tempo/pull", "4 % slower while held, then the old tempo again.") { .pull($0) },
    OSCAddressRow("tempo/resume", .trigger, "The tempo before the last change.") {
      _ in .command(.resumeTempo)
    },
    OSCAddressRow(
      "tempo/quarter", .report, permission: .observe,
      "Quarter notes a minute at this instant, also within a ramp."),
    OSCAddressRow("tap", .trigger, "A tap; the tempo follows from the third on.") { _ in .tap },
    flag("tap/phase", "Whether taps move the beat as well.") { .tapPhase($0) },
    OSCAddressRow(
      "tap/limit", .value,
      [[OSCArgument("seconds", .number(Limits.tapLimitSeconds), unit: "s")]],
      "After a longer gap a new series of taps begins."
    ) { .command(.tapLimit(seconds: $0.number(0) ?? 2)) },
    OSCAddressRow(
      "tap/unit", .value, [[OSCArgument("unit", .word(TapUnit.words))]],
      "What one tap is: a beat of the meter, or a note value."
    ) { .command(.tapUnit(TapUnit(text: $0.text(0) ?? "") ?? .beat)) },
  ]

  /// A value that is on or off.
  static func flag(
    _ path: String, _ documentation: String, urgent: Bool = false,
    make: @escaping @Sendable (Bool) -> ControlCommand
  ) -> OSCAddressRow {
    OSCAddressRow(
      path, .value, [[OSCArgument("on", .flag)]], urgent: urgent, documentation
    ) { .command(make($0.flag(0) ?? false)) }
  }
}
