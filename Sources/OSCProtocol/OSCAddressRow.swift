public import OSCWire
public import MetronomeModel

/// What a message asks for, after its address and arguments were read.
public enum OSCIntent: Equatable, Sendable {
  case command(ControlCommand)
  /// A button was let go: nothing happens.
  case release
  /// The value of this address is wanted.
  case ask
  /// A tap; its instant and series belong to the server.
  case tap
  case subscribe(port: Int?, topics: SubscriptionTopics?, seconds: Double?)
  case unsubscribe(port: Int?)
  case unsubscribeHost(String)
  case subscribers
  case state
  case information(InformationQuery)
  case ping([OSCValue])
  case sync(identifier: OSCValue, sentAt: Int64)
  case clock
  /// Where the page for browsers is.
  case page([String])
  case lock(pin: String?)
  case unlock(pin: String?)
}

/// What is answered from the running program rather than from published values.
public enum InformationQuery: Equatable, Sendable, CaseIterable {
  case info, stats, presets, setlists, entries, songs, sections, learned, takes, calibrations
}

/// What a subscriber wants to hear of.
public struct SubscriptionTopics: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  public static let beat = SubscriptionTopics(rawValue: 1)
  public static let sub = SubscriptionTopics(rawValue: 2)
  public static let state = SubscriptionTopics(rawValue: 4)
  public static let all: SubscriptionTopics = [.beat, .sub, .state]

  /// In words, as a subscription names them.
  public var words: String {
    let names: [(SubscriptionTopics, String)] = [(.beat, "beat"), (.sub, "sub"), (.state, "state")]
    return names.filter { contains($0.0) }.map(\.1).joined(separator: " ")
  }

  public init?(word: some StringProtocol) {
    switch word {
    case "beat": self = .beat
    case "sub": self = .sub
    case "state": self = .state
    case "all": self = .all
    default: return nil
    }
  }
}

/// Arguments that fit one form of an address.
public struct OSCArguments: Sendable {
  /// Which of the row's forms they fit.
  public let form: Int
  public let readings: [OSCReading]
  /// The `<port>` of an address such as `midi/<port>/clock`.
  public let port: String

  func number(_ index: Int) -> Double? {
    switch at(index) {
    case .number(let value): value
    case .integer(let value): Double(value)
    default: nil
    }
  }
  func integer(_ index: Int) -> Int? {
    if case .integer(let value) = at(index) { value } else { nil }
  }
  func flag(_ index: Int) -> Bool? {
    if case .flag(let value) = at(index) { value } else { nil }
  }
  func text(_ index: Int) -> String? {
    if case .text(let value) = at(index) { value } else { nil }
  }
  func value(_ index: Int) -> OSCValue? {
    if case .value(let value) = at(index) { value } else { nil }
  }

  private func at(_ index: Int) -> OSCReading {
    readings.indices.contains(index) ? readings[index] : .absent
  }
}

/// One row of the address table.
///
/// - Thread: any
public struct OSCAddressRow: Sendable {
  public enum Access: String, Sendable {
    /// Acts on 1, T, I or nothing; 0 and F are a button's release.
    case trigger
    /// Can be set, is sent on change, and is sent to whoever asks with no argument.
    case value
    /// Does something with its arguments.
    case action
    /// Is sent, and sent to whoever asks.
    case report
    /// Is sent only.
    case event
  }

  /// Who may use it.
  public enum Permission: Int, Comparable, Sendable {
    case observe = 1
    case play = 2
    case admin = 3
    public static func < (left: Permission, right: Permission) -> Bool {
      left.rawValue < right.rawValue
    }
  }

  /// Below `/tactus/`; `<port>` stands for a name.
  public let path: String
  /// The argument forms, each of them complete.
  public let forms: [[OSCArgument]]
  public let access: Access
  public let permission: Permission
  /// Over the rate limit only the newest value counts.
  public let isContinuous: Bool
  /// Passes every rate limit.
  public let isUrgent: Bool
  /// Makes sounds or reads files: some milliseconds, in which a Stop would wait.
  public var isCostly: Bool {
    guard access != .report, let word = path.split(separator: "/").first else { return false }
    return ["sound", "pitch", "route", "analogsync", "preset", "setlist", "map"].contains(word)
  }
  /// Where there is no time for all, the newest value is done later.
  package var isCoalesced: Bool { isContinuous || (isCostly && access == .value) }
  public let documentation: String
  let make: @Sendable (OSCArguments) throws(OSCRefusal) -> OSCIntent

  init(
    _ path: String, _ access: Access, _ forms: [[OSCArgument]],
    permission: Permission = .play, continuous: Bool = false, urgent: Bool = false,
    _ documentation: String,
    make: @escaping @Sendable (OSCArguments) throws(OSCRefusal) -> OSCIntent = {
      _ throws(OSCRefusal) -> OSCIntent in .ask
    }
  ) {
    self.path = path
    self.forms = forms
    self.access = access
    self.permission = permission
    self.isContinuous = continuous
    self.isUrgent = urgent
    self.documentation = documentation
    self.make = make
  }

  /// An address without arguments.
  init(
    _ path: String, _ access: Access, permission: Permission = .play, urgent: Bool = false,
    _ documentation: String,
    make: @escaping @Sendable (OSCArguments) throws(OSCRefusal) -> OSCIntent = {
      _ throws(OSCRefusal) -> OSCIntent in .ask
    }
  ) {
    self.init(
      path, access, [[]], permission: permission, urgent: urgent, documentation, make: make)
  }

  public var address: String { OSCAddressTable.prefix + path }
}
