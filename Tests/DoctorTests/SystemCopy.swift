import Foundation

@testable import Doctor

/// Files of a made-up system in a folder that is gone after the test.
final class SystemCopy {
  let root: String
  var files: SystemFiles { SystemFiles(root: root) }

  init(_ texts: [String: String] = [:]) throws {
    root = "\(NSTemporaryDirectory())/tactus-doctor-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    for (path, text) in texts { try put(path, text) }
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  func put(_ path: String, _ text: String) throws {
    let url = URL(fileURLWithPath: root + path)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  func link(_ path: String, to target: String) throws {
    let url = URL(fileURLWithPath: root + path)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: url.path, withDestinationPath: target)
  }
}

extension [Finding] {
  subscript(_ name: String) -> Finding? { first { $0.name == name } }
}
