import MetronomeModel
import MusicalTime

/// How far ahead facts are announced, how long before a beat a change may still land on it, and
/// how long Start waits.
///
/// - C = 20 ms + the largest early offset
/// - horizon = max(100 ms, C, the lead asked for)
/// - lead-in = max(200 ms, the largest early offset + FA's lead + 20 ms, what a sink needs to wake)
///
/// - Thread: control
struct AnnouncePlan: Equatable, Sendable {
  let commit: FrameCount
  let horizon: FrameCount
  let leadIn: FrameCount

  init(
    earlyMilliseconds: Double, startLeadMilliseconds: Double, requestedLeadMilliseconds: Double,
    wakeMilliseconds: Double = 0, rate: Int64
  ) {
    let margin = Double(Limits.commitMilliseconds)
    let commit = margin + earlyMilliseconds
    let asked = min(requestedLeadMilliseconds, Double(Limits.longestHorizonMilliseconds))
    self.commit = AnnouncePlan.frames(commit, rate)
    horizon = AnnouncePlan.frames(max(Double(Limits.horizonMilliseconds), commit, asked), rate)
    leadIn = AnnouncePlan.frames(
      max(
        Double(Limits.leadInMilliseconds), earlyMilliseconds + startLeadMilliseconds + margin,
        wakeMilliseconds),
      rate)
  }

  /// What a state's outputs ask for.
  init(
    state: MetronomeState, requestedLeadMilliseconds: Double, wakeMilliseconds: Double = 0,
    rate: Int64
  ) {
    var earliest = min(0, state.beatOffsetMilliseconds)
    var startLead: Double = 0
    for port in state.midiPorts {
      earliest = min(earliest, port.offsetMilliseconds)
      startLead = max(startLead, port.startLeadMilliseconds)
    }
    self.init(
      earlyMilliseconds: -earliest, startLeadMilliseconds: startLead,
      requestedLeadMilliseconds: requestedLeadMilliseconds, wakeMilliseconds: wakeMilliseconds,
      rate: rate)
  }

  /// Rounded up: a lead is never shorter than asked.
  private static func frames(_ milliseconds: Double, _ rate: Int64) -> FrameCount {
    FrameCount(Int64((milliseconds * Double(rate) / 1000).rounded(.up)))
  }
}
