internal import OSCWire

extension LayoutSurface {
  /// Minutes of timer and trainer.
  private static let minutes = [1, 2, 3, 5, 10, 15, 20, 30]

  static let trainerControls: [LayoutControl] = {
    // Name, caption, argument of `ramp`, first value, step.
    let fields: [(String, String, Int, Double, Double)] = [
      ("ramp_from", "FROM", 0, 80, 1), ("ramp_to", "TO", 1, 120, 1),
      ("ramp_step", "STEP", 3, 5, 1), ("ramp_seconds", "SECONDS", 2, 300, 10),
    ]
    var controls: [LayoutControl] = []
    for (field, column) in zip(fields, row(0, 208, 4)) {
      let (id, title, argument, initial, step) = field
      let x = column.x
      controls += [
        caption("\(id)_caption", title, LayoutFrame(x, 8, 246, 28)),
        LayoutControl(
          id: id, text: "", frame: LayoutFrame(x, 40, 246, 72), colour: .practice, textSize: 44,
          kind: .number(range: LayoutRange.of("ramp", argument: argument), initial: initial)),
        button(
          "\(id)_down", "-", LayoutFrame(x, 120, 119, 88), .practice, size: 40,
          .step(number: id, by: -step)),
        button(
          "\(id)_up", "+", LayoutFrame(x + 127, 120, 119, 88), .practice, size: 40,
          .step(number: id, by: step)),
      ]
    }
    controls += zip(minutes, row(216, 88, 8)).map { minute, frame in
      button(
        "ramp_minutes_\(minute)", "\(minute) min", frame, .quiet,
        .set(number: "ramp_seconds", to: Double(minute * 60)))
    }
    return controls + [
      button(
        "ramp_go", "GO", LayoutFrame(8, 312, 246, 104), .start, size: 40,
        .sendNumbers(path: "ramp", numbers: ["ramp_from", "ramp_to", "ramp_seconds", "ramp_step"])),
      send(
        "ramp_cancel", "CANCEL", LayoutFrame(262, 312, 246, 104), .stop, size: 30, "ramp/cancel"),
      LayoutControl(
        id: "ramp_bar", text: "", frame: LayoutFrame(516, 312, 246, 48), colour: .practice,
        textSize: 18, kind: .progress(path: "ramp/progress", argument: 3)),
      readout(
        "ramp_tempo", LayoutFrame(516, 368, 119, 48), size: 26, "ramp/progress",
        .number(unit: "")),
      readout(
        "ramp_left", LayoutFrame(643, 368, 119, 48), size: 26, "ramp/progress", argument: 4,
        .clock),
      choice(
        "ramp_end", LayoutFrame(770, 312, 246, 104), .practice, columns: 2, size: 20, "ramp/end",
        ["hold", "stop", "loop", "return"].map { ($0.uppercased(), .string($0)) }),
    ]
  }()

  static let meterControls: [LayoutControl] =
    [
      choice(
        "meter", LayoutFrame(8, 8, 1008, 88), .pattern, size: 28, "meter",
        ["2/4", "3/4", "4/4", "5/4", "6/8", "7/8", "9/8", "12/8"].map { ($0, .string($0)) })
    ]
    + row(104, 96, lampCount).enumerated().map {
      button(
        "beat_\($0.offset + 1)", "", $0.element, .pattern, size: 36, .cycleBeat($0.offset + 1))
    } + [
      choice(
        "subdivision", LayoutFrame(8, 208, 1008, 96), .pattern, size: 28, "subdivision",
        (1...9).map { ("\($0)", .int32($0)) }),
      send(
        "swing_straight", "STRAIGHT", LayoutFrame(8, 312, 150, 104), .quiet, size: 22, "swing",
        [.string("straight")]),
      send(
        "swing_triplet", "TRIPLET", LayoutFrame(166, 312, 150, 104), .quiet, size: 22, "swing",
        [.string("triplet")]),
      caption("swing_caption", "SWING", LayoutFrame(324, 312, 320, 28)),
      fader("swing", LayoutFrame(324, 344, 320, 72), .pattern, "swing", isHorizontal: true),
      caption("layer_caption", "AGAINST THE BAR", LayoutFrame(652, 312, 364, 28)),
      choice(
        "layer", LayoutFrame(652, 344, 364, 72), .pattern, "layer",
        [
          ("OFF", .int32(0)), ("3", .int32(3)), ("4", .int32(4)), ("5", .int32(5)),
          ("7", .int32(7)),
        ]
      ),
    ]

