/// What editors leave at the head of a text.
///
/// - Thread: any
enum TextEncoding {
  /// Bytes of a UTF-8 byte order mark, which is no part of the text; 0 where there is none.
  ///
  /// - Throws: where the mark says that the text is UTF-16.
  static func markLength(_ bytes: [UInt8], file: String) throws(FormatError) -> Int {
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      throw FormatError(
        file: file, line: 1, column: 1, reason: "text is UTF-16: save it as UTF-8")
    }
    return bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
  }
}
