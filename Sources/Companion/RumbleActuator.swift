internal import CLinux
internal import Glibc

/// A motor behind an input device that can rumble: a game pad, a wristband.
///
/// - Thread: companion
public final class RumbleActuator: Actuator {
  public let name: String
  private let descriptor: Int32
  /// Uploaded before the first beat, from strong to faint: an upload takes milliseconds.
  private var effects: [Int32] = []
  private var playing: Int32?

  /// The intensities of the effects: as many as there are accents that are felt.
  static let intensities: [Double] = [1, 0.6, 0.3]

  /// - Parameter milliseconds: how long one beat is felt.
  public init(_ path: String, milliseconds: Int = 40) throws(ActuatorError) {
    name = "rumble device '\(path)'"
    let opened = unsafe clinux_rumble_open(path)
    guard opened >= 0 else {
      throw ActuatorError(
        name: name, code: -opened,
        help: opened == -ENOTSUP
          ? "it has no force feedback: choose another /dev/input/event*"
          : "reading and writing it needs the group input")
    }
    descriptor = opened
    for intensity in RumbleActuator.intensities {
      // Three quarters of full strength on the large motor, a quarter on the small one.
      let effect = clinux_rumble_upload(
        descriptor, UInt16(0xC000 * intensity), UInt16(0x4000 * intensity),
        UInt16(clamping: milliseconds))
      // A device that holds fewer effects plays the last that it took.
      guard effect >= 0 else {
        if !effects.isEmpty { break }
        clinux_close(descriptor)
        throw ActuatorError(
          name: name, code: -effect, help: "another program may hold all of its effects")
      }
      effects.append(effect)
    }
  }

  deinit {
    for effect in effects { clinux_rumble_erase(descriptor, effect) }
    clinux_close(descriptor)
  }

  /// Which effect is nearest to an intensity of 0 to 1.
  static func level(_ intensity: Double) -> Int {
    let distances = intensities.map { abs($0 - intensity) }
    return distances.indices.min { distances[$0] < distances[$1] } ?? 0
  }

  public func fire(_ firing: BeatSchedule.Firing) -> String? {
    let effect = effects[min(RumbleActuator.level(firing.intensity), effects.count - 1)]
    // Two effects at once would add up.
    if let playing, playing != effect { rest() }
    playing = effect
    let result = clinux_rumble_play(descriptor, effect, 1)
    return result < 0 ? "\(name) could not be played (errno \(-result))" : nil
  }

  public func rest() {
    guard let effect = playing else { return }
    playing = nil
    _ = clinux_rumble_play(descriptor, effect, 0)
  }
}
