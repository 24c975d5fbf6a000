import Calibration
import CommandLineOptions

/// What `tactus calibrate` understands.
enum CalibrateOptions {
  static let parser = OptionParser(
    command: "tactus calibrate",
    summary: "Measure how late what is played is heard: sweeps out of the speaker, into the "
      + "microphone.",
    usage: "[OPTIONS], or --analyse FILE, or --chirps FILE",
    options: [
      .flag("cable", "Output and input are one cable: both have half of it.", group: "Measuring"),
      .value(
        "input-latency", "MS",
        "The input's own share, 0 to 200; unless given half of the round trip, 2 ms at most.",
        group: "Measuring"),
      .value(
        "reopen", "N",
        "Measure N times, 1 to 20, with the input opened anew each time; over 1 ms apart is refused.",
        group: "Measuring"),
      .flag("force", "Measure with a headset's own microphone or a monitor.", group: "Measuring"),
      .value("device", "NAME", "Output, where no tactusd runs.", group: "Measuring"),
      .value("capture", "NAME", "Input, where no tactusd runs.", group: "Measuring"),
      .value("capture-channels", "N", "Channels of the input, 1 to 8.", group: "Measuring"),
      DaemonPeer.hostOption, TakeCommands.folderOption,
      .value(
        "analyse", "FILE",
        "Recording of the sweeps; its frame 0 is frame 0 of their playback.", group: "What to do"),
      .value(
        "chirps", "FILE", "Write the sweeps as they are played: .wav or .flac.", group: "What to do"
      ),
      .value(
        "spacing", "SECONDS",
        "From one sweep to the next, 0.5 to 10; 1. A longer latency needs 3.", group: "Sweeps"),
      .value("count", "N", "Sweeps that count, 8 to 64; 16.", group: "Sweeps"),
      .value(
        "raised", "N", "Softer sweeps before them in --analyse, 0 to 12; else they are found.",
        group: "Sweeps"),
      .value("rate", "HZ", "Frames a second of --chirps; 48000.", group: "Sweeps"),
      .flag("json", "The result as one JSON object.", group: "Answer"),
      .flag("details", "Figures below the answer: latency, spread, every sweep.", group: "Answer"),
      .value("svg", "FILE", "Picture of the correlations and the accepted peaks.", group: "Answer"),
    ],
    notes: [
      "Without --analyse and --chirps it measures: put the microphone where you hear the clicks, stop "
        + "the metronome, and wait about 20 s. The tactusd that runs measures with its own devices "
        + "(tactusd --capture); where none runs, one is started for as long as it takes. The answer "
        + "begins with 'aligned' where the latency can be used; it is kept for this route, and MIDI "
        + "clock, beats, lamps and takes are moved by it. Exit code 1: not aligned.",
      "A round trip is measured; how it is shared between output and input is an assumption that "
        + "--details states.",
      "The sweeps last 20 ms, from 2 to 6 kHz. The first sounds 1.5 s after frame 0, 30 dB below the "
        + "others; each of the next ones is 6 dB louder, and then come those that count. Record on "
        + "until a second after the last one.",
      "green: 12 or more of 16 sweeps agree. yellow: 8 to 11, or something is odd that the advice "
        + "names. red: no latency can be stated, and none is. The exit code is 0 whenever the "
        + "recording could be read; what was found stands in the answer.",
      "Latencies from 50 ms early to 50 ms less than the spacing are found; of a longer one it says "
        + "so.",
      "Try:\n  tactus calibrate --chirps sweeps.wav\n"
        + "  arecord -f S16_LE -r 48000 -d 25 heard.wav & aplay sweeps.wav\n"
        + "  tactus calibrate --analyse heard.wav --details\n"
        + "Two programs never start at the same instant: such a pair shows that it works, not the "
        + "latency.",
    ])
}
