import MetronomeModel
import RealtimeEngine
import SoundFiles

/// What is heard on its own in one stem.
///
/// - Thread: any
public enum Stem: String, Sendable, CaseIterable {
  case strong, normal, soft, subdivision, layer, countin, timer, sync
  /// Beats that have a sound of their own.
  case beats

  func includes(_ slot: SoundSlot) -> Bool {
    switch slot {
    case .strong: self == .strong
    case .normal: self == .normal
    case .soft: self == .soft
    case .subdivision: self == .subdivision
    case .layer: self == .layer
    case .countIn, .countInAccent: self == .countin
    case .timerEnd: self == .timer
    case .sync: self == .sync
    }
  }
}

/// The banks that a render has made and the engine still reads.
struct RenderSounds {
  private let rate: Int
  private let folder: SoundFolder
  /// nil: all of them.
  private let stem: Stem?
  private var banks: [Int32: Prepared] = [:]
  private var lastIdentifier: Int32 = 0
  /// What was said about the files, once each.
  private(set) var notes: [String] = []

  init(rate: Int, folder: SoundFolder, stem: Stem?) {
    self.rate = rate
    self.folder = folder
    self.stem = stem
  }

  /// Valid until it is released.
  mutating func make(_ settings: SoundSettings) throws(SoundFileError) -> SoundBankReference {
    lastIdentifier += 1
    let bank = try SoundBank(settings, rate: rate, folder: folder, identifier: lastIdentifier)
    for note in bank.notes where !notes.contains(note) { notes.append(note) }
    let prepared = Prepared(bank, stem: stem)
    banks[lastIdentifier] = prepared
    return prepared.reference
  }

  mutating func release(_ identifier: Int32) { banks[identifier] = nil }

  /// A bank, in a stem with all other sounds turned down to nothing: voices come and go as in the
  /// whole, so that the stems add up to it.
  @safe private final class Prepared {
    let reference: SoundBankReference
    private let bank: SoundBank
    private let slots: UnsafeMutableBufferPointer<ClickSound>
    private let beats: UnsafeMutableBufferPointer<ClickSound>

    init(_ bank: SoundBank, stem: Stem?) {
      self.bank = bank
      let whole = bank.reference
      unsafe slots = Prepared.copy(whole.slots, count: SoundSlot.allCases.count)
      unsafe beats = Prepared.copy(whole.beats, count: Int(whole.beatCount))
      if let stem {
        for slot in SoundSlot.allCases where !stem.includes(slot) {
          if unsafe slots.indices.contains(slot.index) { unsafe slots[slot.index].gain = 0 }
        }
        if stem != .beats {
          for index in unsafe beats.indices { unsafe beats[index].gain = 0 }
        }
      }
      reference = unsafe SoundBankReference(
        identifier: whole.identifier, slots: UnsafePointer(slots.baseAddress),
        beats: UnsafePointer(beats.baseAddress), beatCount: whole.beatCount)
    }

    deinit {
      unsafe slots.deallocate()
      unsafe beats.deallocate()
    }

    private static func copy(
      _ sounds: UnsafePointer<ClickSound>?, count: Int
    ) -> UnsafeMutableBufferPointer<ClickSound> {
      guard let source = unsafe sounds, count > 0 else {
        return unsafe UnsafeMutableBufferPointer(start: nil, count: 0)
      }
      let copy = UnsafeMutableBufferPointer<ClickSound>.allocate(capacity: count)
      _ = unsafe copy.initialize(from: UnsafeBufferPointer(start: source, count: count))
      return unsafe copy
    }
  }
}
