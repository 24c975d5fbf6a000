/// Sound cards and the MIDI sequencer as the kernel lists them.
public enum SoundCheck {
  public static func findings(_ files: SystemFiles) -> [Finding] {
    [cards(files)] + busy(files) + [sequencer(files), timer(files)].compactMap { $0 }
      + foreignClocks(files)
  }

  /// A card of /proc/asound/cards: ` 0 [PCH            ]: HDA-Intel - HDA Intel PCH`.
  public struct Card: Equatable, Sendable {
    public var number: Int
    public var identifier: String
    public var name: String
  }

  public static func cards(in files: SystemFiles) -> [Card] {
    (files.text("/proc/asound/cards") ?? "").split(separator: "\n").compactMap { line in
      guard let open = line.firstIndex(of: "["), let close = line[open...].firstIndex(of: "]"),
        let number = Int(SystemFiles.trimmed(line[..<open]))
      else { return nil }
      let identifier = SystemFiles.trimmed(line[line.index(after: open)..<close])
      let rest = line[close...].split(separator: "-", maxSplits: 1)
      return Card(
        number: number, identifier: identifier,
        name: rest.count == 2 ? SystemFiles.trimmed(rest[1]) : identifier)
    }
  }

  /// Cards that can play, by their PCM devices: `00-00: ALC269 Analog : ALC269 Analog : playback 1`.
  static func players(_ files: SystemFiles) -> [Card] {
    let playing = (files.text("/proc/asound/pcm") ?? "").split(separator: "\n").compactMap {
      line -> Int? in
      guard line.contains("playback") else { return nil }
      return line.split(separator: "-").first.flatMap { Int($0) }
    }
    return cards(in: files).filter { playing.contains($0.number) }
  }

  static func cards(_ files: SystemFiles) -> Finding {
    let players = players(files)
    guard let first = players.first else {
      return Finding(
        "sound-card", .bad, "no card can play: MIDI clock and beats go on without sound",
        fix:
          "plug in a sound card; for a built-in one see: aplay -l, and whether its driver is loaded"
      )
    }
    let list = players.map { "\($0.identifier) (\($0.name))" }.joined(separator: ", ")
    let isHDMI = { (card: Card) in
      (card.name + card.identifier).uppercased().contains("HDMI")
        || card.identifier.lowercased().contains("vc4")
    }
    if players.count > 1, isHDMI(first), let other = players.first(where: { !isHDMI($0) }) {
      return Finding(
        "sound-card", .warning,
        "\(list); the first is HDMI, which is silent without a display",
        fix: "name the other: tactusd --device hw:CARD=\(other.identifier)")
    }
    return Finding("sound-card", .good, list)
  }

  /// Streams that another program holds open: hw: would be busy.
  static func busy(_ files: SystemFiles) -> [Finding] {
    var findings: [Finding] = []
    for card in players(files) {
      let folder = "/proc/asound/card\(card.number)"
      for pcm in files.names(in: folder) where pcm.hasPrefix("pcm") && pcm.hasSuffix("p") {
        for sub in files.names(in: "\(folder)/\(pcm)") where sub.hasPrefix("sub") {
          guard let owner = files.value("owner_pid", in: "\(folder)/\(pcm)/\(sub)/status") else {
            continue
          }
          let program = files.line("/proc/\(owner)/comm") ?? "process \(owner)"
          guard program != "tactusd" else { continue }
          findings.append(
            Finding(
              "card-in-use", .warning,
              "\(card.identifier) is played by \(program) (process \(owner))",
              fix:
                "share it through the default device, or end \(program) to have hw:CARD=\(card.identifier)"
            ))
        }
      }
    }
    return findings
  }

  static func sequencer(_ files: SystemFiles) -> Finding {
    guard files.isThere("/dev/snd/seq") else {
      return Finding(
        "midi-sequencer", .bad, "there is no /dev/snd/seq: no MIDI clock",
        fix: "sudo modprobe snd-seq, and write snd-seq into /etc/modules-load.d/midi.conf")
    }
    guard files.isWritable("/dev/snd/seq") else {
      return Finding(
        "midi-sequencer", .bad, "/dev/snd/seq may not be opened: no MIDI clock",
        fix: "add yourself to the group audio: sudo usermod -aG audio USER, and log in again")
    }
    return Finding("midi-sequencer", .good, "/dev/snd/seq can be opened")
  }

  /// Without real-time rights MIDI goes through a kernel queue, which is as fine as its timer.
  static func timer(_ files: SystemFiles) -> Finding? {
    guard let timers = files.text("/proc/asound/timers") else { return nil }
    return timers.contains("HR timer")
      ? Finding("sequencer-timer", .good, "high-resolution timer")
      : Finding(
        "sequencer-timer", .warning,
        "only the system's tick: without real-time priority MIDI clock is coarse",
        fix: "sudo modprobe snd-hrtimer")
  }

  /// Clients of the sequencer that are known to send MIDI clock.
  static func foreignClocks(_ files: SystemFiles) -> [Finding] {
    let known = [
      "jack_midi_clock", "klick", "midish", "Hydrogen", "seq66", "seq64", "Qtractor", "a2jmidid",
    ]
    var findings: [Finding] = []
    let clients = SequencerClients(files.text("/proc/asound/seq/clients") ?? "")
    for (receiver, other) in clients.shared {
      findings.append(
        Finding(
          "other-clock", .warning, "\(receiver) is sent to by Tactus and by '\(other)'",
          fix: "leave it one of them: aconnect -l shows who is connected, aconnect -d ends it"))
    }
    for name in clients.all.map(\.name) {
      if known.contains(where: { name.lowercased().hasPrefix($0.lowercased()) }) {
        findings.append(
          Finding(
            "other-clock", .warning, "'\(name)' is here and can send MIDI clock too",
            fix: "connect each device to one of them only: aconnect -l shows who is connected"))
      }
    }
    return findings
  }
}
