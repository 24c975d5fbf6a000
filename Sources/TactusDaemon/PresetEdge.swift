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
  func applyEdge(of preset: Preset) {
    if let ports = preset.midiPorts, let midi {
      midi.apply(ports, say: say)
    }
    if let mappings = preset.mappings {
      do throws(MIDIMappingError) {
        inputs?.use(try MIDIMapping(texts: mappings.map(PresetEdge.texts)))
      } catch {
        say("\(error)", isWarning: true)
      }
    }
    if let targets = preset.beatTargets {
      use(
        beatTargets: targets.compactMap { target in
          guard let found = ProfileTarget(target) else {
            say("beat target \(target.host):\(target.port) cannot be found", isWarning: true)
            return nil
          }
          return found
        })
    }
    if let feedback = preset.feedback, let server = gateway?.server {
      var targets = fixedTargets
      for target in feedback {
        guard let address = SocketAddress(resolving: target.host, port: target.port) else {
          say("feedback target \(target.host):\(target.port) cannot be found", isWarning: true)
          continue
        }
        targets.append((address, SubscriptionTopics(target.topics)))
      }
      server.setFixedTargets(targets)
    }
    if let horizon = preset.horizonMilliseconds {
      perform(conductor.requestLead(milliseconds: horizon))
    }
  }

  /// Lamps and tablets from now on; the first ones get a thread that sends to them on time.
  func use(beatTargets targets: [ProfileTarget]) {
    guard let beats, let server = gateway?.server else { return }
    let targets = fixedBeatTargets + targets
    beats.targets = targets
    guard !targets.isEmpty, beats.sender == nil else { return }
    do throws(RealtimeThread.Failure) {
      beats.sender = try server.startTimedSender()
    } catch {
      say("\(error): lamps may be late by what the control thread is", isWarning: true)
    }
  }
}

enum PresetEdge {
  /// A mapping as the two texts that the input side reads.
  static func texts(_ mapping: ControlMapping) -> (trigger: String, action: String) {
    func on(_ channel: Int?) -> String { channel.map { " channel \($0)" } ?? "" }
    let trigger: String
    switch mapping.source {
    case .note(let note, let channel): trigger = "note \(note)\(on(channel))"
    case .controller(let number, let channel): trigger = "cc \(number)\(on(channel))"
    case .program(let number, let channel):
      // People count programs from 1, presets from 0 as MIDI does.
      trigger = "program \(number.map { "\($0 + 1)" } ?? "*")\(on(channel))"
    case .transport(let kind): trigger = kind.rawValue
    case .key(let name, _): trigger = "key \(name)"
    }
    var action = mapping.command
    for argument in mapping.arguments {
      switch argument {
      case .number(let number): action += " \(NumberText.text(number))"
      case .text(let text): action += text.contains(" ") ? " \"\(text)\"" : " \(text)"
      }
    }
    if let range = mapping.range {
      action += " \(NumberText.text(range.from))..\(NumberText.text(range.to))"
    }
    return (trigger, action)
  }
}