  static let muteControls: [LayoutControl] = {
    let toggles = LayoutFrame(8, 8, 436, 96).cells(3, columns: 3)
    let bars: [(String, String, String, [OSCValue])] = [
      ("bars_1_1", "1 + 1", "mute/bars", [.int32(1), .int32(1)]),
      ("bars_2_2", "2 + 2", "mute/bars", [.int32(2), .int32(2)]),
      ("bars_3_1", "3 + 1", "mute/bars", [.int32(3), .int32(1)]),
      ("bars_4_4", "4 + 4", "mute/bars", [.int32(4), .int32(4)]),
      ("random_25", "25 %", "mute/random", [.float(25)]),
      ("random_50", "50 %", "mute/random", [.float(50)]),
      ("growing", "GROW", "mute/growing", [.int32(4), .int32(4)]),
      ("bars_off", "ALL BARS", "mute/off", []),
    ]
    return [
      toggle("mute_strong", "NO STRONG", toggles[0], .mute, size: 19, "mute/strong"),
      toggle("mute_normal", "NO NORMAL", toggles[1], .mute, size: 19, "mute/normal"),
      toggle("mute_soft", "NO SOFT", toggles[2], .mute, size: 19, "mute/soft"),
      choice(
        "solo", LayoutFrame(452, 8, 564, 96), .mute, size: 17, "solo",
        [
          ("ALL LEVELS", .string("none")), ("ONLY STRONG", .string("strong")),
          ("ONLY NORMAL", .string("normal")),
          ("ONLY SOFT", .string("soft")),
        ]),
    ]
      + zip(bars, row(112, 96, 8)).map { bar, frame in
        send(bar.0, bar.1, frame, bar.0 == "bars_off" ? .quiet : .mute, size: 22, bar.2, bar.3)
      } + [
        caption("countin_caption", "COUNT-IN BARS", LayoutFrame(8, 216, 490, 28)),
        choice(
          "countin", LayoutFrame(8, 248, 490, 64), .practice, "countin",
          [0, 1, 2, 4].map { ($0 == 0 ? "NONE" : "\($0)", .int32($0)) }),
        toggle(
          "countin_mute", "SILENT COUNT-IN", LayoutFrame(506, 216, 251, 96), .practice,
          "countin/mute"),
        toggle(
          "timer_stops", "TIMER STOPS", LayoutFrame(765, 216, 251, 96), .practice, "timer/stops"),
        caption("timer_caption", "TIMER, MINUTES", LayoutFrame(8, 320, 744, 28)),
        choice(
          "timer", LayoutFrame(8, 352, 744, 64), .practice, "timer",
          minutes.map { ("\($0)", .float(Float($0))) }),
        send(
          "timer_cancel", "CANCEL", LayoutFrame(760, 320, 124, 96), .stop, size: 22, "timer/cancel"),
        readout(
          "timer_left", LayoutFrame(892, 320, 124, 96), size: 32, "timer/progress", argument: 1,
          .clock),
      ]
  }()

  static let mixerControls: [LayoutControl] = {
    let strips: [(String, String)] = [
      ("volume", "ALL"), ("level/strong", "STRONG"), ("level/normal", "NORMAL"),
      ("level/soft", "SOFT"), ("level/subdivision", "SUBDIV."), ("level/layer", "LAYER"),
      ("level/countin", "COUNT-IN"), ("level/timer", "TIMER"),
    ]
    return zip(strips, row(8, 408, 8)).flatMap { strip, frame -> [LayoutControl] in
      let id = strip.0.replacing("/", by: "_")
      return [
        caption("\(id)_caption", strip.1, LayoutFrame(frame.x, 8, frame.width, 32)),
        fader(
          id, LayoutFrame(frame.x, 44, frame.width, 328), .level, strip.0, isHorizontal: false),
        readout(
          "\(id)_db", LayoutFrame(frame.x, 380, frame.width, 36), size: 20, "\(strip.0)/db",
          .number(unit: " dB")),
      ]
    }
  }()

  static let presetControls: [LayoutControl] =
    [
      send(
        "preset_previous", "PREVIOUS", LayoutFrame(8, 8, 246, 96), .preset, size: 26,
        "preset/previous"),
      readout("preset_name", LayoutFrame(262, 8, 500, 96), size: 32, "preset"),
      send("preset_next", "NEXT", LayoutFrame(770, 8, 246, 96), .preset, size: 26, "preset/next"),
    ]
    + LayoutFrame(8, 112, 1008, 232).cells(slotCount, columns: 4).enumerated().map {
      button(
        "slot_\($0.offset + 1)", "", $0.element, .preset, size: 20, .loadSlot($0.offset + 1))
    } + [
      button(
        "slots_back", "EARLIER", LayoutFrame(8, 352, 500, 64), .quiet, size: 22,
        .turnPresets(by: -1)),
      button(
        "slots_on", "MORE", LayoutFrame(516, 352, 500, 64), .quiet, size: 22, .turnPresets(by: 1)),
    ]
}

extension String {
  func replacing(_ old: Character, by new: Character) -> String {
    String(map { $0 == old ? new : $0 })
  }
}
