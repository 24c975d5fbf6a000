import Glibc
import Testing

/// The files for QLC+ in Presets/lights.
@Suite("The files for a lamp desk")
struct LampDeskLaws {
  static let paths = ["/beat", "/phase"] + (1...8).map { "/lamp/\($0)" }

  /// QLC+ numbers an OSC path by its CRC-16/X-25: reflected polynomial 0x8408, start and end 0xFFFF.
  static func channel(_ path: String) -> Int {
    var crc: UInt16 = 0xFFFF
    for byte in path.utf8 {
      crc ^= UInt16(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0x8408 : crc >> 1 }
    }
    return Int(crc ^ 0xFFFF)
  }

  static func text(_ name: String) throws -> String {
    let folder = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let file = try #require(fopen("/\(folder)/Presets/lights/\(name)", "r"))
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes[..<count], as: UTF8.self)
  }

  @Test("number a path as QLC+ does")
  func channelNumbers() {
    // The catalogue's check value of CRC-16/X-25, and two rows of a profile that comes with QLC+.
    #expect(LampDeskLaws.channel("123456789") == 0x906E)
    #expect(LampDeskLaws.channel("/toggleA_2") == 5696)
    #expect(LampDeskLaws.channel("/3/multipushM/1/4") == 77)
  }

  @Test("have each path of the lights preset in the input profile")
  func profile() throws {
    let profile = try LampDeskLaws.text("Tactus-Beats.qxi")
    for path in LampDeskLaws.paths {
      #expect(
        profile.contains(
          " <Channel Number=\"\(LampDeskLaws.channel(path))\">\n  <Name>\(path)</Name>"), "\(path)")
    }
    #expect(profile.split(separator: "<Channel ").count - 1 == LampDeskLaws.paths.count)
    #expect(profile.contains("<Manufacturer>Tactus</Manufacturer>\n <Model>Beats</Model>"))
  }

  @Test("have something on the console for each path, and the port of universe 1")
  func workspace() throws {
    let workspace = try LampDeskLaws.text("Tactus.qxw")
    for path in LampDeskLaws.paths {
      #expect(
        workspace.contains("<Input Universe=\"0\" Channel=\"\(LampDeskLaws.channel(path))\"/>"),
        "\(path)")
    }
    #expect(workspace.contains("<Input Plugin=\"OSC\" UID=\"127.0.0.1\""))
  }
}
