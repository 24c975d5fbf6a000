import CommandLineOptions
import Glibc
import RealtimeEngine
import ScoreFormats
import SoundFiles

/// Takes and their side files, as commands read them.
enum TakeFiles {
  /// The side file lies beside the take.
  static func sidePath(_ take: String) -> String {
    guard let dot = take.lastIndex(of: "."), !take[dot...].contains("/") else {
      return take + ".json"
    }
    return take[..<dot] + ".json"
  }

  static func sheet(_ path: String) throws(CommandFailure) -> TakeSheet {
    let bytes: [UInt8]
    do throws(TextFileError) {
      bytes = try TextFile.bytes(path, input: 0, limit: 1 << 20)
    } catch {
      throw CommandFailure(.failed, "side file \(error): name it with --grid")
    }
    do throws(FormatError) { return try TakeSheetFormat.read(bytes, file: path) } catch {
      throw CommandFailure(.failed, error.description)
    }
  }

  static func facts(_ path: String) throws(CommandFailure) -> (frames: Int64, rate: Int) {
    do throws(SoundFileError) {
      let stream = try SoundFileStream(path: path)
      return (stream.announcedFrames, stream.rate)
    } catch { throw CommandFailure(.failed, error.description) }
  }

  /// What each click may sound like: as the side file names it, else any of the built-in sounds.
  static func candidates(
    _ sheet: TakeSheet, rate: Int, beside take: String
  ) throws(CommandFailure) -> [TakeSheet.ClickLevel: [[Float]]] {
    let named = try sounds(sheet, rate: rate, beside: take)
    var candidates: [TakeSheet.ClickLevel: [[Float]]] = [:]
    for level in TakeSheet.ClickLevel.allCases {
      candidates[level] =
        named[level].map { [$0] }
        ?? BuiltInSound.allCases.map { ClickSynth.samples($0, for: slot(level), rate: rate) }
    }
    return candidates
  }

  /// The sounds of the clicks: built-in ones by name, others as files beside the take.
  static func sounds(
    _ sheet: TakeSheet, rate: Int, beside take: String
  ) throws(CommandFailure) -> [TakeSheet.ClickLevel: [Float]] {
    var sounds: [TakeSheet.ClickLevel: [Float]] = [:]
    for (level, name) in sheet.click {
      if let builtIn = BuiltInSound(rawValue: name) {
        sounds[level] = ClickSynth.samples(builtIn, for: slot(level), rate: rate)
        continue
      }
      let folder = take.lastIndex(of: "/").map { String(take[...$0]) } ?? ""
      let path = name.hasPrefix("/") ? name : folder + name
      do throws(SoundFileError) {
        let stream = try SoundFileStream(path: path)
        let samples = try stream.readAll(atMost: 10 * stream.rate)[0]
        sounds[level] = try DecodedSound(samples: samples, channels: 1, rate: stream.rate)
          .converted(to: rate, file: path)
      } catch { throw CommandFailure(.failed, "click '\(level.rawValue)': \(error.description)") }
    }
    return sounds
  }

  static func slot(_ level: TakeSheet.ClickLevel) -> SoundSlot {
    switch level {
    case .strong: .strong
    case .normal: .normal
    case .soft: .soft
    case .subdivision: .subdivision
    }
  }
}
