public import MetronomeModel
public import RealtimeEngine

/// The sounds of a metronome, prepared at the output's rate, and the owner of their memory.
///
/// Keep it until the engine has said `retiredSounds(identifier)` for it.
///
/// - Thread: control makes and frees it; the audio thread reads through `reference`.
@safe public final class SoundBank: @unchecked Sendable {
  public let reference: SoundBankReference
  /// What a person should know: silence skipped at the head of a file.
  public let notes: [String]
  /// Of all samples.
  public let byteCount: Int

  private let memory: [UnsafeMutableBufferPointer<Float>]
  private let slots: UnsafeMutableBufferPointer<ClickSound>
  private let beats: UnsafeMutableBufferPointer<ClickSound>

  /// - Parameter rate: frames a second of the output.
  /// - Throws: what makes a file unusable; nothing is kept then.
  public init(
    _ settings: SoundSettings, rate: Int, folder: SoundFolder, identifier: Int32
  ) throws(SoundFileError) {
    var preparation = SoundPreparation(rate: rate, folder: folder)
    var slotSounds: [PreparedSound] = []
    for slot in SoundSlot.allCases {
      slotSounds.append(try preparation.prepare(SoundBank.choice(slot, in: settings), for: slot))
    }
    var beatSounds: [PreparedSound] = []
    for (beat, name) in settings.beatNames.enumerated() {
      // A spoken count is as loud, and comes out where, a normal beat does.
      var choice = settings[.normal]
      choice.name = name
      // A built-in sound on a beat takes the variant that its place in the bar suggests.
      let slot: SoundSlot = beat == 0 ? .strong : .normal
      beatSounds.append(try preparation.prepare(name == nil ? nil : choice, for: slot))
    }

    unsafe memory = preparation.sounds.map { samples in
      let copy = UnsafeMutableBufferPointer<Float>.allocate(capacity: samples.count)
      _ = unsafe copy.initialize(from: samples)
      return unsafe copy
    }
    let placed = unsafe memory
    unsafe slots = SoundBank.place(slotSounds, in: placed)
    unsafe beats = SoundBank.place(beatSounds, in: placed)
    notes = preparation.notes
    byteCount = preparation.byteCount
    reference = unsafe SoundBankReference(
      identifier: identifier, slots: UnsafePointer(slots.baseAddress),
      beats: settings.beatNames.isEmpty ? nil : UnsafePointer(beats.baseAddress),
      beatCount: Int32(settings.beatNames.count))
  }

  deinit {
    unsafe memory.forEach { unsafe $0.deallocate() }
    unsafe slots.deallocate()
    unsafe beats.deallocate()
  }

  /// The choice of a slot.
  static func choice(_ slot: SoundSlot, in settings: SoundSettings) -> SoundSettings.Choice {
    switch slot {
    case .strong: settings[.strong]
    case .normal: settings[.normal]
    case .soft: settings[.soft]
    case .subdivision: settings[.subdivision]
    case .layer: settings[.layer]
    case .countIn, .countInAccent: settings[.countin]
    case .timerEnd: settings[.timer]
    case .sync: settings[.sync]
    }
  }

  private static func place(
    _ sounds: [PreparedSound], in memory: [UnsafeMutableBufferPointer<Float>]
  ) -> UnsafeMutableBufferPointer<ClickSound> {
    let table = UnsafeMutableBufferPointer<ClickSound>.allocate(capacity: max(1, sounds.count))
    unsafe table.initialize(repeating: .silence)
    for (index, sound) in sounds.enumerated() {
      guard let samples = sound.samples else { continue }
      unsafe table[index] = ClickSound(
        samples: UnsafePointer(memory[samples].baseAddress),
        frameCount: Int32(memory[samples].count / sound.channels),
        channelCount: Int32(sound.channels), gain: sound.gain, route: sound.route)
    }
    return unsafe table
  }
}
