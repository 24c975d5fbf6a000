internal import Glibc
internal import MetronomeModel
internal import ScoreFormats

extension TakeFolder {
  /// A name that no take has yet; the folder is made where it is missing.
  ///
  /// - Parameter wanted: nil is made from the local date and time.
  public func freshName(_ wanted: String?) throws(TakeError) -> String {
    WholeFile.makeFolder(path)
    if let wanted {
      let name = try TakeFolder.name(wanted)
      guard !isTaken(name) else { throw .exists(path: "\(path)/\(name).wav") }
      return name
    }
    var now = time(nil)
    var parts = unsafe tm()
    unsafe localtime_r(&now, &parts)
    var text = [CChar](repeating: 0, count: 64)
    // No colon: shares and cards of other systems refuse it.
    let length = unsafe strftime(&text, text.count, "%Y-%m-%d %H.%M.%S", &parts)
    let base = String(decoding: text.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    for number in 1..<1_000 {
      let name = number == 1 ? base : "\(base) \(number)"
      if !isTaken(name) { return name }
    }
    throw .exists(path: "\(path)/\(base).wav")
  }

  private func isTaken(_ name: String) -> Bool {
    var status = stat()
    return unsafe lstat("\(path)/\(name).wav", &status) == 0
  }

  /// Names of the takes, the newest first, so many at most: for an answer that must fit a packet.
  public func newest(_ most: Int) -> [String] {
    let found = (try? entries()) ?? []
    return found.sorted { ($0.changed, $0.name) > ($1.changed, $1.name) }.prefix(most).map(\.name)
  }
}
