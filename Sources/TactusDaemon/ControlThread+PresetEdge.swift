internal import Conductor
internal import MetronomeModel
internal import BeatOutputs
internal import OSCProtocol
internal import OSCService
internal import OSCWire
internal import RealtimeHost

/// What a preset says of the daemon's edge: mappings of inputs, and targets of beats.
///
/// - Thread: control
extension ControlThread {
  /// Applies the part of a preset that the Conductor does not own.
  func applyEdge(of preset: Preset, request: UInt32) {
    if let ports = preset.midiPorts, let midi {
      midi.apply(ports, say: say)
    }
    if let mappings = preset.mappings {
      for problem in inputs?.use(MIDIMapping(rules: mappings)) ?? [] {
        say("\(problem)", isWarning: true)
        if request != 0 { gateway?.notice(request, "\(problem)") }
      }
    }
    if let wanted = preset.beatTargets {
      targets.presetBeats = wanted.compactMap { NamedTarget($0) }
    }
    if let wanted = preset.feedback { targets.presetFeedback = wanted }
    if preset.beatTargets != nil || preset.feedback != nil { useTargets() }
  }
}
