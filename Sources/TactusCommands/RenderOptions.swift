import CommandLineOptions

/// What `tactus render` understands.
enum RenderOptions {
  static let parser = OptionParser(
    command: "tactus render",
    summary: "Write clicks to sound files, MIDI files and event lists, from the engine that plays "
      + "them live.",
    usage: "[BARS] [METER] TEMPO [PATTERN] [OPTIONS]",
    positionals: [
      PositionalDeclaration("BARS", "Bars to render, the same as --bars."),
      PositionalDeclaration("METER", "As in 4/4, 2+2+3/8 or 6/8. (two dotted quarters); 4/4."),
      PositionalDeclaration(
        "TEMPO",
        "Quarter notes a minute, 5 to 999, to a thousandth; or FROM-TO/BARS: one up or down every "
          + "BARS bars."),
      PositionalDeclaration("PATTERN", "The same as --pattern."),
    ],
    options: length + music + practice + sound + output,
    notes: [
      "Frame 0 is the first thing heard: beat one of bar 1 or, with --count-in, of the count-in, "
        + "whose bars are counted -N to -1. The music ends exactly at the length asked for: what "
        + "would sound at or after it is left out, and --tail adds time for the last sound.",
      "A script has a command a line: TIME ADDRESS [ARGUMENTS], where TIME is a frame (48000), "
        + "seconds (1.5 or 1.5s) or minutes (1:30), and ADDRESS one of 'tactus osc list', with or "
        + "without /tactus/. Commands act as if they arrived at that frame. # begins a comment.",
      "Events are one JSON object a line: frame, kind (click, beat, pulse, start, stop, tempo, "
        + "meter, section, trainer, timer), for clicks and beats bar, beat, accent, bpm, muted.",
      "Try:\n  tactus render 3/4 96 --bars 32 --wav waltz.wav --midi waltz.mid\n"
        + "  tactus render 120 --trainer 80-120/5@4bars --trainer-end stop --flac up.flac\n"
        + "  tactus render 7/8 140 --duration 10m --rate 44100 --events - | head",
    ])

  private static let length: [OptionDeclaration] = [
    .value(
      "duration", "TIME", "Length: \(DurationText.forms), up to 96h.", group: "Length"),
    .value("bars", "N", "Length in bars from bar 1 on, 1 to 99999.", group: "Length"),
    .value("tail", "TIME", "Time added for the last sound to ring, up to 60s.", group: "Length"),
  ]

  private static let music: [OptionDeclaration] = [
    .value(
      "unit", "NOTE", "Note value that TEMPO counts, as in 1/8 or 1/4. (dotted).", group: "Music"),
    .value(
      "pattern", "LETTERS", "One letter a beat: X strong, x normal, - soft, . silent.",
      group: "Music"),
    .value("subdivision", "N", "Clicks a beat, 1 to 9.", group: "Music"),
    .value(
      "subdivision-level", "LEVEL", "How strong they are: strong, normal, soft or silent.",
      group: "Music"),
    .value(
      "swing", "PERCENT", "Share of the first of each pair, 50 to 75, or triplet.", group: "Music"),
    .value("layer", "N", "A second layer of N clicks a bar, 2 to 16.", group: "Music"),
    .value(
      "preset", "NAME|FILE", "Preset to begin with; other options go over it.", group: "Music"),
    .value(
      "map", "NAME|FILE", "Tempo map to play: our JSON, klick's text, or a MIDI file.",
      group: "Music"),
  ]

  private static let practice: [OptionDeclaration] = [
    .value(
      "trainer", "RAMP", "Speed trainer: \(RampText.trainerForms). STEP is 5 unless given.",
      group: "Practice"),
    .value("ramp", "RAMP", "The same as --trainer.", group: "Practice"),
    .value(
      "trainer-end", "WHAT", "After its last level: hold, stop, loop or return.", group: "Practice"),
    .value(
      "glide", "RAMP",
      "Continuous ramp: \(RampText.glideForms); even in time, or in score position over bars.",
      group: "Practice"),
    .value("mute-bars", "P/M", "Play P bars, mute M.", group: "Practice"),
    .value(
      "mute-random", "PERCENT[:SEED]", "Mute so many bars at random; the same SEED, the same bars.",
      group: "Practice"),
    .value(
      "mute-growing", "P/MAX", "Play P bars and mute 1, then P and 2, up to MAX.",
      group: "Practice"),
    .value("count-in", "BARS", "Bars counted in before bar 1, 0 to 16.", group: "Practice"),
    .value(
      "timer", "MINUTES", "Stop at the first bar line after so long, 1 to 180.", group: "Practice"),
    .value("script", "FILE", "Commands to make while it plays; see below.", group: "Practice"),
  ]

  private static let sound: [OptionDeclaration] = [
    .value(
      "sound", "NAME", "wood, beep, bell, noise, or a file of the sound folder.", group: "Sound"),
    .value(
      "volume", "DB", "Level in dB of full scale, -90 to 0; -12 unless given.", group: "Sound"),
    .value(
      "sync", "N[:CHANNEL]", "Analog sync of 1, 2, 4, 24 or 48 pulses a quarter.", group: "Sound"),
    .value(
      "rate", "HZ", "Frames a second: 44100, 48000 (unless given), 88200, 96000, 192000.",
      group: "Sound"),
    .value("channels", "N", "Channels, 1 to 64; 2 unless given.", group: "Sound"),
    .value("bits", "N", "16, 24 (unless given) or float samples.", group: "Sound"),
    .value(
      "folder", "PATH", "User folder of presets, setlists, maps and sounds.", group: "Sound"),
    .value(
      "shipped-presets", "PATH", "Folder of the presets that came with Tactus.", group: "Sound"),
  ]

  private static let output: [OptionDeclaration] = [
    .value("wav", "FILE", "WAV; - is standard output.", group: "Output"),
    .value("flac", "FILE", "FLAC; - is standard output.", group: "Output"),
    .value(
      "stems", "FOLDER", "One file a layer, as WAV, or as FLAC beside --flac alone.",
      group: "Output"),
    .value(
      "midi", "FILE", "Standard MIDI File: tempo map, and clicks as notes.", group: "Output"),
    .flag(
      "exact", "Tempo marks of the MIDI file alternate: no beat is off by more than a tick.",
      group: "Output"),
    .value("events", "FILE", "Event list, one JSON object a line.", group: "Output"),
    .flag("quiet", "Warnings and errors only.", letter: "q", group: "Output"),
  ]
}
