internal import MetronomeModel
internal import OSCWire

extension OSCAddressTable {
  private static func takes(_ count: Int, optional: Bool) -> [OSCArgument] {
    (1...count).map {
      OSCArgument(optional ? "layer" : "take", .name, optional: optional || $0 > 1)
    }
  }

  private static func names(_ arguments: OSCArguments, from first: Int) -> [String] {
    (first..<(first + ListenRequest.mostLayers)).compactMap { arguments.text($0) }
  }

  static let takeRows: [OSCAddressRow] = [
    OSCAddressRow(
      "take", .report, permission: .observe,
      "What the microphone is doing (idle, opening, recording, finishing, playing, calibrating) and the take's name."
    ),
    OSCAddressRow(
      "take/start", .action,
      [
        [OSCArgument("name", .any, optional: true)]
          + takes(ListenRequest.mostLayers, optional: true)
      ], permission: .admin,
      "Records, and starts the metronome where it stands; earlier takes named as layers play along, aligned. Without a name it gets date and time.",
      make: startTake),
    OSCAddressRow(
      "take/stop", .trigger, permission: .admin, "Completes the take, or ends the ones that play."
    ) { _ in .command(.listen(.stopTake)) },
    OSCAddressRow(
      "take/discard", .trigger, permission: .admin, "Ends the take and deletes it."
    ) { _ in .command(.listen(.discardTake)) },
    OSCAddressRow(
      "take/play", .action, [takes(ListenRequest.mostLayers, optional: false)],
      permission: .admin,
      "Starts the metronome at the tempo of the first take and plays up to three of them aligned to it."
    ) { .command(.listen(.playTakes(names($0, from: 0)))) },
    OSCAddressRow(
      "take/list", .report, permission: .observe, "Names of the newest 200 takes."
    ) { _ in .information(.takes) },
    OSCAddressRow(
      "take/level", .report, permission: .observe,
      "While recording, ten times a second: peak in dB of full scale, clipped samples so far, seconds."
    ),
    OSCAddressRow(
      "take/ended", .event, permission: .observe,
      "Name and reason of a take that ended by itself: a full disk, a lost microphone."),
    OSCAddressRow(
      "calibrate", .action,
      [
        [
          OSCArgument("count", .any, optional: true),
          OSCArgument(
            "spacing", .number(CalibrationOrder.spacingRange), unit: "s", optional: true),
          OSCArgument(
            "input", .number(-1...CalibrationOrder.inputRange.upperBound), unit: "ms",
            optional: true),
          OSCArgument("cable", .flag, optional: true),
          OSCArgument("force", .flag, optional: true),
          OSCArgument("opens", .integer(CalibrationOrder.opensRange), optional: true),
        ]
      ], permission: .admin,
      "Measures the latency by sweeps: how many count, seconds between them, the input's own share (-1: assumed), by cable, whatever speaks against the input, with the input opened anew so many times.",
      make: calibrate),
    OSCAddressRow("calibrate/cancel", .trigger, permission: .admin, "Ends a calibration.") { _ in
      .command(.listen(.cancelCalibration))
    },
    OSCAddressRow(
      "calibrate/progress", .event, permission: .observe,
      "Sweeps done, sweeps in all, and what is being done."),
    OSCAddressRow(
      "calibrate/result", .event, permission: .observe,
      "Answer (it begins with aligned), advice, verdict, round trip and input share in ms, spread in ms, sweeps that agree, sweeps, spread of the opens in ms, drift in ppm."
    ),
    OSCAddressRow(
      "calibrate/failed", .event, permission: .observe, "Why a calibration came to no result."),
    OSCAddressRow(
      "calibrate/list", .report, permission: .observe, "What was measured, one line a route."
    ) { _ in .information(.calibrations) },
    OSCAddressRow(
      "calibrate/forget", .action,
      [[OSCArgument("number", .integer(0...200))]], permission: .admin,
      "Forgets a result by its number in calibrate/list; 0 forgets all."
    ) { .command(.listen(.forgetCalibration($0.integer(0) ?? 0))) },
    OSCAddressRow(
      "latency", .report, permission: .observe,
      "The measured output latency that clock and beats are moved by and the round trip, in ms, the verdict, and whether it holds: valid, stale, unknown."
    ),
  ]

  /// A button's 1 names no take, and its 0 is a release.
  @Sendable private static func startTake(
    _ arguments: OSCArguments
  ) throws(OSCRefusal) -> OSCIntent {
    var name: String?
    if let given = arguments.value(0) {
      if let number = given.number, given.text == nil {
        if number == 0 { return .release }
        name = number == 1 ? nil : NumberText.text(number)
      } else if let text = given.text, !text.isEmpty {
        guard OSCArgument.isSafeName(text) else {
          throw OSCRefusal(
            .range,
            "name \(given.display) is no name: at most \(OSCArgument.maximumNameLength) bytes, no '/' "
              + "and no leading '.'")
        }
        name = text
      }
    }
    return .command(.listen(.startTake(name: name, layers: names(arguments, from: 1))))
  }

  @Sendable private static func calibrate(
    _ arguments: OSCArguments
  ) throws(OSCRefusal) -> OSCIntent {
    var order = CalibrationOrder(
      spacingSeconds: arguments.number(1) ?? 1,
      inputMilliseconds: arguments.number(2).flatMap { $0 < 0 ? nil : $0 },
      isCable: arguments.flag(3) ?? false, isForced: arguments.flag(4) ?? false,
      opens: arguments.integer(5) ?? 1)
    if let given = arguments.value(0) {
      guard let number = given.number else {
        throw OSCRefusal(.malformed, "count \(given.display) cannot be read: 8 to 64 sweeps count")
      }
      if number == 0 { return .release }
      if number != 1 {
        guard let count = Int(exactly: number), CalibrationOrder.countRange.contains(count) else {
          throw OSCRefusal(.range, "count \(given.display) is outside 8 to 64")
        }
        order.count = count
      }
    }
    return .command(.listen(.calibrate(order)))
  }
}
