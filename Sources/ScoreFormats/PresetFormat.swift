public import MetronomeModel

/// Presets as JSON text with comments.
///
/// What a preset does not name stays as it is when it is loaded; unknown keys are errors. Reading
/// what was written gives the same preset.
///
/// - Thread: any
public enum PresetFormat {
  public static let mostPorts = 16
  public static let mostMappings = 256
  public static let mostTargets = 64

  /// - Parameter file: how the text is called in errors.
  public static func read(_ bytes: [UInt8], file: String) throws(FormatError) -> Preset {
    let root = try JSONParser.parse(bytes, file: file)
    var reader = PresetReader()
    try reader.read(root, file: file)
    return reader.preset
  }

  public static func write(_ preset: Preset) -> String { PresetWriter.value(preset).text() }

  /// Every key with its value and meaning, as lines of a Markdown table.
  public static var documentation: String { WrittenFile.preset.table }

  static let groups: [KeyGroup] = [
    KeyGroup(
      "", PresetKeys.root,
      [
        """
        {
          "title": "Waltz",
          "tempo": 96,
          "meter": "3/4",
          "pattern": "Xxx",
          "subdivision": 2,
          "swing": 58,
          "layer": 0,
          "volume": -12,
          "sounds": { "strong": { "name": "bell" } },
          "beatSounds": ["one", "two", null],
          "analogSync": 0,
          "mute": { "all": false },
          "barMuting": "off",
          "trainer": "off",
          "trainerEnd": "hold",
          "countIn": 1,
          "timer": 10,
          "tap": { "limit": 2 },
          "offsets": { "audio": 0 },
          "horizon": 200,
          "follow": "off",
          "link": "off",
          "linkSync": false,
          "linkQuantum": "bar",
          "setlist": null,
          "map": null,
          "midi": [{ "name": "Clock" }],
          "mappings": [],
          "feedback": [],
          "beats": []
        }
        """,
        #"{ "glide": { "from": 80, "to": 120, "bars": 16 } }"#,
      ]),
    KeyGroup(
      "tempo.", PresetKeys.tempo,
      [
        #"{ "tempo": { "value": 72, "unit": "1/4." } }"#,
        #"{ "tempo": { "value": 130, "microseconds": 461538 } }"#,
      ]),
    KeyGroup(
      "subdivision.", PresetKeys.subdivision,
      [#"{ "subdivision": { "count": 3, "level": "soft" } }"#]),
    KeyGroup(
      "sounds.", PresetKeys.sounds,
      [
        """
        {
          "sounds": {
            "strong": { "name": "beep" },
            "normal": { "name": "beep", "gain": -3 },
            "soft": { "gain": -9 },
            "subdivision": { "gain": -12 },
            "layer": { "name": "noise" },
            "countin": { "name": "wood" },
            "timer": { "gain": 0 },
            "sync": { "channels": [2] }
          }
        }
        """
      ]),
    KeyGroup(
      "sounds.*.", PresetKeys.sound,
      [
        """
        {
          "sounds": {
            "strong": {
              "name": "bell", "gain": -6, "pitch": 2, "channels": [1, 2], "keepSilence": false
            }
          }
        }
        """
      ]),
    KeyGroup(
      "mute.", PresetKeys.mute,
      [#"{ "mute": { "all": false, "levels": ["soft"], "solo": null } }"#]),
    KeyGroup(
      "barMuting.", PresetKeys.barMuting,
      [
        #"{ "barMuting": { "play": 3, "mute": 1 } }"#,
        #"{ "barMuting": { "play": 4, "growing": 4 } }"#,
        #"{ "barMuting": { "random": 30, "seed": 7 } }"#,
      ]),
    KeyGroup(
      "trainer.", PresetKeys.trainer,
      [
        #"{ "trainer": { "from": 80, "to": 120, "step": 5, "minutes": 10, "end": "hold" } }"#,
        #"{ "trainer": { "from": 80, "to": 120, "seconds": 90 } }"#,
        #"{ "trainer": { "from": 60, "to": 90, "unit": "1/4.", "secondsPerStep": 20 } }"#,
        #"{ "trainer": { "from": 80, "to": 120, "barsPerStep": 4, "end": "loop" } }"#,
      ]),
    KeyGroup(
      "glide.", PresetKeys.glide,
      [
        #"{ "glide": { "from": 80, "to": 120, "unit": "1/4", "seconds": 60, "when": "bar" } }"#,
        #"{ "glide": { "from": 120, "to": 80, "bars": 8 } }"#,
      ]),
    KeyGroup(
      "countIn.", PresetKeys.countIn, [#"{ "countIn": { "bars": 2, "mute": false } }"#]),
    KeyGroup("timer.", PresetKeys.timer, [#"{ "timer": { "minutes": 15, "stop": true } }"#]),
    KeyGroup("tap.", PresetKeys.tap, [#"{ "tap": { "phase": true, "limit": 3, "unit": "1/4" } }"#]),
    KeyGroup("offsets.", PresetKeys.offsets, [#"{ "offsets": { "audio": 0, "beats": -30 } }"#]),
    KeyGroup(
      "midi[].", PresetKeys.port,
      [
        """
        {
          "midi": [
            {
              "name": "Clock",
              "connect": ["TR-8S:*"],
              "clock": "always",
              "transport": true,
              "songPosition": true,
              "offset": -5,
              "startLead": 1,
              "songPositionWait": 10,
              "continue": "continue",
              "pulsesBeforeStart": 0,
              "startAtCountIn": false,
              "repositionOnJump": false,
              "reconnect": "position",
              "notes": { "on": false }
            }
          ]
        }
        """
      ]),
    KeyGroup(
      "midi[].notes.", PresetKeys.notes,
      [
        """
        {
          "midi": [
            {
              "name": "Notes",
              "notes": {
                "on": true,
                "channel": 10,
                "strong": { "note": 76, "velocity": 127 },
                "normal": { "note": 77, "velocity": 100 },
                "soft": { "note": 77, "velocity": 64 },
                "length": 50
              }
            }
          ]
        }
        """
      ]),
    KeyGroup(
      "midi[].notes.*.", PresetKeys.note,
      [
        """
        {
          "midi": [
            { "name": "Notes", "notes": { "strong": { "note": 76, "velocity": 127 } } }
          ]
        }
        """
      ]),
    KeyGroup(
      "mappings[].", PresetKeys.mapping,
      [
        """
        {
          "mappings": [
            { "key": "KEY_PAGEDOWN", "device": "*", "command": "toggle" },
            { "controller": 64, "channel": 1, "command": "tap" },
            { "controller": 7, "command": "volume", "from": 0, "to": 1 },
            { "note": 36, "command": "preset", "arguments": ["practice"] },
            { "program": "any", "command": "preset", "from": 1, "to": 128 },
            { "transport": "start", "command": "start" }
          ]
        }
        """
      ]),
    KeyGroup(
      "feedback[].", PresetKeys.feedback,
      [#"{ "feedback": [{ "host": "tablet.local", "port": 9000, "topics": ["beat", "state"] }] }"#]),
    KeyGroup(
      "beats[].", PresetKeys.beatTarget,
      [
        """
        {
          "beats": [
            {
              "host": "192.168.1.20", "port": 7700, "profile": "gate", "address": "/beat",
              "length": 60, "offset": -30, "mutedBars": false, "least": "soft"
            },
            { "host": "lamp.local", "port": 7700, "profile": "phase", "address": "/phase", "rate": 25 },
            { "host": "lamp.local", "port": 7700, "profile": "notes", "address": "/note", "channel": 10 },
            {
              "host": "lamp.local", "port": 7700, "profile": "template", "address": "/cue/{bar}",
              "arguments": [1, "go"]
            }
          ]
        }
        """
      ]),
  ]
}
