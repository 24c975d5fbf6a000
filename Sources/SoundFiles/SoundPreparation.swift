import MetronomeModel
import RealtimeEngine

/// A sound of a bank before it has its final address.
struct PreparedSound {
  /// Index of its samples; nil is silence.
  var samples: Int?
  var channels = 1
  var gain: Float = 1
  var route: UInt64 = 3
}

/// Collects the samples of a bank, each once however many targets play them.
struct SoundPreparation {
  private struct Key: Hashable {
    var name: String
    var semitones: Double
    var keepsSilence: Bool
    /// Built-in sounds have a variant for each slot; a file is the same for all.
    var slot: SoundSlot?
  }

  let rate: Int
  let folder: SoundFolder
  private(set) var sounds: [[Float]] = []
  private(set) var notes: [String] = []
  private(set) var byteCount = 0
  private var known: [Key: (samples: Int, channels: Int)] = [:]

  init(rate: Int, folder: SoundFolder) {
    self.rate = rate
    self.folder = folder
  }

  mutating func prepare(
    _ choice: SoundSettings.Choice?, for slot: SoundSlot
  ) throws(SoundFileError) -> PreparedSound {
    guard let choice else { return PreparedSound() }
    let loaded = try load(choice, for: slot)
    return PreparedSound(
      samples: loaded.samples, channels: loaded.channels,
      gain: Float(WaveArithmetic.gain(decibels: choice.decibels)),
      route: SoundPreparation.route(choice.channels))
  }

  /// Bit n for 0-based channel n; numbers outside the limits are left out, none is the first two.
  static func route(_ channels: [Int]) -> UInt64 {
    if channels.isEmpty { return 3 }
    return channels.filter(Limits.outputChannels.contains).reduce(0) { $0 | 1 << UInt64($1 - 1) }
  }

  private mutating func load(
    _ choice: SoundSettings.Choice, for slot: SoundSlot
  ) throws(SoundFileError) -> (samples: Int, channels: Int) {
    // A kind's own sound is the wood block; the sync pulse is the same whatever its name.
    let name = choice.name ?? BuiltInSound.wood.rawValue
    let builtIn = slot == .sync ? .wood : BuiltInSound(rawValue: name)
    let key = Key(
      name: name, semitones: choice.semitones,
      keepsSilence: choice.keepsLeadingSilence, slot: builtIn == nil ? nil : slot)
    if let loaded = known[key] { return loaded }
    let samples: [Float]
    var channels = 1
    if let builtIn {
      samples = ClickSynth.samples(builtIn, for: slot, rate: rate, semitones: choice.semitones)
    } else {
      let file: SafeName
      do { file = try SafeName(name) } catch { throw .name(error.description) }
      let sound = try SoundFileReader.read(
        file, in: folder, keepingSilence: choice.keepsLeadingSilence)
      if sound.skippedFrames > 0 {
        let milliseconds = Int(
          (Double(sound.skippedFrames) * 1000 / Double(sound.rate)).rounded())
        notes.append(
          "'\(file)': \(sound.skippedFrames) frames (\(milliseconds) ms) of silence at its head "
            + "skipped")
      }
      channels = sound.channels
      samples = try Resampler.convert(
        sound, to: rate, semitones: choice.semitones, file: file.text)
    }
    byteCount += samples.count * MemoryLayout<Float>.stride
    guard byteCount <= Limits.soundBankBytes else { throw .bankMemory(byteCount) }
    sounds.append(samples)
    let loaded = (samples: sounds.count - 1, channels: channels)
    known[key] = loaded
    return loaded
  }
}
