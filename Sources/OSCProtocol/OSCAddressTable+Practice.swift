internal import MetronomeModel

extension OSCAddressTable {
  static let practiceRows: [OSCAddressRow] = [
    OSCAddressRow(
      "countin", .value, [[OSCArgument("bars", .integer(Limits.countInBars), unit: "bars")]],
      "Bars counted before bar 1; 0 is none."
    ) { .command(.countIn(bars: $0.integer(0) ?? 0)) },
    flag("countin/mute", "Whether the count-in is silent.") { .countInMute($0) },
    OSCAddressRow(
      "timer", .value,
      [[OSCArgument("minutes", .number(Limits.timerMinutes), unit: "minutes")]],
      "Practice timer: minutes of playing, to the next bar line."
    ) { .command(.timer(minutes: $0.number(0) ?? 1)) },
    flag("timer/stops", "Whether the end of the timer stops the metronome.") { .timerStops($0) },
    OSCAddressRow("timer/cancel", .trigger, "Ends the practice timer.") { _ in
      .command(.cancelTimer)
    },
    OSCAddressRow(
      "timer/progress", .report, permission: .observe, "Seconds played, seconds left."),
    OSCAddressRow("timer/end", .event, permission: .observe, "The practice timer has ended."),
  ]

  private static func nameOrNumber(_ arguments: OSCArguments) -> NameOrNumber {
    if let number = arguments.integer(0) { return .number(number) }
    return .name(arguments.text(0) ?? "")
  }

  private static let nameOrNumber = OSCArgument("name", .nameOrNumber)

  static let presetRows: [OSCAddressRow] = [
    OSCAddressRow("preset", .value, [[nameOrNumber]], "Loads a preset by its name or number.") {
      .command(.preset(nameOrNumber($0)))
    },
    OSCAddressRow("preset/next", .trigger, "The next preset of the setlist.") { _ in
      .command(.nextPreset)
    },
    OSCAddressRow("preset/previous", .trigger, "The preset before.") { _ in
      .command(.previousPreset)
    },
    OSCAddressRow(
      "preset/save", .action, [[OSCArgument("name", .name)]], permission: .admin,
      "Saves everything under a name."
    ) { .command(.savePreset(name: $0.text(0) ?? "")) },
    OSCAddressRow("preset/list", .report, permission: .observe, "The names of the presets.") {
      _ in .information(.presets)
    },
    OSCAddressRow("setlist", .value, [[nameOrNumber]], "Loads a setlist by its name or number.") {
      .command(.setlist(nameOrNumber($0)))
    },
    OSCAddressRow("setlist/list", .report, permission: .observe, "The names of the setlists.") {
      _ in .information(.setlists)
    },
    OSCAddressRow(
      "map/load", .action, [[OSCArgument("name", .name)]],
      "Loads a tempo map: a song of sections."
    ) { .command(.loadMap(name: $0.text(0) ?? "")) },
    OSCAddressRow("map/clear", .trigger, "Leaves the song.") { _ in .command(.clearMap) },
    OSCAddressRow(
      "section", .value, [[nameOrNumber]],
      "Jumps to a section by its label or number, at the next bar line."
    ) { .command(.section(nameOrNumber($0))) },
    OSCAddressRow("section/list", .report, permission: .observe, "The labels of the sections.") {
      _ in .information(.sections)
    },
  ]
}
