import Foundation

/// `tactus` as it was built, beside the daemon.
enum BuiltProgram {
  struct Ended {
    var code: Int32
    var output: Data
    var error: String
    var text: String { String(decoding: output, as: UTF8.self) }
  }

  /// Words as a shell would split them; no quoting.
  static func run(_ line: String, environment: [String: String] = [:]) throws -> Ended {
    let process = Process()
    process.executableURL = DaemonProcess.binary.deletingLastPathComponent()
      .appendingPathComponent("tactus")
    process.arguments = line.split(separator: " ").map(String.init)
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    let output = Pipe()
    process.standardOutput = output
    // Errors are few: a pipe holds them while the output is read to its end.
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return Ended(code: process.terminationStatus, output: data, error: text)
  }
}
