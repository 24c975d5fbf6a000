import Sweeps

/// The sightings of all slots of a recording, and what can be concluded from them.
struct SweepRun {
  /// By slot from -1, which is before anything was played; slots that were not recorded are absent.
  private let sightings: [Int: [SweepSighting]]
  private let count: Int
  private let spacingFrames: Double
  private let rate: Double
  private let knownRaise: Int?

  init(
    _ sightings: [Int: [SweepSighting]], count: Int, spacingFrames: Double, rate: Double,
    raised: Int?
  ) {
    self.sightings = sightings
    self.count = count
    self.spacingFrames = spacingFrames
    self.rate = rate
    knownRaise = raised
  }

  /// Sweeps that agree within a millisecond are of one latency.
  private var widest: Double { rate / 1_000 }
  private var steepest: Double { LatencyEstimator.steepestPPM * 1e-6 * spacingFrames }

  func result(
    _ recording: [Float], pictures: [Int: [Float]], schedule: SweepSchedule
  ) -> CalibrationResult {
    var findings: [CalibrationResult.Finding] = []
    var raised = knownRaise ?? 0
    var members: [LagLine.Member] = []
    var line = LagLine(lag: 0, slope: 0)
    // What is earlier by more than half a spacing is an echo of the sweep before.
    if let agreed = LagLine.agreed(
      sightings, tolerance: widest / 2, earlier: spacingFrames / 2, steepest: steepest)
    {
      line = agreed
      members = line.members(sightings, tolerance: widest)
      let layout = SweepLayout(
        members, nearby(line), count: count, knownRaise: knownRaise,
        spacingSeconds: spacingFrames / rate)
      raised = layout.raised
      if let finding = layout.finding { findings.append(finding) }
    }
    let slots = raised..<(raised + count)
    members = members.filter { slots.contains($0.slot) }
    let agreement = SweepAgreement(members, rate: rate, spacingFrames: spacingFrames)
    if let step = agreement.step ?? strayStep(slots, agreement) {
      findings.append(
        .step(sweep: step.slot - raised + 1, milliseconds: step.frames / rate * 1_000))
    }
    let likeness =
      agreement.accepted.count * 2 < count
      ? nil
      : SweepLikeness(
        recording,
        starts: agreement.accepted.map {
          schedule.second(ofSlot: $0.slot) * rate + $0.sighting.lagFrames
        }, rate: rate)
    if let likeness, !likeness.isOurs {
      findings.append(.unlike(correlation: likeness.correlation))
    }

    var result = CalibrationResult(
      verdict: .red, latencyFrames: nil, madFrames: agreement.deviation, rate: rate,
      accepted: agreement.accepted.count, count: count, raised: raised,
      driftPPM: agreement.slope / spacingFrames * 1e6,
      middleSecond: schedule.second(ofSlot: raised)
        + Double(count - 1) / 2 * schedule.spacingSeconds,
      findings: findings,
      sweeps: slots.map { slot in
        let accepted = agreement.accepted.first { $0.slot == slot }
        return CalibrationResult.SweepOutcome(
          second: schedule.second(ofSlot: slot),
          sighting: accepted?.sighting ?? sightings[slot]?.first,
          isAccepted: accepted != nil, picture: pictures[slot] ?? [])
      }, channel: 0)
    result.judge(
      latency: agreement.latency(
        at: Double(raised) + Double(count - 1) / 2, stretchLag: Sweep.stretchLagSeconds * rate),
      recording: RecordingLevels(recording))
    return result
  }

  /// Without what lies over half a spacing off the line: an echo of the sweep before.
  private func nearby(_ line: LagLine) -> [Int: [SweepSighting]] {
    var near = sightings
    for (slot, seen) in sightings {
      near[slot] = seen.filter { abs($0.lagFrames - line.lag(at: slot)) < spacingFrames / 2 }
    }
    return near
  }

