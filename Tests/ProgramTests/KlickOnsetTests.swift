import Foundation
import Testing

/// klick 0.12 itself renders maps, and its onsets are held against our frames.
///
/// Two things differ, and only these: klick cuts a click's place down to a whole frame where we
/// round it to the nearest, so ours is the same frame or the next one; and the sample that klick
/// plays for a normal beat begins with a frame of silence, so at the sample's own rate, 48 kHz, it
/// is first heard a frame after it starts (resampling smears that frame). klick holds tempos in single precision: the maps keep to values that it holds exactly.
@Suite struct KlickOnsetTests {
  static let maps = [
    "8 120\n",
    "4 3/4 96 X.x\n2 6/8 98.5\n1 5/4 250\n",
    "intro: 2 120\n4 120-140 X.x.\nbridge: 4 3/4 140 0.5\n2 140-80\n1 2/4 100,90.5\n",
    "1 100,90,80,70 # slower\n3 7/8 133 Xxxxxxx\n2 2/2 60-120\n",
  ]

  @Test(arguments: maps, [44_100, 48_000])
  func `our clicks lie on klick's frames`(map: String, rate: Int) throws {
    try CommandRun.withFolder { folder in
      let file = folder + "/song.klick"
      try Data(map.utf8).write(to: URL(fileURLWithPath: file))
      let clicks = ListedEvent.rendered("render --map \(file) --rate \(rate)").of("click")
        .filter { $0.accent != "silent" }
      let onsets = try Self.klickOnsets(map: file, rate: rate, folder: folder)
      #expect(!clicks.isEmpty)
      #expect(onsets.count == clicks.count)
      for (onset, click) in zip(onsets, clicks) {
        let silentFrames = click.accent == "normal" && rate == 48_000 ? 1 : 0
        #expect([0, 1].contains(click.frame - (onset - silentFrames)), "bar \(click.bar ?? 0)")
      }
    }
  }

  /// Where klick's sine clicks begin.
  private static func klickOnsets(map: String, rate: Int, folder: String) throws -> [Int] {
    let sound = folder + "/klick.wav"
    let klick = Process()
    klick.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    klick.arguments = ["klick", "-W", sound, "-r", "\(rate)", "-s", "1", "-f", map]
    klick.standardOutput = FileHandle.nullDevice
    try klick.run()
    klick.waitUntilExit()
    try #require(klick.terminationStatus == 0, "klick is missing: install Debian's package")
    // 16 bits, mono, after a head of 44 bytes.
    let data = try Data(contentsOf: URL(fileURLWithPath: sound)).dropFirst(44)
    let bytes = [UInt8](data)
    var onsets: [Int] = []
    var lastHeard = Int.min / 2
    for frame in 0..<(bytes.count / 2) where bytes[2 * frame] != 0 || bytes[2 * frame + 1] != 0 {
      // A sine passes zero within a click, but for a frame or two only.
      if frame - lastHeard > 200 { onsets.append(frame) }
      lastHeard = frame
    }
    return onsets
  }
}
