import MetronomeModel
import MusicalTime

/// Commands that wait for a file, and those that wait behind them.
///
/// A command that needs a file is judged anew with each answer, from the start and against the
/// state of that moment, until it needs nothing more: so it is one change, whatever it had to
/// read. What comes while a preset, setlist or map is being read waits behind it, so that
/// `preset X`, `tempo 130` ends at 130 whoever reads the file how fast. It waits for
/// `patience` at the most, as a slow disk must not hold up a tempo; then it acts at once, and what
/// it has set stays when the file arrives. Messages of one bundle belong together: those
/// behind a `preset` wait as long as it does.
///
/// - Thread: control
struct Errands: Sendable {
  /// Nanoseconds for which a file holds up other commands: a card of a Raspberry Pi takes some 20 ms
  /// for a cold file, and a tenth of a second is not yet felt as deaf.
  static let patience: Int64 = 100_000_000
  /// Nanoseconds after which a file counts as unreadable.
  static let longest: Int64 = 5_000_000_000
  /// Errands, and commands behind them, at the most.
  static let most = 16
  static let mostHeld = 1_024

  /// What is to be done once everything has been read.
  enum Demand: Sendable {
    case command(ControlCommand)
    case preset(Preset, named: String?)
    /// One of the library, with what was typed beside it.
    case presetBeneath(NameOrNumber, Preset)
    case restore(LastState)
    /// A preset as it was when it was asked to be saved.
    case save(Preset, as: String)
  }

  struct Errand: Sendable {
    let demand: Demand
    let request: UInt32
    let bundle: UInt32
    let notBefore: FrameIndex
    let askedAt: MonotonicTime
    /// What has been read for it.
    var answers: [(request: LibraryRequest, answer: LibraryAnswer)] = []
    /// What it waits for.
    var wanted: LibraryRequest?
    /// Commands that passed it: what they set stays.
    var passedBy: [ControlCommand] = []

    /// A save changes nothing that a later command could depend on.
    var holdsOthers: Bool { if case .save = demand { false } else { true } }
  }

  struct Held: Sendable {
    let command: ControlCommand
    let request: UInt32
    let bundle: UInt32
    let notBefore: FrameIndex
    let arrived: ControlInstant
  }

  /// By ticket.
  private(set) var waiting: [UInt32: Errand] = [:]
  private(set) var held: [Held] = []
  private var lastTicket: UInt32 = 0

  /// Of the errand that is being judged.
  var answers: [(request: LibraryRequest, answer: LibraryAnswer)] = []
  var passedBy: [ControlCommand] = []
  /// The first thing that it needs and nobody has read.
  var missing: LibraryRequest?

  // MARK: errands

  var isFull: Bool { waiting.count >= Errands.most }

  mutating func wait(_ errand: Errand) -> UInt32 {
    repeat { lastTicket &+= 1 } while lastTicket == 0 || waiting[lastTicket] != nil
    waiting[lastTicket] = errand
    return lastTicket
  }

  mutating func take(_ ticket: UInt32) -> Errand? { waiting.removeValue(forKey: ticket) }

  mutating func takeOverdue(_ now: MonotonicTime) -> [Errand] {
    let tickets = waiting.keys.filter { ticket in
      waiting[ticket].map { now.nanoseconds(since: $0.askedAt) >= Errands.longest } ?? false
    }
    return tickets.sorted().compactMap { waiting.removeValue(forKey: $0) }
  }

  /// A command has been carried out while files are being read.
  mutating func pass(_ command: ControlCommand) {
    for ticket in waiting.keys {
      // What sets the same again adds nothing; more than this many different ones are a flood.
      guard waiting[ticket]?.passedBy.last != command else { continue }
      if let count = waiting[ticket]?.passedBy.count, count >= Errands.mostHeld {
        waiting[ticket]?.passedBy.removeFirst()
      }
      waiting[ticket]?.passedBy.append(command)
    }
  }

  // MARK: behind them

  /// Whether a command has to wait its turn.
  func holds(
    _ command: ControlCommand, bundle: UInt32, arrived: MonotonicTime, now: MonotonicTime
  ) -> Bool {
    guard !command.passesAll else { return false }
    for errand in waiting.values where errand.holdsOthers {
      if bundle != 0, errand.bundle == bundle { return true }
      if now.nanoseconds(since: arrived) < Errands.patience,
        now.nanoseconds(since: errand.askedAt) < Errands.patience
      {
        return true
      }
    }
    return false
  }

  /// - Returns: false where there is no room.
  mutating func hold(_ item: Held) -> Bool {
    guard held.count < Errands.mostHeld else { return false }
    held.append(item)
    return true
  }

  /// The first whose turn has come.
  mutating func takeHeld(_ now: MonotonicTime) -> Held? {
    let index = held.firstIndex {
      !holds($0.command, bundle: $0.bundle, arrived: $0.arrived.time, now: now)
    }
    return index.map { held.remove(at: $0) }
  }

  /// Those that a stop, a panic or a mute makes void.
  mutating func takeVoid(by command: ControlCommand) -> [Held] {
    let void = held.filter { command.makesVoid($0.command) }
    if !void.isEmpty { held.removeAll { command.makesVoid($0.command) } }
    return void
  }

  /// When something ends by itself.
  var nextDeadline: MonotonicTime? {
    var deadlines = waiting.values.map { $0.askedAt.advanced(byNanoseconds: Errands.longest) }
    for item in held where !waiting.isEmpty {
      deadlines.append(item.arrived.time.advanced(byNanoseconds: Errands.patience))
    }
    return deadlines.min()
  }
}

extension ControlCommand {
  /// Stop, panic and mute pass everything that waits.
  var passesAll: Bool {
    switch self {
    case .stop, .panic, .mute, .quit: true
    default: false
    }
  }

  /// Whether an earlier command that still waits would undo this one.
  func makesVoid(_ earlier: ControlCommand) -> Bool {
    switch (self, earlier) {
    case (.stop, .start), (.stop, .continue), (.stop, .toggle), (.stop, .stop): true
    case (.panic, .start), (.panic, .continue), (.panic, .toggle), (.panic, .stop): true
    case (.mute, .mute), (.mute, .toggleMute): true
    default: false
    }
  }
}
