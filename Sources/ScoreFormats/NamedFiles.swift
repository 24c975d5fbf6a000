import Glibc
public import MetronomeModel

/// Files that are called by bare names: the user's folder shadows those that came with the program.
///
/// Names never leave their folder: no separator, no leading dot, no symbolic link.
///
/// - Thread: conductor; reads and writes files.
public struct NamedFiles: Sendable {
  /// What a file is called in messages: `preset`, `setlist`, `tempo map`.
  public let kind: String
  /// Where files are saved.
  public let userFolder: String
  public let shippedFolders: [String]
  /// With its dot: `.json`.
  public let ending: String
  /// Files in the user's folder.
  public let most: Int
  /// Bytes of a file.
  public let largest: Int

  public init(
    kind: String, userFolder: String, shippedFolders: [String] = [], ending: String = ".json",
    most: Int = Limits.savedPresets, largest: Int = JSONParser.largestText
  ) {
    self.largest = largest
    self.kind = kind
    self.userFolder = userFolder
    self.shippedFolders = shippedFolders
    self.ending = ending
    self.most = most
  }

  /// All names, each once, in the order in which people count: `song 2` before `song 10`.
  public func names() -> [String] {
    var all: Set<String> = []
    for folder in [userFolder] + shippedFolders { all.formUnion(names(in: folder)) }
    return all.sorted(by: NaturalOrder.precedes)
  }

  private func names(in folder: String) -> [String] {
    FolderListing.entries(of: folder).compactMap { entry in
      guard entry.hasSuffix(ending), entry.utf8.count > ending.utf8.count else { return nil }
      return try? SafeName(entry.dropLast(ending.count)).text
    }
  }

  /// The name that a person meant, by itself or by its number in `names()`.
  public func name(_ wanted: NameOrNumber) throws(StoreError) -> String {
    switch wanted {
    case .name(let text):
      return try safe(text).text
    case .number(let number):
      let names = names()
      guard !names.isEmpty else { throw .empty(kind: kind) }
      guard names.indices.contains(number &- 1) else {
        throw .number(kind: kind, number, count: names.count)
      }
      return names[number - 1]
    }
  }

  /// The bytes of a file and the path it was found at.
  public func read(_ name: String) throws(StoreError) -> (bytes: [UInt8], path: String) {
    let safe = try safe(name)
    for folder in [userFolder] + shippedFolders {
      let path = "\(folder)/\(safe)\(ending)"
      if let bytes = try WholeFile.read(path, atMost: largest) { return (bytes, path) }
    }
    let nearest = names().min {
      EditDistance.between($0, name) < EditDistance.between($1, name)
    }
    let isNear = nearest.map { EditDistance.between($0, name) <= max(2, name.count / 3) } ?? false
    throw .notFound(kind: kind, name: name, nearest: isNear ? nearest : nil)
  }

  /// Saves so that a power cut leaves the old file or the new one, never half of one.
  public func save(_ text: String, as name: String) throws(StoreError) {
    let safe = try safe(name)
    WholeFile.makeFolder(userFolder)
    let present = names(in: userFolder)
    guard present.contains(safe.text) || present.count < most else {
      throw .full(kind: kind, folder: userFolder, most: most)
    }
    try WholeFile.replace(Array(text.utf8), folder: userFolder, file: "\(safe)\(ending)")
  }

  private func safe(_ name: String) throws(StoreError) -> SafeName {
    do { return try SafeName(name) } catch {
      throw .name(kind: kind, reason: error.description)
    }
  }
}

/// The order in which people count: runs of digits compare as numbers.
enum NaturalOrder {
  static func precedes(_ first: String, _ second: String) -> Bool {
    var a = Array(first.utf8)[...]
    var b = Array(second.utf8)[...]
    while let x = a.first, let y = b.first {
      if isDigit(x), isDigit(y) {
        let left = a.prefix(while: isDigit).drop { $0 == UInt8(ascii: "0") }
        let right = b.prefix(while: isDigit).drop { $0 == UInt8(ascii: "0") }
        if left.count != right.count { return left.count < right.count }
        if !left.elementsEqual(right) { return left.lexicographicallyPrecedes(right) }
        a = a.drop(while: isDigit)
        b = b.drop(while: isDigit)
      } else {
        if x != y { return x < y }
        a = a.dropFirst()
        b = b.dropFirst()
      }
    }
    if a.isEmpty != b.isEmpty { return a.isEmpty }
    // Equal but for zeros before digits.
    return first < second
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
