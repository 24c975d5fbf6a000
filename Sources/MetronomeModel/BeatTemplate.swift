/// Addresses and words in which the beat's own facts stand as `{bar}`.
///
/// - Thread: any
public enum BeatTemplate {
  /// What is filled in; `tempo` is another word for `bpm`.
  public static let names = ["bar", "beat", "beats", "accent", "bpm", "tempo", "flags"]

  /// Why no receiver would understand a message to this address; nil where it would.
  ///
  /// OSC 1.0 gives space # * , ? [ ] { } another meaning within an address.
  public static func fault(inAddress address: String) -> String? {
    guard address.hasPrefix("/"), address.count > 1 else {
      return "'\(address)': an OSC address begins with / and goes on"
    }
    if let fault = fault(inWord: address) { return fault }
    let left = pieces(of: address).filter { !$0.isName }.map(\.text).joined()
    let forbidden = left.unicodeScalars.first { scalar in
      scalar.value <= 0x20 || scalar.value > 0x7E || "#*,?[]{}".unicodeScalars.contains(scalar)
    }
    return forbidden.map {
      "'\(address)': an OSC address cannot have '\($0)'; take letters, digits and / . - _"
    }
  }

  /// Why a word cannot be filled in; nil where it can.
  public static func fault(inWord word: String) -> String? {
    pieces(of: word).first { $0.isName && !names.contains($0.text) }.map {
      "'{\($0.text)}' is unknown: allowed are {bar} {beat} {beats} {accent} {bpm} {flags}"
    }
  }

  /// Cut at its braces: text as it is, and names that stand between two.
  public static func pieces(of word: String) -> [(text: String, isName: Bool)] {
    var pieces: [(text: String, isName: Bool)] = []
    var rest = word[...]
    while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
      pieces.append((text: String(rest[..<open]), isName: false))
      pieces.append((text: String(rest[rest.index(after: open)..<close]), isName: true))
      rest = rest[rest.index(after: close)...]
    }
    pieces.append((text: String(rest), isName: false))
    return pieces
  }
}
