import Calibration
import CommandLineOptions

/// What `tactus calibrate` understands.
enum CalibrateOptions {
  static let parser = OptionParser(
    command: "tactus calibrate",
    summary: "Measure how late what is played is heard: sweeps out of the speaker, into the "
      + "microphone.",
    usage: "--analyse FILE | --chirps FILE [OPTIONS]",
    options: [
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
      .value("rate", "HZ", "Frames a second of --chirps; 48000.", group: "Sweeps"),
      .flag("json", "The result as one JSON object.", group: "Answer"),
      .flag("details", "Figures below the answer: latency, spread, every sweep.", group: "Answer"),
      .value("svg", "FILE", "Picture of the correlations and the accepted peaks.", group: "Answer"),
    ],
    notes: [
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
