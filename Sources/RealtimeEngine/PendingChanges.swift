internal import MetronomeModel
internal import MusicalTime

/// Requests that wait for their boundary.
struct PendingChanges {
  var tempoNow: Tempo?
  var tempoAtBeat: Tempo?
  var tempoAtBar: Tempo?
  var bendThousandths: Int32?
  var glideNow: GlideRamp?
  var glideAtBeat: GlideRamp?
  var glideAtBar: GlideRamp?
  var endsGlideNow = false
  /// A tap to whose phase the beat is moved once a waiting tempo has landed.
  var phaseTap: FrameIndex?
  var meter: Meter?
  var pattern: AccentPattern?
  var score: ScoreReference?
  var clearsScore = false
  var jump: Int32?

  var hasMeter: Bool {
    @_noAllocation @_noLocks get {
      if case .some = meter { return true }
      return false
    }
  }

  var hasScore: Bool {
    @_noAllocation @_noLocks get {
      if case .some = score { return true }
      return false
    }
  }

  var hasTempoAtBeat: Bool {
    @_noAllocation @_noLocks get {
      if case .some = tempoAtBeat { return true }
      return false
    }
  }

  @_noAllocation @_noLocks
  mutating func clearTempos() {
    tempoNow = nil
    tempoAtBeat = nil
    tempoAtBar = nil
    glideNow = nil
    glideAtBeat = nil
    glideAtBar = nil
    endsGlideNow = false
    phaseTap = nil
  }

  /// The tempo that will be in force once all that waits has landed.
  var soonestTempo: Tempo? {
    @_noAllocation @_noLocks get {
      if let soonest = tempoNow { return soonest }
      if let sooner = tempoAtBeat { return sooner }
      return tempoAtBar
    }
  }

  var hasGlide: Bool {
    @_noAllocation @_noLocks get {
      if case .some = glideNow { return true }
      if case .some = glideAtBeat { return true }
      if case .some = glideAtBar { return true }
      return false
    }
  }
}
