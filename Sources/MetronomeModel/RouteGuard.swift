/// Whether the latency in force still belongs to the route in use: a pure reducer.
///
/// It is told what was seen, by polling as well as by events, as often as anybody likes; it says only
/// what changed. It never changes a latency: during a take nothing may, and afterwards the player is
/// asked to calibrate.
///
/// - Thread: any; the control thread owns the one that counts.
public struct RouteGuard: Equatable, Sendable {
  public enum Standing: Equatable, Sendable {
    /// Nothing has been measured for the route.
    case unknown
    case valid
    case stale(String)

    public var word: String {
      switch self {
      case .unknown: "unknown"
      case .valid: "valid"
      case .stale: "stale"
      }
    }
  }

  public enum Event: Equatable, Sendable {
    /// A calibration of this route has been made, or was found in the store.
    case measured(AudioRoute)
    /// The route as it is now; nil while a card is missing.
    case seen(AudioRoute?)
    /// A card came back after it had gone, whatever `seen` has noticed of it.
    case returned
    case forgotten
  }

  public private(set) var standing = Standing.unknown
  public private(set) var measured: AudioRoute?
  /// The route that was seen last.
  public private(set) var current: AudioRoute?
  private var wasMissing = false

  public init() {}

  /// Takes in what happened.
  ///
  /// - Returns: the new standing where it is another than before.
  public mutating func handle(_ event: Event) -> Standing? {
    let before = standing
    switch event {
    case .measured(let route):
      measured = route
      current = route
      wasMissing = false
      standing = .valid
    case .seen(nil):
      // A card that is gone says nothing of its latency until it is back.
      wasMissing = measured != nil
    case .seen(let route?):
      let isBack = wasMissing
      current = route
      wasMissing = false
      guard let measured else { break }
      if let difference = route.difference(from: measured) {
        standing = .stale(difference)
      } else if isBack {
        standing = .stale(RouteGuard.returnedText)
      } else if case .stale(let reason) = standing, reason != RouteGuard.returnedText {
        // The route is again the one that was measured, and no card was away.
        standing = .valid
      }
    case .returned:
      guard measured != nil, standing == .valid else { break }
      standing = .stale(RouteGuard.returnedText)
    case .forgotten:
      measured = nil
      wasMissing = false
      standing = .unknown
    }
    return standing == before ? nil : standing
  }

  static let returnedText = "the card was away and is back"
}
