import MetronomeModel

/// The keys of a preset's outputs and inputs.
extension PresetKeys {
  private static let milliseconds = JSONObjectReader.text(
    Limits.eventOffsetMilliseconds, unit: "ms")

  static let port: [Key] = [
    Key("name", "text", "the port's name"),
    Key("connect", "list of texts", "ports to connect to, \"Client:Port\", with * and ?"),
    Key("clock", "word", "off, rolling or always"),
    Key("transport", "true or false", "Start, Continue and Stop"),
    Key("songPosition", "true or false", "song position before Continue"),
    Key("offset", "number", milliseconds),
    Key("startLead", "number", "from Start to its pulse, 1 to 100 ms"),
    Key("songPositionWait", "number", "from song position to Continue, 0 to 500 ms"),
    Key("continue", "word", "continue, or start for receivers that know no Continue"),
    Key("pulsesBeforeStart", "number", "pulses a receiver needs before Start; 96 is a bar of 4/4"),
    Key("startAtCountIn", "true or false", "Start before the count-in instead of bar 1"),
    Key("repositionOnJump", "true or false", "Stop, song position and Continue at a jump"),
    Key("reconnect", "word", "clock, position or start: what a receiver that returns gets"),
    Key("notes", "{ }", "a note on every beat"),
  ]
  static let notes: [Key] = [
    Key("on", "true or false", "whether notes are sent"),
    Key("channel", "number", "1 to 16"),
    Key("strong", "{ }", "note and velocity"),
    Key("normal", "{ }", "note and velocity"),
    Key("soft", "{ }", "note and velocity"),
    Key("length", "number", "1 to 5000 ms"),
  ]
  static let note: [Key] = [
    Key("note", "number", "0 to 127"),
    Key("velocity", "number", "0 to 127; 0 is none"),
  ]
  static let mapping: [Key] = [
    Key("note", "number", "a MIDI note, 0 to 127"),
    Key("controller", "number", "or: a controller, 0 to 127"),
    Key("program", "number or \"any\"", "or: a program, 0 to 127"),
    Key("transport", "word", "or: start, continue or stop"),
    Key("key", "text", "or: a key, such as \"KEY_PAGEDOWN\""),
    Key("channel", "number", "1 to 16; any where it is left out"),
    Key("device", "text", "of a key; any where it is left out, * matches"),
    Key("command", "text", "an address below /tactus/, such as \"tap\" or \"preset/next\""),
    Key("arguments", "list", "numbers and texts sent with it"),
    Key("from", "number", "what value 0 becomes"),
    Key("to", "number", "what value 127 becomes"),
  ]
  static let feedback: [Key] = [
    Key("host", "text", "name or address"),
    Key("port", "number", "1 to 65535"),
    Key("topics", "list of words", "beat, sub, state"),
  ]
  static let beatTarget: [Key] = [
    Key("host", "text", "name or address"),
    Key("port", "number", "1 to 65535"),
    Key("profile", "word", "gate, phase, perBeat, notes or template"),
    Key("address", "text", "{bar} {beat} {beats} {bpm} {accent} {flags} are filled in"),
    Key("length", "number", "of gate, perBeat and notes: 1 to 5000 ms until 0 is sent"),
    Key("channel", "number", "of notes: 1 to 16, 10 where it is left out"),
    Key("rate", "number", "of phase: messages a second, 1 to 100"),
    Key("arguments", "list", "of template: numbers and texts"),
    Key("offset", "number", milliseconds),
    Key("mutedBars", "true or false", "whether muted bars are sent"),
    Key("least", "word", "the least accent that is sent"),
  ]
}
