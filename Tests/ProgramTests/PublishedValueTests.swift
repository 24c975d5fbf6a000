import MetronomeModel
import OSCProtocol
import OSCWire
import Testing

@testable import TactusDaemon

@Suite("Published values")
struct PublishedValueTests {
  @Test("each stands in the address table, and OSCQuery can show it in the types it names")
  func described() throws {
    var state = MetronomeState()
    state.midiPorts = [MIDIPortConfiguration(name: "Clock")]
    let messages = PublishedValues.everything(state)
    #expect(messages.count > 60)
    for message in messages {
      let row = try #require(OSCAddressTable.row(for: message.address)?.row, "\(message)")
      let shown = try #require(row.queryValues(message.arguments), "\(message)")
      let tree = OSCAddressTree(ports: ["Clock"]) {
        $0 == message.address ? message.arguments : nil
      }
      let type = try #require(tree.json(attribute: "TYPE", at: message.address))
      let tags = String(shown.map { $0.tag == "F" ? "T" : $0.tag })
      #expect(type == "{\"TYPE\":\"\(tags)\"}", "\(message)")
    }
  }
}
