internal import MetronomeModel
internal import OSCWire

extension OSCAddressTable {
  static let practiceRows: [OSCAddressRow] = [
    OSCAddressRow(
      "countin", .value, [[OSCArgument("bars", .integer(Limits.countInBars), unit: "bars")]],
      "Bars counted before bar 1; 0 is none."
    ) { .command(.countIn(bars: $0.integer(0) ?? 0)) },
    flag("countin/mute", "Whether the count-in is silent.") { .countInMute($0) },
    OSCAddressRow(
      "timer", .value,
      [[OSCArgument("minutes", .number(0...Limits.timerMinutes.upperBound), unit: "minutes")]],
      "Practice timer: 1 to 180 minutes of playing, to the next bar line; 0 ends it."
    ) { (arguments) throws(OSCRefusal) in
      let minutes = arguments.number(0) ?? 1
      guard minutes > 0 else { return .command(.cancelTimer) }
      guard Limits.timerMinutes.contains(minutes) else {
        throw OSCRefusal(
          .range,
          "minutes \(NumberText.text(minutes)) is outside 0 (off) and \(NumberText.text(Limits.timerMinutes)) minutes"
        )
      }
      return .command(.timer(minutes: minutes))
    },
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

  /// Told while there is none.
  private static func isNone(_ arguments: OSCArguments) -> Bool { arguments.text(0) == "" }

  static let presetRows: [OSCAddressRow] = [
    OSCAddressRow(
      "preset", .value, [[nameOrNumber]],
      "Loads a preset by its name or number; an empty name forgets which one was loaded."
    ) { isNone($0) ? .command(.endPreset) : .command(.preset(nameOrNumber($0))) },
    OSCAddressRow("preset/next", .trigger, "The next preset of the setlist, or of all.") { _ in
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
    OSCAddressRow(
      "setlist", .value, [[nameOrNumber]],
      "Loads a setlist by its name or number; an empty name leaves it."
    ) { isNone($0) ? .command(.endSetlist) : .command(.setlist(nameOrNumber($0))) },
    OSCAddressRow("setlist/list", .report, permission: .observe, "The names of the setlists.") {
      _ in .information(.setlists)
    },
    OSCAddressRow(
      "setlist/items", .report, permission: .observe,
      "What the setlist in force holds, in its order."
    ) { _ in .information(.entries) },
    OSCAddressRow(
      "map/load", .action, [[OSCArgument("name", .name)]],
      "Loads a tempo map: a song of sections."
    ) { .command(.loadMap(name: $0.text(0) ?? "")) },
    OSCAddressRow("map/list", .report, permission: .observe, "The names of the songs.") {
      _ in .information(.songs)
    },
    OSCAddressRow("map/clear", .trigger, "Leaves the song.") { _ in .command(.clearMap) },
    OSCAddressRow(
      "section", .value, [[OSCArgument("label", .labelOrNumber)]],
      "Jumps to a section by its label or number, at the next bar line; 0 leaves the song."
    ) {
      $0.integer(0) == 0 || $0.text(0) == "0"
        ? .command(.clearMap) : .command(.section(nameOrNumber($0)))
    },
    OSCAddressRow("section/list", .report, permission: .observe, "The labels of the sections.") {
      _ in .information(.sections)
    },
  ]
}
