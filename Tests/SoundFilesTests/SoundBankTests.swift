import Glibc
import MetronomeModel
import RealtimeEngine
import Testing

@testable import SoundFiles

@Suite("Sound banks")
struct SoundBankTests {
  let temporary = TemporaryFolder()
  var folder: SoundFolder { SoundFolder(paths: [temporary.path]) }

  func slot(_ bank: SoundBank, _ slot: SoundSlot) -> ClickSound {
    bank.reference.slots![slot.rawValue]
  }

  @Test("every slot sounds by default, on channels 1 and 2")
  func defaults() throws {
    let bank = try SoundBank(.init(), rate: 48_000, folder: folder, identifier: 7)
    #expect(bank.reference.identifier == 7)
    for each in SoundSlot.allCases {
      #expect(slot(bank, each).samples != nil, "\(each)")
      #expect(slot(bank, each).route == 0b11)
    }
    #expect(bank.reference.beats == nil && bank.reference.beatCount == 0)
  }

  @Test("gain is decibels, channels count from 1, the sound is that of the synthesis")
  func choice() throws {
    var settings = SoundSettings()
    settings[.strong] = .init(name: "bell", decibels: -20, channels: [1, 3])
    settings[.sync].channels = [4]
    let bank = try SoundBank(settings, rate: 44_100, folder: folder, identifier: 1)
    let strong = slot(bank, .strong)
    // -20 dB is a tenth; channels 1 and 3 are bits 0 and 2.
    #expect(abs(strong.gain - 0.1) < 1e-7 && strong.route == 0b101)
    let expected = ClickSynth.samples(.bell, for: .strong, rate: 44_100)
    let actual = Array(UnsafeBufferPointer(start: strong.samples, count: Int(strong.frameCount)))
    #expect(actual == expected && strong.channelCount == 1)
    #expect(slot(bank, .sync).samples?[0] == 1 && slot(bank, .sync).route == 0b1000)
  }

  @Test("a file is read once for all targets that play it, and its silence is noted")
  func file() throws {
    temporary.write("tick.wav", wavBytes(samples: pcm16([0, 0, 16_384, -16_384]), channels: 2))
    var settings = SoundSettings()
    settings[.strong].name = "tick.wav"
    settings[.soft].name = "tick.wav"
    settings.beatNames = [nil, "tick.wav"]
    let bank = try SoundBank(settings, rate: 48_000, folder: folder, identifier: 1)
    #expect(slot(bank, .strong).samples == slot(bank, .soft).samples)
    #expect(slot(bank, .strong).frameCount == 1 && slot(bank, .strong).channelCount == 2)
    #expect(slot(bank, .strong).samples?[0] == 0.5 && slot(bank, .strong).samples?[1] == -0.5)
    #expect(bank.notes == ["'tick.wav': 1 frames (0 ms) of silence at its head skipped"])
    #expect(bank.reference.beatCount == 2)
    #expect(bank.reference.beats?[0].samples == nil)
    #expect(bank.reference.beats?[1].samples == slot(bank, .strong).samples)
  }

  @Test("names that could leave the folder are refused")
  func names() {
    symlink("/etc/passwd", temporary.file("link.wav"))
    mkdir(temporary.file("directory.wav"), 0o755)
    defer { rmdir(temporary.file("directory.wav")) }
    func failure(_ name: String) -> SoundFileError? {
      do {
        var settings = SoundSettings()
        settings[.normal].name = name
        _ = try SoundBank(settings, rate: 48_000, folder: folder, identifier: 1)
        return nil
      } catch { return error }
    }
    for name in ["../secret.wav", "/etc/passwd", ".hidden", "a\\b", "", "a\u{0}b"] {
      guard case .name = failure(name) else {
        Issue.record("'\(name)' was not refused as a name")
        continue
      }
    }
    #expect(failure("link.wav") == .symbolicLink(file: temporary.file("link.wav")))
    #expect(failure("directory.wav") == .notAFile(file: temporary.file("directory.wav")))
    #expect(failure("drum.wav") == .unknownSound("drum.wav", folder: temporary.path))
    #expect(
      failure("drum.wav")?.description
        == "sound 'drum.wav' is neither built in (wood, beep, bell, noise) nor a file in "
        + "'\(temporary.path)'")
  }

  @Test("the first folder that has the name wins")
  func shadowing() throws {
    let shipped = TemporaryFolder()
    shipped.write("a.wav", wavBytes(samples: pcm16([8_192])))
    shipped.write("b.wav", wavBytes(samples: pcm16([8_192])))
    temporary.write("a.wav", wavBytes(samples: pcm16([16_384])))
    let both = SoundFolder(paths: [temporary.path, shipped.path])
    #expect(try SoundFileReader.read(SafeName("a.wav"), in: both).samples == [0.5])
    #expect(try SoundFileReader.read(SafeName("b.wav"), in: both).samples == [0.25])
  }
}
