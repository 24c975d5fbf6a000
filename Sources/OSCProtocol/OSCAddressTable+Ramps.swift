internal import OSCWire
internal import MetronomeModel
internal import MusicalTime

extension OSCAddressTable {
  /// Judges the tempo where its unit is named; without one the unit in force decides.
  @Sendable static func tempo(_ arguments: OSCArguments) throws(OSCRefusal) -> OSCIntent {
    let value = arguments.number(0) ?? 0
    let unit = arguments.text(1).flatMap { NoteValue(text: $0) }
    if let unit, Tempo(value, unit: unit) == nil {
      throw OSCRefusal(
        .range,
        "tempo \(NumberText.text(value)) of \(unit) is outside \(tempoArgument.rangeText)")
    }
    let when = arguments.text(2).flatMap { ChangeBoundary(name: $0) }
    return .command(.tempo(value, unit: unit, when: when ?? .beat))
  }

  private static let from = OSCArgument("from", .tempo, unit: "a minute")
  private static let to = OSCArgument("to", .tempo, unit: "a minute")
  private static let step = OSCArgument(
    "step", .number(0.001...994), unit: "a minute", optional: true)
  private static let seconds = OSCArgument("seconds", .number(Limits.rampSeconds), unit: "s")
  private static let bars = OSCArgument("bars", .integer(Limits.bars), unit: "bars")

  private static func trainer(
    _ arguments: OSCArguments, _ share: SpeedTrainer.Share
  ) throws(OSCRefusal) -> OSCIntent {
    let from = arguments.number(0) ?? 0
    let to = arguments.number(1) ?? 0
    try refuseEqual(from, to)
    return .command(
      .trainer(from: from, to: to, step: arguments.number(3) ?? Limits.trainerStep, share: share))
  }

  private static func glide(
    _ arguments: OSCArguments, _ length: GlideRamp.Length
  ) throws(OSCRefusal) -> OSCIntent {
    let from = arguments.number(0) ?? 0
    let to = arguments.number(1) ?? 0
    try refuseEqual(from, to)
    let when = arguments.text(3).flatMap { ChangeBoundary(name: $0) } ?? .bar
    return .command(.glide(from: from, to: to, length: length, when: when))
  }

  private static func refuseEqual(_ from: Double, _ to: Double) throws(OSCRefusal) {
    if from == to {
      throw OSCRefusal(
        .range, "from and to are both \(NumberText.text(from)): a ramp needs two tempos")
    }
  }

  static let rampRows: [OSCAddressRow] = [
    OSCAddressRow(
      "ramp", .action, [[from, to, seconds, step]],
      "Speed trainer: steps from one tempo to another within so many seconds."
    ) { (arguments) throws(OSCRefusal) in
      try trainer(arguments, .totalMilliseconds(milliseconds(arguments.number(2))))
    },
    OSCAddressRow(
      "ramp/every", .action, [[from, to, seconds, step]],
      "Speed trainer: so many seconds for each step."
    ) { (arguments) throws(OSCRefusal) in
      try trainer(arguments, .millisecondsPerLevel(milliseconds(arguments.number(2))))
    },
    OSCAddressRow(
      "ramp/bars", .action, [[from, to, bars, step]],
      "Speed trainer: so many bars for each step."
    ) { (arguments) throws(OSCRefusal) in
      try trainer(arguments, .barsPerLevel(Int32(arguments.integer(2) ?? 1)))
    },
    OSCAddressRow(
      "ramp/glide", .action, [[from, to, seconds, whenArgument]],
      "Glides evenly in time over so many seconds."
    ) { (arguments) throws(OSCRefusal) in
      try glide(arguments, .seconds(arguments.number(2) ?? 1))
    },
    OSCAddressRow(
      "ramp/glide/bars", .action, [[from, to, bars, whenArgument]],
      "Glides evenly over so many bars and ends on the bar line."
    ) { (arguments) throws(OSCRefusal) in
      try glide(arguments, .bars(Int32(arguments.integer(2) ?? 1)))
    },
    OSCAddressRow("ramp/cancel", .trigger, "Ends the ramp and keeps the tempo it has reached.") {
      _ in .command(.cancelRamp)
    },
    OSCAddressRow(
      "ramp/end", .value,
      [[OSCArgument("end", .word(["hold", "stop", "loop", "return"]))]],
      "What the speed trainer does after its last step."
    ) {
      switch $0.text(0) {
      case "stop": .command(.trainerEnd(.stop))
      case "loop": .command(.trainerEnd(.loop))
      case "return": .command(.trainerEnd(.return))
      default: .command(.trainerEnd(.hold))
      }
    },
    OSCAddressRow(
      "ramp/progress", .report, permission: .observe,
      "Tempo now, step k, of n, fraction done, seconds left."),
  ]

  private static func milliseconds(_ seconds: Double?) -> Int64 {
    Int64(((seconds ?? 0) * 1000).rounded())
  }
}
