import MusicalTime

/// The order in which the sections of a song are played, repeats and jumps written out.
///
/// - Thread: any
public struct TempoMapWalk: Equatable, Sendable {
  /// A section as it is played.
  public struct Step: Equatable, Sendable {
    /// Into `TempoMap.sections`.
    public var section: Int
    /// Into `steps`; nil ends the song.
    public var next: Int?
  }

  public let steps: [Step]
  /// For each section, the step at which it is first played.
  public let firstSteps: [Int]

  /// - Throws: what keeps the song from being played.
  public init(_ map: TempoMap) throws(TempoMapError) {
    try TempoMapWalk.check(map)
    let targets = try TempoMapWalk.targets(map)
    var steps = try TempoMapWalk.run(map, targets, from: 0, after: 0)
    var loopStart: Int?
    if let loop = map.loop {
      guard let target = map.index(of: loop) else {
        throw .unknownLabel(section: nil, loop, nearest: TempoMapWalk.nearest(loop, in: map))
      }
      loopStart = target == 0 ? 0 : steps.count
      TempoMapWalk.join(&steps, to: loopStart, in: map)
      if target > 0 {
        // A pass of its own: jumps that are counted are taken again on each round.
        steps += try TempoMapWalk.run(map, targets, from: target, after: steps.count)
        TempoMapWalk.join(&steps, to: loopStart, in: map)
      }
    }
    var firstSteps = [Int?](repeating: nil, count: map.sections.count)
    for (index, step) in steps.enumerated() where firstSteps[step.section] == nil {
      firstSteps[step.section] = index
    }
    for section in map.sections.indices where firstSteps[section] == nil {
      // No way leads here, but a person can jump to it: it goes on from there as written.
      firstSteps[section] = steps.count
      steps += try TempoMapWalk.run(map, targets, from: section, after: steps.count)
      TempoMapWalk.join(&steps, to: loopStart, in: map)
    }
    self.steps = steps
    self.firstSteps = firstSteps.map { $0 ?? 0 }
  }

  // MARK: Checks

  private static func check(_ map: TempoMap) throws(TempoMapError) {
    guard TempoMap.sectionCounts.contains(map.sections.count) else {
      throw .sectionCount(map.sections.count)
    }
    var labels: Set<String> = []
    for (index, section) in map.sections.enumerated() {
      let number = index + 1
      guard section.bars == 0 || Limits.bars.contains(section.bars) else {
        throw .bars(section: number, section.bars)
      }
      if let pattern = section.pattern, pattern.count != section.meter.beatCount {
        throw .patternLength(
          section: number, letters: Int(pattern.count), beats: Int(section.meter.beatCount),
          meter: section.meter)
      }
      guard TempoMap.gains.contains(section.gain) else {
        throw .gain(section: number, section.gain)
      }
      guard Limits.bars.contains(section.repeats) else {
        throw .repeats(section: number, section.repeats)
      }
      if let times = section.jump?.times, !Limits.bars.contains(times) {
        throw .jumpTimes(section: number, times)
      }
      if section.bars == 0, section.repeats != 1 || section.jump != nil {
        throw .afterEndless(section: number)
      }
      switch section.tempo {
      case .keep, .steady: break
      case .ramp: if section.bars == 0 { throw .endlessRamp(section: number) }
      case .perBeat(let tempos):
        if section.bars == 0 { throw .endlessRamp(section: number) }
        let beats = section.bars * Int(section.meter.beatCount)
        guard tempos.count == beats else {
          throw .beatTempos(section: number, tempos.count, beats: beats)
        }
      }
      if let label = section.label, !labels.insert(label).inserted {
        throw .duplicateLabel(section: number, label)
      }
    }
  }

  private static func targets(_ map: TempoMap) throws(TempoMapError) -> [Int?] {
    var targets: [Int?] = []
    for (index, section) in map.sections.enumerated() {
      guard let jump = section.jump else {
        targets.append(nil)
        continue
      }
      guard let target = map.index(of: jump.label) else {
        throw .unknownLabel(
          section: index + 1, jump.label, nearest: nearest(jump.label, in: map))
      }
      targets.append(target)
    }
    return targets
  }

  /// A label that differs in case only, or begins alike.
  private static func nearest(_ label: String, in map: TempoMap) -> String? {
    let lower = label.lowercased()
    let labels = map.sections.compactMap(\.label)
    return labels.first { $0.lowercased() == lower }
      ?? labels.first { $0.lowercased().hasPrefix(lower.prefix(3)) && lower.count >= 3 }
  }

  // MARK: The way

  /// Lets the last step go on at another, unless it never ends.
  private static func join(_ steps: inout [Step], to next: Int?, in map: TempoMap) {
    let last = steps.count - 1
    if map.sections[steps[last].section].bars > 0 { steps[last].next = next }
  }

  /// One pass from a section to the end; its steps count from `base`.
  private static func run(
    _ map: TempoMap, _ targets: [Int?], from start: Int, after base: Int
  ) throws(TempoMapError) -> [Step] {
    var steps: [Step] = []
    var taken = [Int](repeating: 0, count: map.sections.count)
    // Jumps that are always taken, since the last one that was counted or missed: meeting one
    // again means that nothing will ever end the round.
    var sinceChange: [Int] = []
    var index = start
    while index < map.sections.count {
      let section = map.sections[index]
      for _ in 0..<section.repeats {
        guard base + steps.count < TempoMap.mostPlayedSections else {
          throw .tooLong(TempoMap.mostPlayedSections)
        }
        steps.append(Step(section: index, next: base + steps.count + 1))
      }
      if section.bars == 0 { break }
      guard let target = targets[index], let jump = section.jump else {
        index += 1
        continue
      }
      if let times = jump.times {
        guard taken[index] < times else {
          index += 1
          continue
        }
        taken[index] += 1
        sinceChange.removeAll()
      } else {
        if let first = sinceChange.firstIndex(of: index) {
          let round = (sinceChange[first...] + [index]).map { name(map, $0) }
          throw .cyclicJump(round)
        }
        sinceChange.append(index)
      }
      index = target
    }
    steps[steps.count - 1].next = nil
    return steps
  }

  private static func name(_ map: TempoMap, _ index: Int) -> String {
    map.sections[index].label ?? "\(index + 1)"
  }
}
