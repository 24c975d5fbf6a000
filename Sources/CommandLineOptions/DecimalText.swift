/// Numbers as people type them: `120`, `99.95`, `-3`, `1e3`.
///
/// - Thread: any
public enum DecimalText {
  /// Finite; nil for what only a programmer writes: `0x10`, `inf`, `nan`.
  public static func number(_ text: some StringProtocol) -> Double? {
    let isDecimal = text.utf8.allSatisfy {
      (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0)
    }
    guard isDecimal, let number = Double(text), number.isFinite else { return nil }
    return number
  }
}
