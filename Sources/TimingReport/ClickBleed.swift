/// Takes the clicks that leak into the microphone out of a take.
///
/// They sound at known frames: those of the grid, later by the known latency. Of the sounds that
/// the click may have, the one is taken that explains most of what is heard there, the way from the
/// speaker to the microphone being estimated as a short filter over all clicks; where none does, the
/// sound is learnt as what is the same at every click. Either is believed only where what one half
/// of the clicks taught also explains the other half: notes do not. It is subtracted, and what stays
/// is the player.
///
/// - Thread: any one at a time
public struct ClickBleed {
  /// One click as it was played.
  public struct Click: Sendable {
    /// Frames of the take at which it reaches the microphone.
    public var frame: Double
    /// Which sound: clicks of one kind sound alike.
    public var kind: Int

    public init(frame: Double, kind: Int) {
      self.frame = frame
      self.kind = kind
    }
  }

  /// Amplitude of the loudest click that was taken out; 0 where none was found.
  public private(set) var amplitude: Float = 0
  /// Whether a sound had to be learnt from the take itself.
  public private(set) var isLearnt = false

  /// The way from speaker to microphone that is estimated: 1.5 ms, so that a note at a constant
  /// distance from the click cannot be mistaken for its echo.
  private static let waySeconds = 0.0015
  /// As much of a known sound as is needed to tell it.
  private static let headSeconds = 0.03
  private static let learntSeconds = 0.06
  /// Least correlation of what one half taught with the other half.
  private static let leastKnown = 0.4
  private static let leastBorrowed = 0.25
  private static let leastLearnt = 0.85

  public init() {}

  /// - Parameters:
  ///   - sounds: by kind, those that the click may have; none where nothing is known.
  /// - Returns: the take without its clicks.
  public mutating func remove(
    _ clicks: [Click], sounds: [[[Float]]], from samples: [Float], rate: Double
  ) -> [Float] {
    var rest = samples
    let kinds = Set(clicks.map(\.kind)).sorted()
    func mine(_ kind: Int) -> [Click] { clicks.filter { $0.kind == kind } }
    func candidates(_ kind: Int) -> [[Float]] { kind < sounds.count ? sounds[kind] : [] }

    // As it is, and without what the player's own spectrum foretells: in the one or in the other the
    // clicks stand out of the notes that ring on. A filter between two sounds does not feel that both
    // are seen so.
    let whitening = LinearPrediction(learningFrom: samples[...], order: 16)
    let views = [
      View(samples: samples, prediction: .none),
      View(samples: whitening.remainder(of: samples), prediction: whitening),
    ]
    var templates: [Int: ClickTemplate] = [:]
    for kind in kinds {
      for (index, sound) in candidates(kind).enumerated() {
        for view in views {
          guard var found = heard(sound, at: mine(kind), in: view, rate: rate),
            found.correlation > templates[kind]?.correlation ?? 0
          else { continue }
          found.candidate = index
          templates[kind] = found
        }
      }
    }
    // All kinds come the same way: the surest one shows it to those that are rarer.
    let surest = templates.values.max { $0.correlation < $1.correlation }
    for kind in kinds where templates[kind] == nil {
      if let surest, surest.candidate < candidates(kind).count {
        for view in views where templates[kind] == nil {
          templates[kind] = heard(
            candidates(kind)[surest.candidate], by: surest, at: mine(kind), in: view, rate: rate)
        }
      }
      if templates[kind] == nil, let learnt = learnt(mine(kind), in: samples, rate: rate) {
        templates[kind] = learnt
        isLearnt = true
      }
    }
    for kind in kinds {
      guard let template = templates[kind] else { continue }
      for click in mine(kind) { subtract(template, at: click.frame, from: &rest, rate: rate) }
    }
    return rest
  }

  /// A take as clicks are looked for in it.
  private struct View {
    var samples: [Float]
    var prediction: LinearPrediction
  }

  /// The beginnings of the softest stretches at clicks, in the order of time: where the player is
  /// softest, most of what is heard is the click.
  private func softest(
    _ clicks: [Click], share: Double, least: Int, lead: Int, length: Int, in samples: [Float]
  ) -> [Int] {
    let all = clicks.map { Int($0.frame.rounded()) - lead }.filter {
      $0 >= 0 && $0 + length <= samples.count
    }
    let wanted = max(least, Int(Double(all.count) * share))
    return all.map { start in
      var energy = 0.0
      for frame in start..<(start + length) {
        energy += Double(samples[frame]) * Double(samples[frame])
      }
      return (start, energy)
    }.sorted { $0.1 < $1.1 }.prefix(min(wanted, 400)).map(\.0).sorted()
  }

  // MARK: A known sound

