internal import MetronomeModel
internal import MusicalTime

extension OSCAddressTable {
  static let clickRows: [OSCAddressRow] = [
    OSCAddressRow(
      "meter", .value,
      [
        [OSCArgument("meter", .meter)],
        [
          OSCArgument("beats", .integer(1...Meter.maximumBeats)),
          OSCArgument("unit", .integer(1...32)),
        ],
      ], "Meter from the next bar: 7/8, 2+2+3/8, 6/8. for two dotted quarters, or two numbers.",
      make: meter),
    OSCAddressRow(
      "pattern", .value, [[OSCArgument("pattern", .text(Meter.maximumBeats))]],
      "One letter for each beat of the bar: X strong, x normal, - soft, . silent."
    ) { .command(.pattern($0.text(0) ?? "")) },
    OSCAddressRow(
      "subdivision", .value,
      [[OSCArgument("clicks", .integer(Limits.subdivision), unit: "a beat")]],
      "Clicks a beat."
    ) { .command(.subdivision($0.integer(0) ?? 1)) },
    OSCAddressRow(
      "subdivision/level", .value,
      [[OSCArgument("level", .word(["silent", "soft", "normal", "strong"]))]],
      "How strongly the clicks between the beats are played."
    ) { .command(.subdivisionLevel(accent($0.text(0)))) },
    OSCAddressRow(
      "swing", .value,
      [
        [OSCArgument("percent", .number(Limits.swingPercent), unit: "%")],
        [OSCArgument("name", .word(["straight", "triplet"]))],
      ], continuous: true,
      "The share of the first click of each pair; acts on even subdivisions."
    ) {
      guard let percent = $0.number(0) else {
        return .command(.swing($0.text(0) == "triplet" ? .triplet : .straight))
      }
      return .command(.swing(.percentHundredths(Int32((percent * 100).rounded()))))
    },
    OSCAddressRow(
      "layer", .value,
      [[OSCArgument("clicks", .integer(0...Limits.layer.upperBound), unit: "a bar")]],
      "A second layer of so many clicks against the bar; 0 turns it off."
    ) { (arguments) throws(OSCRefusal) in
      let clicks = arguments.integer(0) ?? 0
      guard clicks == 0 || Limits.layer.contains(clicks) else {
        throw OSCRefusal(
          .range,
          "clicks \(clicks) is outside 0 (off) and \(Limits.layer.lowerBound) to \(Limits.layer.upperBound) a bar"
        )
      }
      return .command(.layer(clicks))
    },
  ]

  @Sendable private static func meter(
    _ arguments: OSCArguments
  ) throws(OSCRefusal) -> OSCIntent {
    do throws(MeterError) {
      if arguments.form == 1 {
        let beats = arguments.integer(0) ?? 0
        return .command(.meter(try Meter(beats, arguments.integer(1) ?? 0)))
      }
      return .command(.meter(try Meter(text: arguments.text(0) ?? "")))
    } catch {
      throw OSCRefusal(.range, error.description)
    }
  }

  static func accent(_ name: String?) -> Accent {
    Accent.allCases.first { $0.name == name } ?? .silent
  }

  private static let bars = OSCArgument.Kind.integer(Limits.bars)

  static let muteRows: [OSCAddressRow] = [
    OSCAddressRow(
      "mute", .value, [[OSCArgument("on", .flag)], [OSCArgument("word", .word(["toggle"]))]],
      urgent: true, "Silences the clicks; MIDI clock and beat events go on."
    ) {
      $0.form == 1 ? .command(.toggleMute) : .command(.mute($0.flag(0) ?? false))
    },
    OSCAddressRow(
      "mute/bars", .value, [[OSCArgument("play", bars), OSCArgument("mute", bars)]],
      "Plays so many bars, then keeps silent for so many."
    ) {
      .command(
        .muteBars(.cycle(play: Int32($0.integer(0) ?? 1), mute: Int32($0.integer(1) ?? 1))))
    },
    OSCAddressRow(
      "mute/random", .value,
      [
        [
          OSCArgument("percent", .number(Limits.mutePercent), unit: "%"),
          OSCArgument("seed", .integer(0...0x7FFF_FFFF), optional: true),
        ]
      ], "Keeps silent for so many of a hundred bars; the same seed, the same bars."
    ) {
      .command(
        .muteBars(
          .random(
            percentHundredths: Int32((($0.number(0) ?? 0) * 100).rounded()),
            seed: UInt64($0.integer(1) ?? 1))))
    },
    OSCAddressRow(
      "mute/growing", .value, [[OSCArgument("play", bars), OSCArgument("maximum", bars)]],
      "Plays so many bars between silences of 1, 2, ... up to the maximum."
    ) {
      .command(
        .muteBars(.growing(play: Int32($0.integer(0) ?? 1), maximum: Int32($0.integer(1) ?? 1))))
    },
    OSCAddressRow("mute/off", .trigger, "Ends the muting of bars.") { _ in
      .command(.muteBars(.off))
    },
    flag("mute/strong", "Silences the strong beats.") { .muteLevel(.strong, $0) },
    flag("mute/normal", "Silences the normal beats.") { .muteLevel(.normal, $0) },
    flag("mute/soft", "Silences the soft beats.") { .muteLevel(.soft, $0) },
    OSCAddressRow(
      "solo", .value, [[OSCArgument("level", .word(["none", "soft", "normal", "strong"]))]],
      "Plays one level only."
    ) { .command(.soloLevel($0.text(0) == "none" ? nil : accent($0.text(0)))) },
  ]
}
