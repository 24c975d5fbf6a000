import MetronomeModel
public import MusicalTime
import RealtimeEngine

/// A session of Ableton Link that we follow, on the frames of our output.
///
/// - Thread: control
public struct SessionGrid: Equatable, Sendable {
  /// The frame at which a click sounds on the first beat of one of the session's quanta.
  public var anchor: FrameIndex
  public var framesPerQuarter: Double
  /// Quarters.
  public var quantum: Double

  public init(anchor: FrameIndex, framesPerQuarter: Double, quantum: Double) {
    self.anchor = anchor
    self.framesPerQuarter = framesPerQuarter
    self.quantum = quantum
  }

  /// The first frame at or after another at which a quantum begins.
  func start(notBefore frame: FrameIndex) -> FrameIndex {
    let length = framesPerQuarter * quantum
    guard length >= 1 else { return frame }
    let count = (Double((frame - anchor).value) / length).rounded(.up)
    return anchor + FrameCount(Int64((count * length).rounded()))
  }
}

extension Conductor {
  mutating func setLink(_ mode: LinkMode) throws(Refusal) {
    try checkLink(mode)
    state.linkMode = mode
  }

  func checkLink(_ mode: LinkMode) throws(Refusal) {
    if mode != .off, let linkProblem { throw Refusal(.state, linkProblem) }
    if mode == .follow || mode == .peer, state.follow != .off {
      throw Refusal(
        .state,
        "link \(mode.rawValue) is refused while a MIDI clock gives the tempo: "
          + "set follow to off, or link to lead, which passes that tempo on")
    }
  }

  mutating func setFollow(_ source: FollowSource) throws(Refusal) {
    if source != .off, state.linkMode == .follow || state.linkMode == .peer {
      throw Refusal(
        .state,
        "follow is refused while link is \(state.linkMode.rawValue) and gives the tempo: "
          + "set link to off, or to lead, which passes the followed tempo on")
    }
    state.follow = source
  }

  /// The session's tempo is not a person's wish: it ends a ramp, and there is nothing to go back to.
  mutating func followTempo(_ tempo: Tempo, _ turn: inout Turn) {
    endRamp(because: "the Link session has a tempo of its own", &turn)
    taps.latestChange = nil
    state.tempo = tempo
    send(.tempo(tempo, .now), about: .tempo, &turn)
  }

  /// While the session's tempo is followed there is no other.
  func requireOwnTempo(_ what: String) throws(Refusal) {
    guard hasSessionTempo else { return }
    throw Refusal(
      .state,
      "\(what) is refused: with link follow the tempo is the session's; "
        + "set link to peer, lead or off")
  }

  /// When a Start is to be heard so that bar 1 begins with a quantum of the session's, a count-in
  /// before it included.
  func sessionStart(_ turn: Turn) -> FrameIndex {
    guard let sessionGrid, !state.isRunning else { return turn.notBefore }
    let quarters =
      Double(state.countInBars) * Double(state.meter.barLength.ticks)
      / Double(ScorePosition.ticksPerQuarter)
    let countIn = FrameCount(Int64((quarters * sessionGrid.framesPerQuarter).rounded()))
    // What is heard now was rendered a buffer ago: a tenth of a second is twice the largest default.
    let leadIn = announcePlan?.leadIn ?? FrameCount(rate / 5)
    let soonest = turn.now.frame + leadIn + FrameCount(rate / 10)
    let wanted = turn.notBefore > soonest ? turn.notBefore : soonest
    return sessionGrid.start(notBefore: wanted + countIn) - countIn
  }
}
