/// Keys of pedals, page turners, remotes and keyboards, by the names of the kernel.
///
/// Source: linux/input-event-codes.h
///
/// - Thread: any
public enum LinuxKey {
  public static let codes: ClosedRange<Int> = 1...767

  /// Reads `KEY_PAGEDOWN`, `pagedown`, `BTN_SOUTH`, or a code.
  public static func code(_ name: String) -> Int? {
    let word = name.lowercased()
    if let code = Int(word) { return codes.contains(code) ? code : nil }
    return byName[word.hasPrefix("key_") ? String(word.dropFirst(4)) : word]
  }

  /// The name where there is one, in small letters without `key_`; else the code.
  public static func name(_ code: Int) -> String { byCode[code] ?? "\(code)" }

  /// What a pedal or a remote usually sends, for messages.
  public static let usual = [
    "pageup", "pagedown", "left", "right", "up", "down", "enter", "space", "playpause",
    "nextsong", "previoussong", "volumeup", "volumedown",
  ]

  private static let byName = Dictionary(
    table.flatMap { first, names in names.enumerated().map { ($0.element, first + $0.offset) } },
    uniquingKeysWith: { first, _ in first })
  private static let byCode = Dictionary(
    byName.map { ($0.value, $0.key) }, uniquingKeysWith: { min($0, $1) })

  /// Runs of names with the code of the first.
  private static let table: [(Int, [String])] = [
    (1, ["esc", "1", "2", "3", "4", "5", "6", "7", "8", "9", "0", "minus", "equal"]),
    (14, ["backspace", "tab", "q", "w", "e", "r", "t", "y", "u", "i", "o", "p"]),
    (26, ["leftbrace", "rightbrace", "enter", "leftctrl", "a", "s", "d", "f", "g", "h", "j"]),
    (37, ["k", "l", "semicolon", "apostrophe", "grave", "leftshift", "backslash", "z", "x"]),
    (46, ["c", "v", "b", "n", "m", "comma", "dot", "slash", "rightshift", "kpasterisk"]),
    (56, ["leftalt", "space", "capslock", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8"]),
    (67, ["f9", "f10", "numlock", "scrolllock", "kp7", "kp8", "kp9", "kpminus", "kp4", "kp5"]),
    (77, ["kp6", "kpplus", "kp1", "kp2", "kp3", "kp0", "kpdot"]),
    (87, ["f11", "f12"]),
    (96, ["kpenter", "rightctrl", "kpslash", "sysrq", "rightalt", "linefeed", "home", "up"]),
    (104, ["pageup", "left", "right", "end", "down", "pagedown", "insert", "delete"]),
    (113, ["mute", "volumedown", "volumeup", "power"]),
    (125, ["leftmeta", "rightmeta", "compose", "stop"]),
    (139, ["menu"]), (158, ["back", "forward"]),
    (163, ["nextsong", "playpause", "previoussong", "stopcd", "record", "rewind"]),
    (183, ["f13", "f14", "f15", "f16", "f17", "f18", "f19", "f20", "f21", "f22", "f23", "f24"]),
    (200, ["playcd", "pausecd"]), (207, ["play", "fastforward"]),
    (256, ["btn_0", "btn_1", "btn_2", "btn_3", "btn_4", "btn_5", "btn_6", "btn_7"]),
    (264, ["btn_8", "btn_9"]), (272, ["btn_left", "btn_right", "btn_middle", "btn_side"]),
    (288, ["btn_trigger", "btn_thumb", "btn_thumb2", "btn_top", "btn_top2", "btn_pinkie"]),
    (304, ["btn_south", "btn_east", "btn_c", "btn_north", "btn_west", "btn_z"]),
    (310, ["btn_tl", "btn_tr", "btn_tl2", "btn_tr2", "btn_select", "btn_start", "btn_mode"]),
    (352, ["ok", "select"]), (402, ["channelup", "channeldown", "first", "last"]),
    (407, ["next"]), (412, ["previous"]),
  ]
}
