/// Whether a file of ours was written or changed by a person.
///
/// - Thread: any
enum HandWritten {
  /// What would be lost if the file were written anew; nil where nothing would.
  static func problem(
    _ bytes: [UInt8], path: String, kind: String,
    read: ([UInt8], String) throws(FormatError) -> Void
  ) -> StoreError? {
    do throws(FormatError) { try read(bytes, path) } catch {
      return .writtenByHand(
        kind: kind, path: path,
        what:
          "holds what is not understood (\(error.key.isEmpty ? "" : "\(error.key): ")\(error.reason))"
      )
    }
    guard hasComments(bytes) else { return nil }
    return .writtenByHand(kind: kind, path: path, what: "holds comments")
  }

  /// - Precondition: the text has been read as JSON with comments.
  static func hasComments(_ bytes: [UInt8]) -> Bool {
    var isText = false
    var isEscaped = false
    for byte in bytes {
      if isEscaped {
        isEscaped = false
      } else if isText {
        if byte == UInt8(ascii: "\\") { isEscaped = true }
        if byte == UInt8(ascii: "\"") { isText = false }
      } else if byte == UInt8(ascii: "\"") {
        isText = true
      } else if byte == UInt8(ascii: "/") {
        // Outside a text nothing else begins with it.
        return true
      }
    }
    return false
  }
}
