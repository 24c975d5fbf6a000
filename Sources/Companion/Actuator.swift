internal import CLinux
internal import Glibc
internal import MetronomeModel

/// Something that a beat moves: a lamp, a motor, a line on the terminal.
///
/// - Thread: companion
public protocol Actuator: AnyObject {
  /// What it is, for messages.
  var name: String { get }
  /// Begins the beat's effect.
  ///
  /// - Returns: what went wrong, in words; nil where nothing did.
  func fire(_ firing: BeatSchedule.Firing) -> String?
  /// Ends it, some milliseconds later.
  func rest()
}

/// A Linux LED: `/sys/class/leds/NAME`.
public final class LEDActuator: Actuator {
  public let name: String
  private let descriptor: Int32
  private let brightest: Int

  /// - Throws: where there is no such LED, or it may not be written.
  public init(_ led: String) throws(ActuatorError) {
    let folder = led.hasPrefix("/") ? led : "/sys/class/leds/\(led)"
    name = "LED '\(led)'"
    brightest = LEDActuator.number(inFile: "\(folder)/max_brightness") ?? 1
    let result = unsafe clinux_open_for_writing("\(folder)/brightness")
    guard result >= 0 else {
      throw ActuatorError(
        name: name, code: -result,
        help: "list them with 'ls /sys/class/leds'; writing needs root or a udev rule")
    }
    descriptor = result
  }

  deinit { clinux_close(descriptor) }

  public func fire(_ firing: BeatSchedule.Firing) -> String? {
    set(max(1, Int((Double(brightest) * firing.intensity).rounded())))
  }

  public func rest() { _ = set(0) }

  private func set(_ brightness: Int) -> String? {
    let text = "\(brightness)\n"
    let result = unsafe clinux_write_at_start(descriptor, text, Int32(text.utf8.count))
    return result < 0 ? "\(name) could not be set (errno \(-result))" : nil
  }

  private static func number(inFile path: String) -> Int? {
    guard let file = unsafe fopen(path, "re") else { return nil }
    defer { unsafe fclose(file) }
    var line = [CChar](repeating: 0, count: 32)
    guard unsafe fgets(&line, 32, file) != nil else { return nil }
    let bytes = line.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }
    return Int(String(decoding: bytes, as: UTF8.self))
  }
}

/// A line on the terminal that lights up.
public final class TerminalActuator: Actuator {
  public let name = "terminal"

  public init() {}

  public func fire(_ firing: BeatSchedule.Firing) -> String? {
    let beat = firing.beat
    let lamp = beat.accent == .strong ? "\u{1B}[7m  X  \u{1B}[0m" : "\u{1B}[7m x \u{1B}[0m  "
    write("\r\(lamp) bar \(beat.bar) beat \(beat.beat)\(firing.isPresumed ? " ?" : "")\u{1B}[K")
    return nil
  }

  public func rest() { write("\r     ") }

  private func write(_ text: String) {
    var text = text
    text.withUTF8 { bytes in _ = unsafe Glibc.write(1, bytes.baseAddress, bytes.count) }
  }
}

/// Why something could not be driven.
public struct ActuatorError: Error, Equatable, Sendable, CustomStringConvertible {
  public var name: String
  public var code: Int32
  public var help: String

  public init(name: String, code: Int32, help: String) {
    self.name = name
    self.code = code
    self.help = help
  }

  public var description: String {
    let reason = unsafe strerror(code).map { unsafe String(cString: $0) } ?? "errno \(code)"
    return "\(name): \(reason); \(help)"
  }
}
