/// Who is connected to whom in the sequencer, as /proc/asound/seq/clients lists it.
///
///     Client 128 : "Tactus" [User Legacy]
///       Port   0 : "Clock" (R-e-)
///         Connecting To: 24:0, 28:0[r:0]
///
/// - Thread: any
struct SequencerClients {
  struct Client: Equatable {
    var number: Int
    var name: String
    /// `24:0`
    var targets: [String] = []
  }

  private(set) var all: [Client] = []

  init(_ text: String) {
    for line in text.split(separator: "\n") {
      if line.hasPrefix("Client "), let open = line.firstIndex(of: "\""),
        let close = line[line.index(after: open)...].firstIndex(of: "\""),
        let number = Int(SystemFiles.trimmed(line[..<open].dropFirst(7).prefix { $0 != ":" }))
      {
        all.append(Client(number: number, name: String(line[line.index(after: open)..<close])))
      } else if let range = line.firstRange(of: "Connecting To:"), !all.isEmpty {
        for piece in line[range.upperBound...].split(separator: ",") {
          // What follows in brackets says how it is connected.
          all[all.count - 1].targets.append(SystemFiles.trimmed(piece.prefix { $0 != "[" }))
        }
      }
    }
  }

  func name(of address: String) -> String {
    let client = address.split(separator: ":").first.flatMap { Int($0) }
    return all.first { $0.number == client }?.name ?? address
  }

  /// Receivers that get something from Tactus and from another: a clock from both would double their tempo.
  var shared: [(receiver: String, other: String)] {
    var found: [(receiver: String, other: String)] = []
    let ours = all.filter { $0.name.hasPrefix("Tactus") }.flatMap(\.targets)
    for client in all where !client.name.hasPrefix("Tactus") && client.number != 0 {
      for target in client.targets where ours.contains(target) {
        found.append(("\(name(of: target)) (\(target))", client.name))
      }
    }
    return found
  }
}
