internal import MetronomeModel
internal import RealtimeEngine
internal import SoundFiles

/// Keeps each sound bank alive until the engine has let go of it.
///
/// - Thread: control; the orders are carried out on a worker.
struct SoundKeeper {
  /// A bank to be made: reading and resampling files takes as long as it takes.
  struct Order: Sendable {
    let settings: SoundSettings
    let rate: Int64
    let ticket: UInt32
    let identifier: Int32
    let folder: SoundFolder

    func carryOut() -> Made {
      do throws(SoundFileError) {
        let bank = try SoundBank(
          settings, rate: Int(rate), folder: folder, identifier: identifier)
        return Made(order: self, bank: bank, problem: nil)
      } catch { return Made(order: self, bank: nil, problem: "\(error)") }
    }
  }

  struct Made: Sendable {
    let order: Order
    let bank: SoundBank?
    /// What makes a file unusable; the bank in use stays.
    let problem: String?
  }

  private let folder: SoundFolder
  private var banks: [Int32: SoundBank] = [:]
  private var nextIdentifier: Int32 = 1

  init(folder: SoundFolder) { self.folder = folder }

  mutating func order(_ settings: SoundSettings, rate: Int64, ticket: UInt32) -> Order {
    defer { nextIdentifier = nextIdentifier == Int32.max ? 1 : nextIdentifier + 1 }
    return Order(
      settings: settings, rate: rate, ticket: ticket, identifier: nextIdentifier, folder: folder)
  }

  mutating func keep(_ bank: SoundBank) { banks[bank.reference.identifier] = bank }

  /// The engine reads it no longer.
  mutating func release(_ identifier: Int32) { banks[identifier] = nil }
}
