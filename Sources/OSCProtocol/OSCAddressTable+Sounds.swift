internal import MetronomeModel

extension OSCAddressTable {
  private static func level(
    _ path: String, _ documentation: String,
    make: @escaping @Sendable (Double) -> ControlCommand
  ) -> [OSCAddressRow] {
    [
      OSCAddressRow(
        path, .value, [[OSCArgument("fader", .number(0...1))]], continuous: true,
        "\(documentation): fader with gain x^3; 0 is silence, 1 is 0 dB."
      ) { .command(make(FaderLaw.decibels(fader: $0.number(0) ?? 0))) },
      OSCAddressRow(
        "\(path)/db", .value,
        [[OSCArgument("decibels", .number(Limits.gainDecibels), unit: "dB")]], continuous: true,
        "\(documentation), in decibels; the lowest is silence."
      ) {
        // The lowest is told of silence, and is silence.
        let decibels = $0.number(0) ?? 0
        return .command(make(decibels > Limits.gainDecibels.lowerBound ? decibels : -.infinity))
      },
    ]
  }

  private static let targets = ControlCommand.SoundTarget.allCases

  static let soundRows: [OSCAddressRow] =
    level("volume", "The level of everything") { .volume(decibels: $0) }
    + targets.flatMap { target in
      level("level/\(target.rawValue)", "The level of \(words(target))") {
        .level(target, decibels: $0)
      }
    }
    + targets.map { target in
      OSCAddressRow(
        "sound/\(target.rawValue)", .value, [[OSCArgument("name", .name)]],
        "The sound of \(words(target)): built in, or a file of the sound folder."
      ) { .command(.sound(target, name: $0.text(0) ?? "")) }
    }
    + targets.map { target in
      OSCAddressRow(
        "pitch/\(target.rawValue)", .value,
        [[OSCArgument("semitones", .number(-24...24), unit: "semitones")]], continuous: true,
        "How much higher \(words(target)) sounds."
      ) { .command(.pitch(target, semitones: $0.number(0) ?? 0)) }
    }
    + targets.map { target in
      OSCAddressRow(
        "route/\(target.rawValue)", .value,
        [
          (1...8).map {
            OSCArgument("channel", .integer(1...64), optional: $0 > 1)
          }
        ], "Output channels of \(words(target)), from 1."
      ) { arguments in
        .command(.route(target, channels: (0..<8).compactMap { arguments.integer($0) }))
      }
    }
    + [
      OSCAddressRow(
        "sound/beats", .value,
        [
          (1...Limits.beatSounds.upperBound).map {
            OSCArgument("name", .text(OSCArgument.maximumNameLength), optional: $0 > 1)
          }
        ], "A sound for each beat of the bar, such as a spoken count; - is the level's own."
      ) { arguments in
        .command(
          .beatSounds((0..<Limits.beatSounds.upperBound).compactMap { arguments.text($0) }))
      },
      OSCAddressRow(
        "analogsync", .value,
        [
          [
            OSCArgument("pulses", .word(["0", "1", "2", "4", "24", "48"]), unit: "a quarter"),
            OSCArgument("channel", .integer(1...64), optional: true),
          ]
        ], "Pulses for gear with an analog sync input, and their output channel; 0 turns it off."
      ) {
        .command(.analogSync(perQuarter: Int($0.text(0) ?? "") ?? 0, channel: $0.integer(1)))
      },
    ]

  private static func words(_ target: ControlCommand.SoundTarget) -> String {
    switch target {
    case .strong: "strong beats"
    case .normal: "normal beats"
    case .soft: "soft beats"
    case .subdivision: "subdivisions"
    case .layer: "the second layer"
    case .countin: "the count-in"
    case .timer: "the practice timer's end"
    case .sync: "the analog sync pulse"
    }
  }
}
