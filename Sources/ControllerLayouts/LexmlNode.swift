/// A node of a TouchOSC document, as its editor writes it: properties in alphabetical order, values,
/// messages and children, each left out where it is empty.
struct LexmlNode {
  enum Property {
    case flag(Bool)
    case integer(Int)
    case number(Double)
    case text(String)
    case frame(LayoutFrame)
    /// Red, green, blue, alpha, 0 to 1.
    case colour([Double])
  }

  /// How an argument, or the path, of a message is made.
  enum Partial {
    case constant(String, conversion: String)
    /// A value of the control, stretched to a range.
    case value(String, conversion: String, ClosedRange<Double>)
  }

  struct Message {
    var path: String
    var arguments: [Partial]
    /// ANY change of x, or its RISE only.
    var condition: String
    var receives: Bool
  }

  /// GROUP, PAGER, BUTTON, FADER, LABEL, BOX.
  var type: String
  var name: String
  var properties: [String: Property]
  /// Name and first value.
  var values: [(name: String, first: String)]
  var messages: [Message] = []
  var children: [LexmlNode] = []

  var xml: String { text(isRoot: false) }

  /// The whole document.
  var document: String {
    "<?xml version='1.0' encoding='UTF-8'?><lexml version='6'>\(text(isRoot: true))</lexml>"
  }

  private func text(isRoot: Bool) -> String {
    var all = properties
    all["name"] = .text(name)
    var result = "<node ID='\(LexmlNode.identifier(name))' type='\(type)'>"
    if isRoot { result += "<includes></includes>" }
    result += "<properties>"
    for (key, property) in all.sorted(by: { $0.key < $1.key }) {
      result += LexmlNode.property(key, property)
    }
    result += "</properties><values>"
    for value in values {
      result += "<value><key>\(LexmlNode.data(value.name))</key><locked>0</locked>"
      result += "<lockedDefaultCurrent>0</lockedDefaultCurrent>"
      result += "<default>\(LexmlNode.data(value.first))</default><defaultPull>0</defaultPull>"
      result += "</value>"
    }
    result += "</values>"
    if !messages.isEmpty {
      result += "<messages>\(messages.map(LexmlNode.message).joined())</messages>"
    }
    if !children.isEmpty {
      result += "<children>\(children.map(\.xml).joined())</children>"
    }
    return result + "</node>"
  }

  private static func data(_ text: String) -> String {
    // The end mark of the section is the only thing that may not stand in it.
    "<![CDATA["
      + text.split(separator: "]]>", omittingEmptySubsequences: false)
      .joined(separator: "]]]]><![CDATA[>") + "]]>"
  }

  private static func property(_ key: String, _ property: Property) -> String {
    let (type, value) =
      switch property {
      case .flag(let flag): ("b", flag ? "1" : "0")
      case .integer(let number): ("i", "\(number)")
      case .number(let number): ("f", LayoutText.number(number))
      case .text(let text): ("s", data(text))
      case .frame(let frame):
        (
          "r",
          "<x>\(frame.x)</x><y>\(frame.y)</y><w>\(frame.width)</w><h>\(frame.height)</h>"
        )
      case .colour(let parts):
        (
          "c",
          zip(["r", "g", "b", "a"], parts).map { "<\($0)>\(LayoutText.number($1))</\($0)>" }
            .joined()
        )
      }
    return "<property type='\(type)'><key>\(data(key))</key><value>\(value)</value></property>"
  }

  private static func message(_ message: Message) -> String {
    var result = "<osc><enabled>1</enabled><send>1</send>"
    result += "<receive>\(message.receives ? 1 : 0)</receive><feedback>0</feedback>"
    // One digit for each of ten connections, the first is the last digit.
    result += "<noDuplicates>0</noDuplicates><connections>0000000001</connections>"
    result += "<triggers><trigger><var>\(data("x"))</var>"
    result += "<condition>\(message.condition)</condition></trigger></triggers>"
    result += "<path>\(partial(.constant(message.path, conversion: "STRING")))</path>"
    return result + "<arguments>\(message.arguments.map(partial).joined())</arguments></osc>"
  }

  private static func partial(_ partial: Partial) -> String {
    let (type, conversion, value, range): (String, String, String, ClosedRange<Double>) =
      switch partial {
      case .constant(let value, let conversion): ("CONSTANT", conversion, value, 0...1)
      case .value(let name, let conversion, let range): ("VALUE", conversion, name, range)
      }
    return "<partial><type>\(type)</type><conversion>\(conversion)</conversion>"
      + "<value>\(data(value))</value><scaleMin>\(LayoutText.number(range.lowerBound))</scaleMin>"
      + "<scaleMax>\(LayoutText.number(range.upperBound))</scaleMax></partial>"
  }

  /// The same name has the same identifier, so that two runs write the same file.
  static func identifier(_ name: String) -> String {
    let digits = LayoutText.hexadecimal(fnv(name, 0)) + LayoutText.hexadecimal(fnv(name, 1))
    var result = ""
    for (index, digit) in digits.enumerated() {
      if [8, 12, 16, 20].contains(index) { result += "-" }
      result.append(digit)
    }
    return result
  }

  /// FNV-1a, 64 bits.
  private static func fnv(_ text: String, _ salt: UInt8) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in [salt] + Array(text.utf8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return hash
  }
}
