/// Makes our beats the session's, as far as each of them claims to be, and notices who had made it
/// something else.
///
/// A value: the session is looked at by who holds it.
/// - Thread: `tactus-link`'s one
public struct LinkLeading: Equatable, Sendable {
  /// Microseconds by which the session's beat may be off ours: less is the rounding of both.
  public static let tolerance = 20.0
  /// Microseconds of phase between two beats that no drift makes: somebody has moved it.
  static let moved = 2_000.0

  /// What is to be told to the session, in one go.
  public struct Change: Equatable, Sendable {
    public var quarterMicroseconds: Int64?
    /// Whether the beat is put where ours is.
    public var forcesPhase = false
  }

  /// The tempo that the session had when we last told or saw it as ours.
  private var told: Int64?
  private var hasPhase = false

  public init() {}

  /// The session is another one, or nothing is claimed any more: what is found next is nobody's doing.
  public mutating func forget() {
    told = nil
    hasPhase = false
  }

  /// - Parameters:
  ///   - view: the session at the beat's instant, with the beat's quantum.
  /// - Returns: what to tell, and whose doing it undoes.
  public mutating func take(
    _ beat: LinkBeat, _ view: LinkView
  ) -> (change: Change?, takeOver: LinkTakeOver?) {
    guard !beat.claim.contains(.whileAlone) || view.peers == 0 else {
      forget()
      return (nil, nil)
    }
    var change = Change()
    let error = view.error(of: beat.at, phase: beat.phase) / 1000
    if beat.claim.contains(.tempo), view.quarterMicroseconds != beat.quarterMicroseconds {
      change.quarterMicroseconds = beat.quarterMicroseconds
    }
    if beat.claim.contains(.phase), abs(error) > LinkLeading.tolerance { change.forcesPhase = true }
    let takeOver = takeOver(beat, view, error)
    told = beat.claim.contains(.tempo) ? beat.quarterMicroseconds : nil
    hasPhase = beat.claim.contains(.phase)
    return (change == Change() ? nil : change, takeOver)
  }

  private func takeOver(_ beat: LinkBeat, _ view: LinkView, _ error: Double) -> LinkTakeOver? {
    guard beat.claim.contains(.leads), view.peers > 0, let told else { return nil }
    let hasOtherTempo = view.quarterMicroseconds != told
    let hasOtherPhase =
      hasPhase && told == beat.quarterMicroseconds
      && abs(error) > LinkLeading.moved
    guard hasOtherTempo || hasOtherPhase else { return nil }
    return LinkTakeOver(
      foundMicroseconds: view.quarterMicroseconds, keptMicroseconds: beat.quarterMicroseconds,
      phaseErrorMicroseconds: Int64(error.rounded()))
  }

  /// The same where nothing plays: there is no beat, only a tempo.
  public mutating func take(
    tempo length: Int64, _ claim: LinkClaim, _ view: LinkView
  ) -> (change: Change?, takeOver: LinkTakeOver?) {
    guard !claim.contains(.whileAlone) || view.peers == 0 else {
      forget()
      return (nil, nil)
    }
    hasPhase = false
    let earlier = told
    told = length
    guard view.quarterMicroseconds != length else { return (nil, nil) }
    var takeOver: LinkTakeOver?
    if claim.contains(.leads), view.peers > 0, let earlier, view.quarterMicroseconds != earlier {
      takeOver = LinkTakeOver(
        foundMicroseconds: view.quarterMicroseconds, keptMicroseconds: length,
        phaseErrorMicroseconds: 0)
    }
    return (Change(quarterMicroseconds: length), takeOver)
  }
}
