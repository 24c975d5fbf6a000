/// Names with `*` for any run and `?` for any one character; case and blanks at either end do not
/// count.
///
/// - Thread: any
public enum NamePattern {
  /// In linear space and at most length times length steps.
  public static func matches(_ pattern: String, _ name: String) -> Bool {
    let pattern = Array(trimmed(pattern).lowercased())
    let text = Array(trimmed(name).lowercased())
    var at = 0
    var position = 0
    var star: (pattern: Int, text: Int)?
    while position < text.count {
      if at < pattern.count, pattern[at] == "*" {
        star = (at, position)
        at += 1
      } else if at < pattern.count, pattern[at] == "?" || pattern[at] == text[position] {
        at += 1
        position += 1
      } else if let last = star {
        star = (last.pattern, last.text + 1)
        at = last.pattern + 1
        position = last.text + 1
      } else {
        return false
      }
    }
    return pattern[at...].allSatisfy { $0 == "*" }
  }

  /// A name without the blanks around it.
  public static func trimmed(_ name: some StringProtocol) -> String {
    let start = name.drop { $0 == " " }
    return String(start.reversed().drop { $0 == " " }.reversed())
  }
}
