/// Pages about a subject rather than a command, for `tactus help TOPIC`.
///
/// - Thread: any
enum HelpTopics {
  struct Topic: Equatable {
    let name: String
    /// One line for the list of topics.
    let summary: String
    /// Paragraphs; lines that begin with a space are examples.
    let paragraphs: [String]
  }

  static let all = [tempo, practice, presets, midi, osc, network, latency, sound, service]

  static let tempo = Topic(
    name: "tempo", summary: "Tempo, meter and how a change lands.",
    paragraphs: [
      "A tempo is 5 to 999 quarter notes a minute, to a thousandth. A change lands exactly on the "
        + "next beat; 'bar' or 'now' at its end makes it another place. Another note value may be "
        + "counted, such as 1/8 or 1/4. (dotted).",
      "  tactus ctl tempo 132.5\n  tactus ctl tempo 90 1/8\n  tactus ctl meter 2+2+3/8\n"
        + "  tactus ctl tap",
      "A meter changes at the next bar. Taps set the tempo from the third one on.",
    ])

  static let practice = Topic(
    name: "practice", summary: "Speed trainer, glides, silent bars, timer.",
    paragraphs: [
      "The speed trainer climbs in steps, a glide evenly. Silent bars are for keeping time alone.",
      "  tactus ctl ramp 80 120 600         80 to 120 in ten minutes\n"
        + "  tactus ctl ramp/glide 120 140 8    evenly, in eight seconds\n"
        + "  tactus ctl mute/bars 3 1           three bars played, one silent\n"
        + "  tactus ctl timer 20                stop at a bar line after 20 minutes",
      "Presets named practice-... and trainer-... come with the program: tactus preset list.",
    ])

  static let presets = Topic(
    name: "presets", summary: "Presets, setlists and songs, and where they are looked for.",
    paragraphs: [
      "A preset is a JSON file that changes what it names and leaves the rest as it is. Your own lie "
        + "in ~/.config/tactus (presets, setlists, maps, sounds), or in the folder that --folder "
        + "names; a service keeps its own in /var/lib/tactus. A file of your own stands in for a "
        + "shipped one of the same name. Tempo maps may also be klick's files or MIDI files.",
      "  tactus preset list\n  tactus preset keys\n  tactus ctl preset practice-gaps\n"
        + "  tactusd --preset stage",
    ])

  static let midi = Topic(
    name: "midi", summary: "MIDI clock for drum machines, pedals, following another clock.",
    paragraphs: [
      "MIDI clock is sent through the ALSA sequencer. A name that is connected is connected again "
        + "whenever the device comes back.",
      "  tactus midi ports\n  tactusd 120 --midi-connect \"TR-8S\"\n"
        + "  tactusd 120 --midi-connect \"TR-8S\" --midi-offset -5    5 ms early\n"
        + "  tactus midi learn tap                  then press the pedal\n"
        + "  tactusd --follow \"Digitakt\"",
      "--midi-clock says when pulses are sent: off, rolling or always.",
    ])

  static let osc = Topic(
    name: "osc", summary: "Control and beat events over the network.",
    paragraphs: [
      "The daemon reads OSC on UDP and TCP port 9700 unless --osc-port says otherwise. "
        + "'tactus ctl' sends any of the addresses from the command line.",
      "  tactus osc list\n  tactus ctl --host 192.168.1.20 start\n  tactus monitor\n"
        + "  tactus layout touchosc > Tactus.tosc",
      "A program that wants to be told of beats sends /tactus/subscribe; each beat is announced "
        + "before its instant, with the time at which it is heard.",
    ])

  static let network = Topic(
    name: "network", summary: "The page for browsers, and who may do what.",
    paragraphs: [
      "tactusd starts tactus-web, which serves a page for tablets on port 9780 and announces the "
        + "metronome by mDNS where avahi-daemon runs. 'tactus qr' shows the page's address as a code.",
      "Machines on the attached networks may play. To quit, save and connect needs this machine, or a "
        + "network named with --admin; --observe makes a network read-only, --allow lets another "
        + "one in.",
      "  tactusd --admin 192.168.1.0/24\n  tactusd --no-discovery",
    ])

  static let latency = Topic(
    name: "latency", summary: "Getting click, MIDI and lamps to arrive together.",
    paragraphs: [
      "Each output can be moved against the click, in milliseconds; minus is earlier. The clicks "
        + "themselves can be made later.",
      "  tactus ctl midi/Clock/offset -5\n  tactus ctl offset/beats -20\n"
        + "  tactus ctl offset/audio 12",
      "'tactus calibrate' finds the latency from a recording of sweeps: write them with --chirps, "
        + "record them as they are heard, and read the recording with --analyse.",
    ])

  static let sound = Topic(
    name: "sound", summary: "Choosing a card; what to do without sound.",
    paragraphs: [
      "  tactusd 120 --device hw:CARD=USB\n  tactusd 120 --device none\n  tactus doctor",
      "Without a card, MIDI clock and beat events go on, and a card that appears is taken in phase. "
        + "'tactus doctor' tells what on this machine makes a metronome late or silent.",
    ])

  static let service = Topic(
    name: "service", summary: "Starting at boot and restarting, with systemd.",
    paragraphs: [
      "  sudo tactus service install -- --autostart --device hw:CARD=USB\n"
        + "  tactus service install --user -- --autostart\n  journalctl -u tactusd\n"
        + "  sudo tactus service remove",
      "The unit written to /etc takes the place of the one that the Debian package brings. Installed "
        + "again it takes the new options. The service keeps its files in /var/lib/tactus. A unit of a "
        + "user runs while that user is logged in; 'loginctl enable-linger' lets it run from boot on.",
    ])
}