  /// Sweeps that are clearly heard and agree with each other, but not with the others: the latency
  /// changed while it was measured.
  private func strayStep(
    _ slots: Range<Int>, _ agreement: SweepAgreement
  ) -> (slot: Int, frames: Double)? {
    let taken = Set(agreement.accepted.map(\.slot))
    let level = OrderStatistics.median(agreement.accepted.map(\.sighting.amplitude))
    var strays: [(slot: Int, offset: Double)] = []
    for slot in slots where !taken.contains(slot) {
      for sighting in sightings[slot] ?? []
      where sighting.amplitude >= level / 2 {
        strays.append((slot, sighting.lagFrames - agreement.lag(at: slot)))
      }
    }
    let common = strays.map { stray in
      Set(strays.filter { abs($0.offset - stray.offset) <= widest / 2 }.map(\.slot))
    }.enumerated().max { $0.element.count < $1.element.count }
    guard let common, common.element.count >= 2, let first = common.element.min() else {
      return nil
    }
    let offset = strays[common.offset].offset
    // The fewer ones came first: the change is where the others begin.
    if let begin = taken.min(), first < begin { return (begin, -offset) }
    return (first, offset)
  }
}

/// Which of the slots that show a sweep were the raise, and whether they are ours at all.
struct SweepLayout {
  var raised = 0
  var finding: CalibrationResult.Finding?

  /// - Parameters:
  ///   - members: at the common latency, by slot.
  ///   - sightings: of all slots that the recording reaches.
  init(
    _ members: [LagLine.Member], _ sightings: [Int: [SweepSighting]], count: Int, knownRaise: Int?,
    spacingSeconds: Double
  ) {
    let heard = members.filter { $0.slot >= 0 }
    if members.contains(where: { $0.slot < 0 }) {
      finding = .foreignSweeps
      raised = knownRaise ?? 0
      return
    }
    guard var last = heard.last?.slot else {
      raised = knownRaise ?? 0
      return
    }
    // After a step of the latency the sweeps go on off the common line.
    let level = OrderStatistics.median(heard.map(\.sighting.amplitude))
    while let next = sightings[last + 1],
      next.contains(where: { $0.correlation >= 0.5 && $0.amplitude >= level / 2 })
    {
      last += 1
    }
    let excess = max(0, last - (count - 1))
    if let knownRaise {
      raised = knownRaise
    } else {
      raised = SweepLayout.raise(heard, excess: excess, count: count)
    }
    let late = excess - raised
    if late > 0 {
      // A latency beyond the spacing leaves the first slots empty; more sweeps than were announced
      // do not.
      let isEmpty = !heard.contains { $0.slot < late }
      finding = isEmpty ? .tooLong(seconds: Double(late) * spacingSeconds) : .moreSweepsThanPlayed
    } else if !heard.contains(where: { $0.slot == raised }),
      (sightings.keys.max() ?? 0) < raised + count
    {
      finding = .endsEarly
    }
  }

  /// How many sweeps before those that count were softer, from the levels of those that were heard.
  private static func raise(_ heard: [LagLine.Member], excess: Int, count: Int) -> Int {
    guard excess > 0 else { return 0 }
    let full = OrderStatistics.median(
      heard.filter { $0.slot >= excess }.map(\.sighting.amplitude))
    let early = heard.filter { $0.slot < excess }
    if early.isEmpty {
      // The last step of a raise is 6 dB down; where it would have been heard there was none. A
      // latency of three spacings is unlikelier than a raise that nobody heard.
      let prominence = OrderStatistics.median(heard.map(\.sighting.prominence))
      return prominence < 3 * MatchedFilter.leastProminence && excess >= 3 ? excess : 0
    }
    let slopes = early.map {
      DecibelLaw.decibels(full / $0.sighting.amplitude) / Double(excess - $0.slot)
    }
    let slope = OrderStatistics.median(slopes)
    // Not rising: these are no raise.
    guard slope > 1, early.allSatisfy({ $0.sighting.amplitude < 0.8 * full }) else { return 0 }
    return min(excess, max(early.count, Int((-SweepSchedule.firstDecibels / slope).rounded())))
  }
}
