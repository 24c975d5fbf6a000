import Glibc
import MetronomeModel
import ScoreFormats

// state-writer FOLDER: keeps two states in turn, as fast as it can, until it is killed. Writes a byte
// to its output once the first is there.
guard CommandLine.arguments.count == 2 else { exit(2) }
let store = StateStore(folder: CommandLine.arguments[1])
var state = MetronomeState()
// Longer than a block of any file system, so that a part of it could be written.
state.setlist = String(repeating: "s", count: 100)
state.midiPorts = (1...16).map {
  MIDIPortConfiguration(name: "Port \($0)", connections: Array(repeating: "Receiver", count: 8))
}
var isFirst = true
while true {
  for bars in [1, 2] {
    state.countInBars = bars
    do { try store.save(LastState(of: state)) } catch { exit(1) }
    if isFirst {
      isFirst = false
      write(1, "r", 1)
    }
  }
}
