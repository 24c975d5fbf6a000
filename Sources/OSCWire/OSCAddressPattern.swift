/// An OSC 1.0 address pattern: `?`, `*`, `[a-z]`, `[!abc]`, `{foo,bar}`; none of them crosses `/`.
///
/// The pattern becomes a state machine whose states advance side by side, so that a match takes
/// time in proportion to pattern x address, whatever the pattern: a matcher that backtracks can be
/// held up for minutes by one packet.
///
/// - Thread: any
public struct OSCAddressPattern: Sendable {
  /// `?`, `*`, `[`, `{` in one pattern at the most.
  public static let maximumWildcards = 8
  /// Bytes of a pattern at the most.
  public static let maximumLength = 256

  private enum State: Sendable {
    case byte(UInt8, next: Int)
    /// Any byte but `/`.
    case any(next: Int)
    case oneOf([ClosedRange<UInt8>], isNegated: Bool, next: Int)
    case split([Int])
    case end
  }

  private var states: [State] = []
  private var first = 0

  /// Whether an address has any wildcard at all.
  public static func isPattern(_ address: String) -> Bool {
    address.utf8.contains { byte in
      switch byte {
      case UInt8(ascii: "?"), UInt8(ascii: "*"), UInt8(ascii: "["), UInt8(ascii: "{"): true
      default: false
      }
    }
  }

  /// - Returns: nil where brackets do not match, or the pattern is too long or has too many
  ///   wildcards.
  public init?(_ pattern: String) {
    let bytes = Array(pattern.utf8)
    guard bytes.count <= OSCAddressPattern.maximumLength else { return nil }
    var wildcards = 0
    var index = 0
    var elements: [Element] = []
    while index < bytes.count {
      guard let element = OSCAddressPattern.element(bytes, &index) else { return nil }
      if case .byte = element {} else { wildcards += 1 }
      elements.append(element)
    }
    guard wildcards <= OSCAddressPattern.maximumWildcards else { return nil }
    build(elements)
  }

  private enum Element {
    case byte(UInt8)
    case any
    case run
    case oneOf([ClosedRange<UInt8>], isNegated: Bool)
    case words([[UInt8]])
  }

  private static func element(_ bytes: [UInt8], _ index: inout Int) -> Element? {
    let byte = bytes[index]
    index += 1
    switch byte {
    case UInt8(ascii: "?"): return .any
    case UInt8(ascii: "*"): return .run
    case UInt8(ascii: "["): return set(bytes, &index)
    case UInt8(ascii: "{"): return words(bytes, &index)
    case UInt8(ascii: "]"), UInt8(ascii: "}"): return nil
    default: return .byte(byte)
    }
  }

  private static func set(_ bytes: [UInt8], _ index: inout Int) -> Element? {
    guard let close = bytes[index...].firstIndex(of: UInt8(ascii: "]")) else { return nil }
    var body = bytes[index..<close]
    index = close + 1
    let isNegated = body.first == UInt8(ascii: "!")
    if isNegated { body = body.dropFirst() }
    guard !body.isEmpty else { return nil }
    var ranges: [ClosedRange<UInt8>] = []
    while let low = body.first {
      body = body.dropFirst()
      // A minus at the end stands for itself.
      if body.first == UInt8(ascii: "-"), let high = body.dropFirst().first {
        body = body.dropFirst(2)
        ranges.append(min(low, high)...max(low, high))
      } else {
        ranges.append(low...low)
      }
    }
    return .oneOf(ranges, isNegated: isNegated)
  }

  private static func words(_ bytes: [UInt8], _ index: inout Int) -> Element? {
    guard let close = bytes[index...].firstIndex(of: UInt8(ascii: "}")) else { return nil }
    let body = bytes[index..<close]
    index = close + 1
    let words = body.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
    let special = Array("[]{}*?/".utf8)
    guard !body.contains(where: { special.contains($0) }) else { return nil }
    return .words(words.map { Array($0) })
  }

  /// Builds from the end, so that every state knows the one after it.
  private mutating func build(_ elements: [Element]) {
    states = [.end]
    var next = 0
    for element in elements.reversed() {
      switch element {
      case .byte(let byte):
        next = add(.byte(byte, next: next))
      case .any:
        next = add(.any(next: next))
      case .oneOf(let ranges, let isNegated):
        next = add(.oneOf(ranges, isNegated: isNegated, next: next))
      case .run:
        let loop = add(.end)
        let step = add(.any(next: loop))
        states[loop] = .split([step, next])
        next = loop
      case .words(let words):
        var starts: [Int] = []
        for word in words {
          var after = next
          for byte in word.reversed() { after = add(.byte(byte, next: after)) }
          starts.append(after)
        }
        next = add(.split(starts))
      }
    }
    first = next
  }

  private mutating func add(_ state: State) -> Int {
    states.append(state)
    return states.count - 1
  }

  public func matches(_ address: String) -> Bool {
    var active: [Int] = []
    // The number of the byte for which a state was entered, so that none is entered twice.
    var enteredAt = [Int](repeating: -1, count: states.count)
    var position = 0
    enter(first, &active, &enteredAt, position)
    for byte in address.utf8 {
      position += 1
      var following: [Int] = []
      for index in active {
        guard let next = step(states[index], byte) else { continue }
        enter(next, &following, &enteredAt, position)
      }
      guard !following.isEmpty else { return false }
      active = following
    }
    return active.contains(0)
  }

  private func step(_ state: State, _ byte: UInt8) -> Int? {
    switch state {
    case .byte(let wanted, let next): return byte == wanted ? next : nil
    case .any(let next): return byte == UInt8(ascii: "/") ? nil : next
    case .oneOf(let ranges, let isNegated, let next):
      guard byte != UInt8(ascii: "/") else { return nil }
      return ranges.contains { $0.contains(byte) } != isNegated ? next : nil
    case .split, .end: return nil
    }
  }

  private func enter(
    _ state: Int, _ active: inout [Int], _ enteredAt: inout [Int], _ position: Int
  ) {
    guard enteredAt[state] != position else { return }
    enteredAt[state] = position
    active.append(state)
    if case .split(let nexts) = states[state] {
      for next in nexts { enter(next, &active, &enteredAt, position) }
    }
  }
}
