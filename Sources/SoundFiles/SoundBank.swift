public import MetronomeModel
public import RealtimeEngine

/// The sounds of a metronome, prepared at the output's rate, and the owner of their memory.
///
/// Keep it until the engine has said `retiredSounds(identifier)` for it.
///
/// - Thread: conductor makes and frees it; the audio thread reads through `reference`.
@safe public final class SoundBank: @unchecked Sendable {
  /// Which sound is played for what.
  public struct Plan: Equatable, Sendable {
    /// A target that is not named plays `base`; without `sync` there is no sync output.
    public var choices: [ControlCommand.SoundTarget: SoundChoice]
    public var base: SoundChoice
    /// One for each beat of the bar, nil where the level's sound stays.
    public var beats: [SoundChoice?]

    public init(
      choices: [ControlCommand.SoundTarget: SoundChoice] = [:],
      base: SoundChoice = SoundChoice(), beats: [SoundChoice?] = []
    ) {
      self.choices = choices
      self.base = base
      self.beats = beats
    }
  }

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
    _ plan: Plan, rate: Int, folder: SoundFolder, identifier: Int32
  ) throws(SoundFileError) {
    var preparation = SoundPreparation(rate: rate, folder: folder)
    var slotSounds: [PreparedSound] = []
    for slot in SoundSlot.allCases {
      slotSounds.append(try preparation.prepare(SoundBank.choice(slot, in: plan), for: slot))
    }
    var beatSounds: [PreparedSound] = []
    for (beat, choice) in plan.beats.enumerated() {
      // A built-in sound on a beat takes the variant that its place in the bar suggests.
      beatSounds.append(try preparation.prepare(choice, for: beat == 0 ? .strong : .normal))
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
      beats: plan.beats.isEmpty ? nil : UnsafePointer(beats.baseAddress),
      beatCount: Int32(plan.beats.count))
  }

  deinit {
    unsafe memory.forEach { unsafe $0.deallocate() }
    unsafe slots.deallocate()
    unsafe beats.deallocate()
  }

  /// The choice of a slot; nil is silence.
  static func choice(_ slot: SoundSlot, in plan: Plan) -> SoundChoice? {
    let target: ControlCommand.SoundTarget
    switch slot {
    case .strong: target = .strong
    case .normal: target = .normal
    case .soft: target = .soft
    case .subdivision: target = .subdivision
    case .layer: target = .layer
    case .countIn, .countInAccent: target = .countin
    case .timerEnd: target = .timer
    case .sync: return plan.choices[.sync]
    }
    return plan.choices[target] ?? plan.base
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
