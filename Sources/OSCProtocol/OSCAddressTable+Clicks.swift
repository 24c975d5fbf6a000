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
    ) { (arguments) throws(OSCRefusal) in
      guard let percent = arguments.number(0) else {
        return .command(.swing(arguments.text(0) == "triplet" ? .triplet : .straight))
      }
      // 200/3 is told as 66.6667, in more decimals than a share has: that is the triplet.
      guard abs(percent - 200.0 / 3) >= 0.0005 else { return .command(.swing(.triplet)) }
      // A fader between its ends sends what it likes: the nearest hundredth is what it means.
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
  /// 0 is the end: what is told while there is none.
  private static let barsOrNone = OSCArgument.Kind.integer(0...Limits.bars.upperBound)

  static let muteRows: [OSCAddressRow] = [
    OSCAddressRow(
      "mute", .value, [[OSCArgument("on", .flag)], [OSCArgument("word", .word(["toggle"]))]],
      urgent: true, "Silences the clicks; MIDI clock and beat events go on."
    ) {
      $0.form == 1 ? .command(.toggleMute) : .command(.mute($0.flag(0) ?? false))
    },
    OSCAddressRow(
      "mute/bars", .value, [[OSCArgument("play", bars), OSCArgument("mute", barsOrNone)]],
      "Plays so many bars, then keeps silent for so many; for 0 bars ends that."
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
      ],
      "Keeps silent for so many of a hundred bars; the same seed, the same bars. 0 ends that."
    ) {
      .command(
        .muteBars(
          .random(
            percentHundredths: Int32((($0.number(0) ?? 0) * 100).rounded()),
            seed: UInt64($0.integer(1) ?? 1))))
    },
    OSCAddressRow(
      "mute/growing", .value, [[OSCArgument("play", bars), OSCArgument("maximum", barsOrNone)]],
      "Plays so many bars between silences of 1, 2, ... up to the maximum; 0 ends that."
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
