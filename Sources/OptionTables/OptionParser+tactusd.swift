public import CommandLineOptions
internal import MetronomeModel

extension OptionParser {
  /// The command line of `tactusd`.
  public static let tactusd = OptionParser(
    command: "tactusd",
    summary: "A metronome: clicks, MIDI clock and beat events from one sample clock.",
    usage: "[METER] [TEMPO] [OPTIONS]",
    positionals: [
      PositionalDeclaration("METER", "As in 4/4, 2+2+3/8 or 6/8. (two dotted quarters)."),
      PositionalDeclaration("TEMPO", "Quarter notes a minute, 5 to 999, to a thousandth."),
    ],
    options: daemonOptions,
    exitCodes: [
      ExitCode(0, "Ended by a signal or by /tactus/quit."),
      ExitCode(2, "An argument or option is malformed, unknown or out of range."),
      ExitCode(3, "The OSC port is taken; the message says by whom where that can be known."),
    ],
    notes: [
      "With a meter or a tempo it starts at once, with neither it waits for a command.",
      "Tempo, meter, sounds, levels, ports, offsets, preset, song and place in the setlist are kept and are "
        + "back at the next start; what stands on the command line wins.",
      "Try:\n  tactusd 120\n  tactusd 3/4 96 --device hw:CARD=USB --midi-connect \"TR-8S\"",
    ])

  private static let daemonOptions: [OptionDeclaration] = [
    .value(
      "unit", "NOTE", "Note value that TEMPO counts, as in 1/8 or 1/4. (dotted).", group: "Music"),
    .value(
      "pattern", "LETTERS", "One letter a beat: X strong, x normal, - soft, . silent.",
      group: "Music"),
    .value("subdivision", "N", "Clicks a beat, 1 to 9.", group: "Music"),
    .value(
      "swing", "PERCENT", "Share of the first of each pair, 50 to 75, or triplet.", group: "Music"),
    .value("count-in", "BARS", "Bars counted in before bar 1, 0 to 16.", group: "Music"),
    .value(
      "sound", "NAME", "wood, beep, bell, noise, or a file of the sound folder.", group: "Music"),
    .value(
      "volume", "DB", "Level in dB of full scale, -90 to 0; -12 unless given.", group: "Music"),
    .value("preset", "NAME", "Preset to begin with.", group: "Music"),
    .flag(
      "autostart", "Start without a METER or TEMPO too: with what was set last.", group: "Music"),
    .flag("fresh", "Begin with the defaults, not with what was set last.", group: "Music"),
    .value(
      "device", "NAME", "ALSA device: default, a card's id, hw:CARD=ID; none for no sound.",
      group: "Sound"),
    .value("rate", "HZ", "Sample rate to ask for; the rate got is reported.", group: "Sound"),
    .value("channels", "N", "Output channels to ask for, 2 to 64.", group: "Sound"),
    .value("period", "FRAMES", "Frames a period to ask for, 16 to 8192.", group: "Sound"),
    .value(
      "buffer", "MS",
      "Longest buffer to ask for, 2 to 500 ms; unless given, four periods, at most 50.",
      group: "Sound"),
    .value(
      "keep-awake", "HOW",
      "For sinks that sleep in silence and swallow the first click (Bluetooth, gates): dither, noise of -90 "
        + "dBFS at all times; lead-in, the same from a Start on, 1.5 s before its first click; off.",
      group: "Sound"),
    .value(
      "capture", "NAME",
      "Input that takes and calibrations record: an ALSA device, a card's id, or none for silence; "
        + "default unless given. Open only while it records.", group: "Sound"),
    .value(
      "capture-channels", "N", "Channels to record, 1 to 8; 2 unless given.", group: "Sound"),
    .value(
      "take-format", "BITS", "Samples of takes: 24 or float; 24 unless given.", group: "Sound"),
    .value(
      "midi-connect", "NAME", "Send MIDI clock to this Client, Client:Port or Client:*.",
      repeatable: true, group: "MIDI"),
    .value(
      "midi-port", "SPEC",
      "One more clock port: NAME[,connect=CLIENT][,clock=off|rolling|always][,offset=MS]"
        + "[,transport=on|off][,position=on|off][,lead=MS][,continue=start][,notes=on].",
      repeatable: true, group: "MIDI"),
    .value("midi-clock", "WHEN", "Port Clock sends pulses: off, rolling or always.", group: "MIDI"),
    .value("midi-offset", "MS", "Port Clock is so much later, -300 to 500.", group: "MIDI"),
    .value(
      "inject", "FAULTS",
      "Port Clock misbehaves on purpose, for people who build receivers: jitter=5%,drop=1%,double=1%.",
      group: "MIDI"),
    .optional(
      "follow", "NAME",
      "Follow the MIDI clock that arrives at port Sync; with a name connect this Client or "
        + "Client:Port to it.", group: "MIDI"),
    .value(
      "link", "MODE",
      "Take part in a session of Ableton Link: off, follow, peer, or lead, which keeps our tempo "
        + "and beat.", group: "Ableton Link"),
    .flag("link-sync", "Share start and stop with the session.", group: "Ableton Link"),
    .value(
      "link-quantum", "QUARTERS",
      "Quarters after which the session's phase begins anew, 0.25 to 64, or bar; bar unless given.",
      group: "Ableton Link"),
    .flag("no-midi", "Do not open the ALSA sequencer.", group: "MIDI"),
    .value("osc-port", "PORT", "UDP and TCP port, 0 for any free one, off for none.", group: "OSC"),
    .value(
      "allow", "CIDR", "A network that may play, besides the attached ones.", repeatable: true,
      group: "OSC"),
    .value("observe", "CIDR", "A network that may only listen.", repeatable: true, group: "OSC"),
    .value(
      "admin", "CIDR", "A network that may quit, save and connect.", repeatable: true, group: "OSC"),
    .value(
      "beat-target", "TARGET",
      "Lamp desk or tablet told at each beat: HOST:PORT,PROFILE[,ADDRESS][,ms=60][,offset=-20]; "
        + "profiles gate, phase, beats, notes, template.",
      repeatable: true, group: "OSC"),
    .value(
      "beat-copies", "N", "Announce each beat so often, 1 to 5, for bad networks.", group: "OSC"),
    .value(
      "beat-lead", "MS",
      "Announce beats so far ahead, 100 to 2000; 100 unless given. For slow networks.",
      group: "OSC"),
    .value(
      "feedback", "HOST:PORT", "Always send beats and changes there.", repeatable: true,
      group: "OSC"),
    .value(
      "web-port", "PORT",
      "Port of the page for browsers and of OSCQuery, 0 for any free one, off for neither; "
        + "\(Limits.webPort) unless given.", group: "OSC"),
    .flag(
      "no-discovery", "Neither the page and OSCQuery nor an announcement on the network.",
      group: "OSC"),
    .value("folder", "PATH", "User folder of presets, sounds and maps."),
    .value(
      "state-folder", "PATH",
      "Where what was set last is kept, or off; tactus in $XDG_STATE_HOME or ~/.local/state unless "
        + "given."),
    .value("shipped-presets", "PATH", "Folder of the presets that came with Tactus."),
    .flag("no-lock", "Do not lock memory."),
    .flag("quiet", "Warnings only."),
  ]
}
