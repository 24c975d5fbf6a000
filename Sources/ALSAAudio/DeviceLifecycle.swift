public import MusicalTime

/// What becomes of a sound device over time: a pure value that says what to do next.
///
/// Nothing here waits or calls; `deadline` says when to come back with `.tick`. Attempts are
/// spaced by a growing delay, so that an absent device costs next to nothing and a flapping one
/// does no harm; a change among the cards brings the next attempt forward.
///
/// - Thread: device
public struct DeviceLifecycle: Sendable, Equatable {
  public enum State: Sendable, Equatable {
    /// No device is wanted.
    case freeRunning
    /// An attempt is being made.
    case opening
    /// The device is open; its position is being measured.
    case joining
    case playing
    case suspended
    /// Tried again at the deadline, or when a card comes.
    case waiting
  }

  public enum Event: Sendable, Equatable {
    case tick
    /// A card or a device file came or went.
    case cardsChanged
    case opened
    /// With a positive errno.
    case openFailed(code: Int32)
    case playing
    /// With a positive errno.
    case lost(code: Int32)
    /// Its buffer ran empty again and again, and a longer period can be tried.
    case ranEmpty
    case rateRefused
    case suspended
    case resumed
  }

  public enum Action: Sendable, Equatable {
    case open
    case close
    /// The next attempt asks for a longer period than the device has now.
    case lengthenPeriod
    case report(Notice)
  }

  /// What a person is told, once for each change.
  public enum Notice: Sendable, Equatable {
    case playing
    case missing(code: Int32)
    /// It opens but does not run: a sound server without a session, a card that stands still.
    case neverPlayed(code: Int32)
    case lost(code: Int32)
    /// It is opened again at once with a longer period.
    case lengthened
    case rateRefused
    case suspended
    case resumed
  }

  public private(set) var state: State
  /// When `.tick` is due; nil while nothing is to be done.
  public private(set) var deadline: MonotonicTime?
  private var attempts = 0
  private var playingSince: MonotonicTime?
  /// The errno that was told last, so that it is told once.
  private var lastMissing: Int32?
  /// In its place: no errno is negative here.
  private static let refusedRate: Int32 = -1

  /// Milliseconds before each further attempt. A card that has just come needs a few tens of
  /// milliseconds before it opens; a card that stays away is asked for every five seconds, in
  /// case that no change was seen.
  static let delays: [Int64] = [50, 100, 250, 500, 1000, 2000, 5000]
  /// After so long without a break a device counts as well again.
  static let steadyNanoseconds: Int64 = 10_000_000_000

  /// - Parameter wantsDevice: false for a clock that never sounds.
  public init(wantsDevice: Bool, now: MonotonicTime) {
    state = wantsDevice ? .waiting : .freeRunning
    deadline = wantsDevice ? now : nil
  }

  /// A life that begins with a device that is open already.
  public init(openedAt now: MonotonicTime) {
    state = .joining
    deadline = nil
  }

  /// Takes in what happened.
  ///
  /// - Returns: what to do, in order.
  public mutating func handle(_ event: Event, at now: MonotonicTime) -> [Action] {
    guard state != .freeRunning else { return [] }
    switch event {
    case .tick:
      guard state == .waiting, let due = deadline, due <= now else { return [] }
      state = .opening
      deadline = nil
      return [.open]

    case .cardsChanged:
      guard state == .waiting else { return [] }
      attempts = 0
      let soon = later(now, milliseconds: DeviceLifecycle.delays[0])
      if let due = deadline, due < soon { return [] }
      deadline = soon
      return []

    case .opened:
      guard state == .opening else { return [] }
      state = .joining
      return []

    case .openFailed(let code):
      guard state == .opening else { return [] }
      waitForNextAttempt(now)
      guard lastMissing != code else { return [] }
      lastMissing = code
      return [.report(.missing(code: code))]

    case .playing:
      guard state == .joining || state == .suspended || state == .playing else { return [] }
      let isNews = state != .playing && playingSince == nil
      state = .playing
      lastMissing = nil
      if playingSince == nil { playingSince = now }
      return isNews ? [.report(.playing)] : []

    case .lost(let code):
      guard state == .joining || state == .playing || state == .suspended else { return [] }
      guard let since = playingSince else {
        waitForNextAttempt(now)
        guard lastMissing != code else { return [.close] }
        lastMissing = code
        return [.close, .report(.neverPlayed(code: code))]
      }
      if now.nanoseconds(since: since) > DeviceLifecycle.steadyNanoseconds { attempts = 0 }
      playingSince = nil
      waitForNextAttempt(now)
      return [.close, .report(.lost(code: code))]

    case .ranEmpty:
      guard state == .joining || state == .playing || state == .suspended else { return [] }
      playingSince = nil
      state = .waiting
      deadline = later(now, milliseconds: DeviceLifecycle.delays[0])
      return [.lengthenPeriod, .close, .report(.lengthened)]

    case .rateRefused:
      guard state == .joining else { return [] }
      waitForNextAttempt(now)
      guard lastMissing != DeviceLifecycle.refusedRate else { return [.close] }
      lastMissing = DeviceLifecycle.refusedRate
      return [.close, .report(.rateRefused)]

    case .suspended:
      guard state == .playing || state == .joining else { return [] }
      state = .suspended
      return [.report(.suspended)]

    case .resumed:
      guard state == .suspended else { return [] }
      state = .joining
      return [.report(.resumed)]
    }
  }

  private mutating func waitForNextAttempt(_ now: MonotonicTime) {
    state = .waiting
    let index = min(attempts, DeviceLifecycle.delays.count - 1)
    deadline = later(now, milliseconds: DeviceLifecycle.delays[index])
    attempts += 1
  }

  private func later(_ now: MonotonicTime, milliseconds: Int64) -> MonotonicTime {
    now.advanced(byNanoseconds: milliseconds * 1_000_000)
  }
}