  /// A known sound as the microphone hears it; nil where it is not heard.
  private func heard(
    _ sound: [Float], at clicks: [Click], in view: View, rate: Double
  ) -> ClickTemplate? {
    let way = max(4, Int(ClickBleed.waySeconds * rate))
    let lead = way / 4
    let seen = view.prediction.remainder(of: sound)
    let head = Array(seen.prefix(Int(ClickBleed.headSeconds * rate)))
    guard head.contains(where: { $0 != 0 }) else { return nil }
    let length = head.count + way
    let starts = softest(clicks, share: 0.3, least: 6, lead: lead, length: length, in: view.samples)
    guard starts.count >= 4 else { return nil }
    let path = SoundPath(head, taps: way)
    func taught(_ starts: [Int]) -> ClickTemplate {
      let filter = path.filter(ClickTemplate.mean(starts, length: length, in: view.samples))
      return ClickTemplate(samples: path.apply(filter, to: seen), lead: lead, filter: filter)
    }
    let whole = taught(starts)
    guard
      let agreement = agreement(starts, length: length, in: view.samples, taught: taught),
      agreement >= ClickBleed.leastKnown
    else { return nil }
    var template = ClickTemplate(
      samples: path.apply(whole.filter, to: sound), lead: lead, filter: whole.filter)
    template.correlation = agreement
    return template
  }

  /// A known sound by the way that another kind of click has shown, as loud as it is heard.
  private func heard(
    _ sound: [Float], by surest: ClickTemplate, at clicks: [Click], in view: View, rate: Double
  ) -> ClickTemplate? {
    // What the other sound does not contain it says nothing about: only the straight way is taken.
    guard
      let strongest = surest.filter.indices.max(by: {
        abs(surest.filter[$0]) < abs(surest.filter[$1])
      })
    else { return nil }
    var straight = [Double](repeating: 0, count: surest.filter.count)
    straight[strongest] = surest.filter[strongest]
    let path = SoundPath(sound, taps: straight.count)
    var template = ClickTemplate(
      samples: path.apply(straight, to: sound), lead: surest.lead, filter: straight)
    template.candidate = surest.candidate
    let length = Int(ClickBleed.headSeconds * rate)
    let starts = softest(
      clicks, share: 0.25, least: 3, lead: surest.lead, length: length, in: view.samples)
    guard !starts.isEmpty else { return nil }
    let mean = ClickTemplate.mean(starts, length: length, in: view.samples)
    let seen = ClickTemplate(
      samples: path.apply(straight, to: view.prediction.remainder(of: sound)), lead: surest.lead)
    template.correlation = seen.correlation(with: mean, length: length)
    let gain = seen.gain(in: mean, length: length)
    guard template.correlation >= ClickBleed.leastBorrowed, (0.2...5).contains(gain) else {
      return nil
    }
    for index in template.samples.indices { template.samples[index] *= Float(gain) }
    return template
  }

  // MARK: An unknown sound

  /// What is the same at every click.
  private func learnt(_ clicks: [Click], in samples: [Float], rate: Double) -> ClickTemplate? {
    let lead = Int(0.001 * rate)
    let length = Int(ClickBleed.learntSeconds * rate)
    let starts = softest(clicks, share: 0.2, least: 6, lead: lead, length: length, in: samples)
    guard starts.count >= 6 else { return nil }
    func taught(_ starts: [Int]) -> ClickTemplate {
      ClickTemplate(
        samples: ClickTemplate.median(starts, length: length, in: samples), lead: lead)
    }
    guard
      let agreement = agreement(starts, length: length, in: samples, taught: taught),
      agreement >= ClickBleed.leastLearnt
    else { return nil }
    var template = taught(starts)
    template.correlation = agreement
    // It must begin where the click does.
    let peak = template.samples.map(abs).max() ?? 0
    guard let begin = template.samples.firstIndex(where: { abs($0) > peak / 10 }), begin < 3 * lead
    else { return nil }
    return template
  }

  /// The lesser of how well what the even stretches teach explains the odd ones, and the reverse.
  private func agreement(
    _ starts: [Int], length: Int, in samples: [Float], taught: ([Int]) -> ClickTemplate
  ) -> Double? {
    let even = starts.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
    let odd = starts.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
    guard even.count >= 2, odd.count >= 2 else { return nil }
    return min(
      taught(even).correlation(
        with: ClickTemplate.mean(odd, length: length, in: samples), length: length),
      taught(odd).correlation(
        with: ClickTemplate.mean(even, length: length, in: samples), length: length))
  }

  // MARK: Subtraction

  /// Takes one click out, unless its stretch shows that it did not sound there: a muted bar.
  private mutating func subtract(
    _ template: ClickTemplate, at frame: Double, from rest: inout [Float], rate: Double
  ) {
    let start = Int(frame.rounded()) - template.lead
    let head = min(template.samples.count, Int(0.012 * rate))
    guard start >= 0, start + head <= rest.count else { return }
    var own = 0.0
    var cross = 0.0
    var heard = 0.0
    for index in 0..<head {
      let (sample, value) = (Double(rest[start + index]), Double(template.samples[index]))
      own += value * value
      cross += sample * value
      heard += sample * sample
    }
    // Under a loud note nothing can be said, nor heard.
    guard own > 0, heard > 4 * own || (0.5...1.6).contains(cross / own) else { return }
    for (index, value) in template.samples.enumerated() where start + index < rest.count {
      rest[start + index] -= value
      amplitude = max(amplitude, abs(value))
    }
  }
}
