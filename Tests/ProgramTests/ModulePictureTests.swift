import Foundation
import Testing

/// The picture of the modules in `Sources/README.md` against the targets of `Package.swift`.
@Suite struct ModulePictureTests {
  @Test func `the picture shows every module once, and nothing else`() throws {
    let targets = try Target.inManifest()
    #expect(targets.count > 30)
    let shown = try picture(of: targets).flatMap { $0 }
    for target in targets {
      #expect(
        shown.count { $0 == target.name } == 1, "\(target.name) in Sources/README.md")
    }
  }

  @Test func `every dependency lies below what depends on it`() throws {
    let targets = try Target.inManifest()
    let rows = try picture(of: targets)
    var row: [String: Int] = [:]
    for (index, names) in rows.enumerated() { for name in names { row[name] = index } }
    for target in targets {
      for dependency in target.dependencies {
        let above = try #require(row[target.name], "\(target.name)")
        let below = try #require(row[dependency], "\(dependency)")
        #expect(above < below, "\(target.name) needs \(dependency)")
      }
    }
    #expect(targets.contains { $0.dependencies.count > 8 })
  }

  /// The names of modules in each line of the picture.
  private func picture(of targets: [Target]) throws -> [[String]] {
    let known = Set(targets.map(\.name))
    let page = try text(of: "Sources/README.md")
    let section = try #require(page.split(separator: "## The modules\n", maxSplits: 1).last)
    let lines = section.split(separator: "\n", omittingEmptySubsequences: false)
      .drop { !$0.hasPrefix("    ") }.prefix { $0.hasPrefix("    ") }
    return lines.map { line in
      // Two spaces end the names where the description begins; names never stand in descriptions.
      line.split(separator: " ").map(String.init).filter(known.contains)
    }
  }
}

/// A target of the manifest with those of its dependencies that are targets themselves.
private struct Target {
  let name: String
  let dependencies: [String]

  static func inManifest() throws -> [Target] {
    let manifest = try text(of: "Package.swift")
    let body = try #require(manifest.split(separator: "  targets: [\n", maxSplits: 1).last)
      .split(separator: "if let wantedTests", maxSplits: 1)[0]
    let engine = try #require(
      manifest.split(separator: "let engine: [Target.Dependency] = [", maxSplits: 1).last)
    let shared = strings(in: engine.prefix { $0 != "]" })
    var found: [(name: String, rest: [String])] = []
    // One piece a call; the tests' calls are other names.
    for call in calls(in: body) {
      var names = strings(in: call)
      // What a test starts as a program is no part of the product.
      guard !names.isEmpty, !call.contains("path: \"Tests/") else { continue }
      if call.contains("engine") { names += shared }
      found.append((names.removeFirst(), names))
    }
    let known = Set(found.map(\.name))
    return found.map { one in
      Target(
        name: one.name,
        dependencies: Set(one.rest).filter { $0 != one.name && known.contains($0) }.sorted())
    }
  }

  /// The text between the outer parentheses of each call that declares a module.
  private static func calls(in body: Substring) -> [String] {
    let openings = [
      ".systemLibrary(", ".target(", ".executableTarget(", " library(", " analysis(", " program(",
    ]
    // Comments name modules too.
    let lines = body.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("//") }
    var rest = lines.joined(separator: "\n")[...]
    var result: [String] = []
    while !rest.isEmpty {
      guard let opening = openings.first(where: { rest.hasPrefix($0) }) else {
        rest = rest.dropFirst()
        continue
      }
      rest = rest.dropFirst(opening.count)
      var depth = 1
      let call = rest.prefix { character in
        if character == "(" { depth += 1 }
        if character == ")" { depth -= 1 }
        return depth > 0
      }
      result.append(String(call))
      rest = rest.dropFirst(call.count)
    }
    return result
  }

  private static func strings(in text: some StringProtocol) -> [String] {
    var result: [String] = []
    for (index, part) in text.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
    where index % 2 == 1 {
      result.append(String(part))
    }
    return result
  }
}

/// A file of the package.
private func text(of name: String) throws -> String {
  let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
  return try String(
    contentsOf: URL(fileURLWithPath: root.joined(separator: "/") + "/" + name), encoding: .utf8)
}
