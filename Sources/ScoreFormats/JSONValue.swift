/// A place in a text, both counted from 1.
public struct JSONPlace: Equatable, Sendable {
  public var line: Int
  public var column: Int

  public init(line: Int = 1, column: Int = 1) {
    self.line = line
    self.column = column
  }
}

/// A value and where it stood.
public struct JSONNode: Sendable {
  public var value: JSONValue
  public var place: JSONPlace

  public init(_ value: JSONValue, place: JSONPlace = JSONPlace()) {
    self.value = value
    self.place = place
  }
}

/// A value of JSON (RFC 8259); members keep their order.
///
/// - Thread: any
public indirect enum JSONValue: Sendable {
  case null
  case bool(Bool)
  case number(JSONNumber)
  case string(String)
  case array([JSONNode])
  case object([JSONMember])

  /// What a person calls it.
  var kind: String {
    switch self {
    case .null: "null"
    case .bool: "true or false"
    case .number: "a number"
    case .string: "a text"
    case .array: "a list"
    case .object: "an object"
    }
  }

  /// The value as an error message shows it.
  var shown: String {
    switch self {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .number(let number): String(number.text.prefix(40))
    case .string(let text): "'\(text.prefix(60))'"
    case .array, .object: kind
    }
  }

  public static func number(_ value: Double) -> JSONValue { .number(JSONNumber(value)) }
  public static func integer(_ value: Int) -> JSONValue { .number(JSONNumber(text: "\(value)")) }
  public static func list(_ values: [JSONValue]) -> JSONValue {
    .array(values.map { JSONNode($0) })
  }
  public static func members(_ members: [(String, JSONValue?)]) -> JSONValue {
    .object(
      members.compactMap { key, value in value.map { JSONMember(key: key, node: JSONNode($0)) } })
  }
}

extension JSONValue: Equatable {
  /// Places do not count.
  public static func == (left: JSONValue, right: JSONValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let a), .bool(let b)): a == b
    case (.number(let a), .number(let b)): a.text == b.text
    case (.string(let a), .string(let b)): a == b
    case (.array(let a), .array(let b)): a.map(\.value) == b.map(\.value)
    case (.object(let a), .object(let b)):
      a.map(\.key) == b.map(\.key) && a.map(\.node.value) == b.map(\.node.value)
    default: false
    }
  }
}

/// A number as it was written, so that nothing is lost of it.
public struct JSONNumber: Sendable {
  public let text: String

  init(text: String) { self.text = text }

  /// - Precondition: `value` is finite; else it is written as 0.
  init(_ value: Double) {
    guard value.isFinite else {
      text = "0"
      return
    }
    let written = "\(value)"
    text = written.hasSuffix(".0") ? String(written.dropLast(2)) : written
  }

  /// Not finite where it passes what a Double can hold.
  var double: Double { Double(text) ?? .nan }
}

public struct JSONMember: Sendable {
  public var key: String
  public var keyPlace: JSONPlace
  public var node: JSONNode

  public init(key: String, keyPlace: JSONPlace = JSONPlace(), node: JSONNode) {
    self.key = key
    self.keyPlace = keyPlace
    self.node = node
  }
}
