import MetronomeModel
import MusicalTime
import RealtimeEngine
import ScoreFormats
import SoundFiles

/// Renders a plan to its outputs.
///
/// Memory does not grow with the length, but for the notes of a MIDI file, whose size stands at
/// its head.
///
/// - Thread: any one at a time; writes files.
public struct RenderJob {
  public let plan: RenderPlan
  public let outputs: RenderOutputs

  public init(_ plan: RenderPlan, to outputs: RenderOutputs) {
    self.plan = plan
    self.outputs = outputs
  }

  /// - Parameter progress: is told now and then how many frames of how many are done.
  public func run(
    progress: (Int64, Int64) -> Void = { _, _ in }
  ) throws(RenderError) -> RenderReport {
    let length = try RenderLength.frames(of: plan)
    guard length > 0 else { throw .empty }
    var tally = RenderTally()
    var report = RenderReport(frames: length, tailFrames: plan.tailFrames)
    try renderWhole(length, &tally, &report, progress)
    report.bars = tally.bars
    report.beats = tally.beats
    report.clicks = tally.clicks
    report.pulses = tally.pulses
    if let stems = outputs.stems {
      WholeFile.makeFolder(stems.folder)
      for stem in Stem.allCases where tally.heard.contains(stem) {
        report.stems.append(try render(stem, to: stems, length, progress))
      }
    }
    return report
  }

  private func renderWhole(
    _ length: Int64, _ tally: inout RenderTally, _ report: inout RenderReport,
    _ progress: (Int64, Int64) -> Void
  ) throws(RenderError) {
    let pass = RenderPass(plan)
    let sounds = try files(length)
    let facts = try FactFiles(outputs, plan: plan, length: length)
    pass.onFact = { facts.take($0) }
    try pass.begin()
    try walk(pass, length, to: sounds, facts, progress)
    for sound in sounds { try sound.close() }
    report.midi = try facts.close()
    report.notices = pass.notices + pass.soundNotes
    // Without a listener every click falls into the hole that skipping is.
    if pass.droppedClicks > 0, !sounds.isEmpty {
      report.notices.append("\(pass.droppedClicks) clicks found no voice: shorten the sounds")
    }
    tally = facts.tally
    if plan.state.sounds.syncPerQuarter > 0 || pass.usesSync { tally.heard.insert(.sync) }
    if pass.usesBeatSounds { tally.heard.insert(.beats) }
  }

  private func render(
    _ stem: Stem, to stems: RenderOutputs.Stems, _ length: Int64,
    _ progress: (Int64, Int64) -> Void
  ) throws(RenderError) -> String {
    let path = "\(stems.folder)/\(stem.rawValue).\(stems.format.container.rawValue)"
    let file = try SampleFile(
      .path(path), format: stems.format, rate: plan.rate, channelCount: plan.channelCount,
      frames: length + plan.tailFrames)
    let pass = RenderPass(plan, stem: stem)
    try pass.begin()
    try walk(pass, length, to: [file], nil, progress)
    try file.close()
    return path
  }

  private func files(_ length: Int64) throws(RenderError) -> [SampleFile] {
    var files: [SampleFile] = []
    for sound in outputs.sounds {
      files.append(
        try SampleFile(
          sound.destination, format: sound.format, rate: plan.rate,
          channelCount: plan.channelCount, frames: length + plan.tailFrames))
    }
    return files
  }

  private func walk(
    _ pass: RenderPass, _ length: Int64, to sounds: [SampleFile], _ facts: FactFiles?,
    _ progress: (Int64, Int64) -> Void
  ) throws(RenderError) {
    let total = length + plan.tailFrames
    var reported: Int64 = 0
    func walk(to end: Int64) throws(RenderError) {
      if sounds.isEmpty {
        // Nobody listens: the facts come out the same.
        while pass.now.value < end {
          try pass.skip(to: FrameIndex(min(end, pass.now.value + plan.rate)))
          try facts?.flush()
          progress(pass.now.value, total)
        }
        return
      }
      try unsafe pass.walk(to: FrameIndex(end)) { block, frames throws(RenderError) in
        for sound in sounds { try unsafe sound.write(block, frames: frames) }
        try facts?.flush()
        if pass.now.value - reported >= 4 * plan.rate {
          reported = pass.now.value
          progress(reported, total)
        }
      }
    }
    try walk(to: length)
    try pass.stop()
    try walk(to: total)
    progress(total, total)
  }
}
