import Glibc
public import MetronomeModel

/// Files that are called by bare names: the user's folder shadows those that came with the program.
///
/// Names never leave their folder: no separator, no leading dot, no symbolic link.
///
/// - Thread: control; reads and writes files.
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

  /// The folders in which a name is looked up, in that order.
  public var folders: [String] { [userFolder] + shippedFolders }

  private func names(in folder: String) -> [String] {
    FolderListing.entries(of: folder).compactMap { entry in
      guard entry.hasSuffix(ending), entry.utf8.count > ending.utf8.count else { return nil }
      return try? SafeName(entry.dropLast(ending.count)).text
    }
  }

  /// The name that a person meant, by itself or by its number in `names()`.
  ///
  /// - Parameter names: those that have a number; nil for all.
  public func name(
    _ wanted: NameOrNumber, among numbered: (() -> [String])? = nil
  ) throws(StoreError) -> String {
    switch wanted.resolved(among: self.names()) {
    case .name(let text):
      return try safe(text).text
    case .number(let number):
      let names = numbered?() ?? self.names()
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
    for folder in folders {
      let path = "\(folder)/\(spelling(of: safe.text, in: folder))\(ending)"
      if let bytes = try WholeFile.read(path, atMost: largest) { return (bytes, path) }
    }
    let nearest = names().min {
      EditDistance.between($0, name) < EditDistance.between($1, name)
    }
    let isNear = nearest.map { EditDistance.between($0, name) <= max(2, name.count / 3) } ?? false
    throw .notFound(
      kind: kind, name: name, nearest: isNear ? nearest : nil, folders: folders)
  }

  /// A name as the folder spells it: a letter with an accent is one character or two, and both are
  /// the same name, but not the same bytes.
  private func spelling(of name: String, in folder: String) -> String {
    names(in: folder).first { $0 == name } ?? name
  }

  /// Saves so that a power cut leaves the old file or the new one, never half of one.
  ///
  /// - Parameter isOurs: whether what stands there already may be replaced: a file that was written
  ///   by hand holds what would be lost.
  public func save(
    _ text: String, as name: String, isOurs: ([UInt8], String) -> StoreError? = { _, _ in nil }
  ) throws(StoreError) {
    let safe = try safe(name)
    WholeFile.makeFolder(userFolder)
    let present = names(in: userFolder)
    guard present.contains(safe.text) || present.count < most else {
      throw .full(kind: kind, folder: userFolder, most: most)
    }
    let file = "\(spelling(of: safe.text, in: userFolder))\(ending)"
    let path = "\(userFolder)/\(file)"
    if let old = try WholeFile.read(path, atMost: largest), let problem = isOurs(old, path) {
      throw problem
    }
    try WholeFile.replace(Array(text.utf8), folder: userFolder, file: file)
  }

  private func safe(_ name: String) throws(StoreError) -> SafeName {
    do { return try SafeName(name) } catch {
      throw .name(kind: kind, reason: error.description)
    }
  }
}

/// The order in which people count: runs of digits compare as numbers.
enum NaturalOrder {
  /// What brings everything back comes first: a pedal's `next` from nothing must do no harm.
  static let first = "default"

  static func precedes(_ first: String, _ second: String) -> Bool {
    if first == NaturalOrder.first || second == NaturalOrder.first {
      return first == NaturalOrder.first && second != NaturalOrder.first
    }
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
