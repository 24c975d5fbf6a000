/// How we take part in a session of Ableton Link.
///
/// - Thread: any
public enum LinkMode: String, Equatable, Sendable, CaseIterable {
  case off
  /// Tempo and phase are the session's.
  case follow
  /// Whoever changes the tempo last has it, we or they; phase is the session's.
  case peer
  /// Tempo and phase are ours; what others set is put back.
  case lead
}

/// After how many quarters the phase of a session begins anew.
///
/// - Thread: any
public enum LinkQuantum: Equatable, Sendable, CustomStringConvertible {
  /// With each bar of the meter in force.
  case bar
  case quarters(Double)

  /// Reads `bar` or a number of quarters.
  ///
  /// - Returns: nil where it is neither, or outside `Limits.linkQuarters`.
  public init?(text: String) {
    if text.lowercased() == "bar" {
      self = .bar
    } else {
      guard let number = Double(text) else { return nil }
      self.init(quarters: number)
    }
  }

  public init?(quarters: Double) {
    guard Limits.linkQuarters.contains(quarters) else { return nil }
    self = .quarters(quarters)
  }

  public var description: String {
    switch self {
    case .bar: "bar"
    case .quarters(let number):
      number == number.rounded() ? "\(Int(number))" : "\(number)"
    }
  }
}
