/// Sound servers between the metronome and the card, and speakers that sleep.
public enum SoundServerCheck {
  /// - Parameter user: number of the user whose session is looked at.
  public static func findings(_ files: SystemFiles, user: Int) -> [Finding] {
    [server(files, user: user), sleep(files)].compactMap { $0 }
  }

  /// Where alsa-lib is told that `default` is PipeWire.
  private static let redirections = [
    "/etc/alsa/conf.d/99-pipewire-default.conf",
    "/usr/share/alsa/alsa.conf.d/99-pipewire-default.conf",
    "/etc/alsa/conf.d/99-pulse.conf", "/usr/share/alsa/alsa.conf.d/99-pulse.conf",
  ]

  static func server(_ files: SystemFiles, user: Int) -> Finding? {
    let folder = "/run/user/\(user)"
    let running =
      files.isThere("\(folder)/pipewire-0")
      ? "PipeWire" : files.isThere("\(folder)/pulse/native") ? "PulseAudio" : nil
    let isRedirected = redirections.contains { files.isThere($0) }
    switch (running, isRedirected) {
    case (let server?, true):
      return Finding("sound-server", .good, "\(server) runs; the device 'default' plays through it")
    case (let server?, false):
      return Finding(
        "sound-server", .warning,
        "\(server) runs and may hold the card, but the device 'default' does not go through it",
        fix: "sudo apt install pipewire-alsa, or name a card that \(server) leaves alone")
    case (nil, true):
      return Finding(
        "sound-server", .bad,
        "the device 'default' goes through a sound server that does not run for this user",
        fix:
          "name the card: tactusd --device hw:CARD=NAME; or have the server run without a login: "
          + "loginctl enable-linger")
    case (nil, false): return nil
    }
  }

  /// Nothing tells from outside whether a speaker, an amplifier or a Bluetooth link sleeps.
  static func sleep(_ files: SystemFiles) -> Finding? {
    guard !SoundCheck.players(files).isEmpty else { return nil }
    let bluetooth = files.names(in: "/sys/class/bluetooth").contains { $0.hasPrefix("hci") }
    return Finding(
      "first-click", .unknown,
      "whether the loudspeaker sleeps in silence cannot be seen from here"
        + (bluetooth ? "; with Bluetooth it usually does" : ""),
      fix:
        "tactus ctl stop, wait a minute, tactus ctl start, and listen: where the first click is missing or "
        + "cut, start tactusd with --keep-awake dither; where it still is, with --keep-awake lead-in"
    )
  }
}
