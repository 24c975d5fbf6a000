import Glibc
import MetronomeModel
import MusicalTime

@testable import OSCProtocol
@testable import OSCService
@testable import OSCWire

/// A server that is given packets as if they had come from a client.
final class FuzzedServer: CommandSink {
  nonisolated(unsafe) static let shared = FuzzedServer()

  private let server: OSCServer
  private var nanoseconds: Int64 = 1_000_000_000
  private var framing = OSCStreamFraming()
  private let client = ClientIdentity(source: .loopback(port: 9))

  private init() {
    do {
      server = try OSCServer(OSCServerConfiguration(port: 0))
    } catch {
      preconditionFailure("\(error)")
    }
    server.sink = self
  }

  func perform(_ requests: [ControlRequest]) {
    // Feedback comes back on the same addresses.
    for request in requests { server.publish(request.address, [.int32(Int32(requests.count))]) }
  }

  func answer(_ query: InformationQuery) -> [OSCMessage] { [] }

  func take(_ bytes: [UInt8], kind: UInt8) {
    nanoseconds += Int64(kind) * 1_000_000
    let now = MonotonicTime(nanoseconds: nanoseconds)
    switch kind % 4 {
    case 0: stream(bytes)
    case 1: pattern(bytes)
    default: server.receive(bytes.span, from: client, now: now)
    }
    if kind % 4 == 2 { roundTrip(bytes) }
    server.service(now: now)
  }

  private func stream(_ bytes: [UInt8]) {
    do {
      for packet in try framing.take(bytes) {
        precondition(packet.count <= OSCPacketLimits.bytes)
        roundTrip(packet)
      }
    } catch {
      framing = OSCStreamFraming()
    }
  }

  private func pattern(_ bytes: [UInt8]) {
    let halves = bytes.split(separator: 0, maxSplits: 1)
    guard let first = halves.first,
      let pattern = OSCAddressPattern(String(decoding: first, as: UTF8.self))
    else { return }
    _ = pattern.matches(String(decoding: halves.last ?? [], as: UTF8.self))
    _ = OSCAddressTable.addresses(matching: pattern, known: ["/tactus/midi/Clock/offset"])
  }

  /// What was read and is written again is read as the same.
  private func roundTrip(_ bytes: [UInt8]) {
    guard let packet = try? OSCPacketReader.packet(bytes) else { return }
    for (message, _) in packet.messages {
      guard message.arguments.allSatisfy({ FuzzedServer.isWritable($0) }),
        !message.address.utf8.contains(0)
      else { continue }
      let again = OSCPacketWriter.bytes(message)
      guard !again.isEmpty, let second = try? OSCPacketReader.packet(again) else { continue }
      // NaN is not equal to itself: compare what people read.
      precondition("\(OSCPacket.message(message))" == "\(second)")
    }
  }

  /// liblo writes no arrays, colours, empty blobs and wide characters.
  private static func isWritable(_ value: OSCValue) -> Bool {
    switch value {
    case .array, .colour: false
    case .blob(let bytes): !bytes.isEmpty
    case .character(let value): value < 128
    default: true
    }
  }
}
