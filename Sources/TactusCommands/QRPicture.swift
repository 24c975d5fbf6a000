internal import CQRencode

/// A QR code as lines of a terminal: two modules in each character, one above the other.
///
/// Source: ISO/IEC 18004; the quiet zone of four modules around it is part of the code.
enum QRPicture {
  private static let quietZone = 4

  /// - Parameter isColoured: sets black on white itself, so that it can be read on a terminal of
  ///   any colours; without it the terminal's own, for dark text on a light ground.
  /// - Returns: nil where the text does not fit into a code.
  static func lines(_ text: String, isColoured: Bool) -> [String]? {
    // The least correction suffices for a screen, and gives the largest modules.
    guard let code = unsafe QRcode_encodeString8bit(text, 0, QR_ECLEVEL_L) else { return nil }
    defer { unsafe QRcode_free(code) }
    let width = Int(unsafe code.pointee.width)
    guard let data = unsafe code.pointee.data else { return nil }
    func isDark(_ row: Int, _ column: Int) -> Bool {
      guard (0..<width).contains(row), (0..<width).contains(column) else { return false }
      // The lowest bit of a module says whether it is dark.
      return unsafe data[row * width + column] & 1 == 1
    }
    let range = -quietZone..<width + quietZone
    return stride(from: range.lowerBound, to: range.upperBound, by: 2).map { row in
      let modules = range.map { column in
        switch (isDark(row, column), isDark(row + 1, column)) {
        case (true, true): "█"
        case (true, false): "▀"
        case (false, true): "▄"
        case (false, false): " "
        }
      }
      let line = modules.joined()
      return isColoured ? "\u{1B}[38;5;16;48;5;231m\(line)\u{1B}[0m" : line
    }
  }
}
