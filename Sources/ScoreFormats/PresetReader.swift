import MetronomeModel
import MusicalTime

/// Takes a preset out of its JSON value: tempo, meter, clicks and sounds.
struct PresetReader {
  var preset = Preset()

  mutating func read(_ root: JSONNode, file: String) throws(FormatError) {
    let object = try JSONObjectReader(
      root, path: "", file: file, keys: PresetKeys.names(PresetKeys.root))
    preset.title = try object.string("title")
    preset.tempo = try PresetReader.tempo(object)
    try readMeter(object)
    try readSubdivision(object)
    if let layer = try object.integer("layer", 0...Limits.layer.upperBound) {
      guard layer == 0 || Limits.layer.contains(layer) else {
        throw object.error(
          "layer",
          "\(layer): allowed are 0 (none) and \(Limits.layer.lowerBound) to "
            + "\(Limits.layer.upperBound)")
      }
      preset.layer = layer
    }
    preset.trainerEnd = try object.word(
      "trainerEnd", SpeedTrainer.End.allCases.map { ("\($0)", $0) })
    preset.volumeDecibels = try object.decibels("volume")
    try readSounds(object)
    try readPractice(object)
    try readOutputs(object)
  }

  // MARK: Tempo

  /// A number counts quarters; an object names its unit.
  private static func tempo(_ object: JSONObjectReader) throws(FormatError) -> Tempo? {
    guard object.has("tempo") else { return nil }
    guard case .object? = object.node("tempo")?.value else {
      return try tempo("tempo", unit: .quarter, in: object)
    }
    guard
      let inner = try object.object("tempo", keys: PresetKeys.names(PresetKeys.tempo))
    else { return nil }
    let unit = try unit(inner)
    let tempo = try tempo("value", unit: unit, in: inner)
    if let exact = try exactTempo(tempo, in: inner) { return exact }
    return try inner.required("value", tempo)
  }

  /// The tempo of the exact length in `microseconds`, nil where there is none.
  ///
  /// - Parameter shown: what stands beside it for people, which has to be the same tempo.
  static func exactTempo(
    _ shown: Tempo?, in object: JSONObjectReader
  ) throws(FormatError) -> Tempo? {
    guard let value = try object.number("microseconds", 1...16_777_215, unit: "us") else {
      return nil
    }
    return try exactTempo(value, shown: shown, in: object)
  }

  static func exactTempo(
    _ microseconds: Double, shown: Tempo?, in object: JSONObjectReader
  ) throws(FormatError) -> Tempo {
    let value = JSONNumber(microseconds).text
    guard microseconds > 0, let length = UInt32(exactly: microseconds * 256) else {
      throw object.error("microseconds", "\(value): write whole microseconds, or 256ths of one")
    }
    guard let tempo = Tempo(QuarterLength(microseconds256: length)) else {
      throw object.error(
        "microseconds", "\(value): allowed are 60060 to 12000000, which is 999 to 5 a minute")
    }
    if let shown, shown.unit != .quarter || abs(shown.thousandths - tempo.thousandths) > 1 {
      throw object.error(
        "microseconds",
        "\(value) are \(tempo) quarters a minute, and the tempo beside it is \(shown): remove one")
    }
    return tempo
  }

  static func unit(_ object: JSONObjectReader) throws(FormatError) -> NoteValue {
    guard let text = try object.string("unit") else { return .quarter }
    guard let unit = NoteValue(text: text) else {
      throw object.error("unit", "'\(text)': write \"1/4\", \"1/8\" or \"1/4.\"")
    }
    return unit
  }

  /// A tempo whose range depends on its unit.
  static func tempo(
    _ key: String, unit: NoteValue, in object: JSONObjectReader
  ) throws(FormatError) -> Tempo? {
    guard let value = try object.number(key, -1e300...1e300) else { return nil }
    guard let tempo = Tempo(value, unit: unit) else {
      // 5 to 999 quarters a minute, in whole thousandths of the unit.
      let quarters = Tempo.quarterThousandthsRange
      let (count, length) = (unit.quartersDenominator, unit.quartersNumerator)
      let least = (quarters.lowerBound * count + length - 1) / length
      let greatest = quarters.upperBound * count / length
      throw object.error(
        key,
        "\(object.node(key)?.value.shown ?? ""): allowed are \(ThousandthsText.text(least)) to "
          + "\(ThousandthsText.text(greatest)) \(unit) a minute")
    }
    return tempo
  }

  // MARK: Meter and clicks

  private mutating func readMeter(_ object: JSONObjectReader) throws(FormatError) {
    if let text = try object.string("meter") {
      do { preset.meter = try Meter(text: text) } catch {
        throw object.error("meter", error.description)
      }
    }
    guard let text = try object.string("pattern") else { return }
    guard let meter = preset.meter else {
      throw object.error("pattern", "there is no meter beside it: write \"meter\" as well")
    }
    do { preset.pattern = try AccentPattern(text: text, for: meter) } catch {
      throw object.error("pattern", error.description)
    }
  }

  private mutating func readSubdivision(_ object: JSONObjectReader) throws(FormatError) {
    if case .object? = object.node("subdivision")?.value {
      let inner = try object.object(
        "subdivision", keys: PresetKeys.names(PresetKeys.subdivision))
      preset.subdivision = try inner?.integer("count", Limits.subdivision)
      preset.subdivisionLevel = try inner?.accent("level")
    } else {
      preset.subdivision = try object.integer("subdivision", Limits.subdivision)
    }
    if case .string? = object.node("swing")?.value {
      preset.swing = try object.word("swing", [("triplet", Swing.triplet)])
    } else if let percent = try object.number("swing", Limits.swingPercent, unit: "%") {
      guard let swing = Swing(percent: percent) else {
        throw object.error("swing", "\(object.node("swing")?.value.shown ?? ""): \(Swing.decimals)")
      }
      preset.swing = swing
    }
  }

  // MARK: Sounds

  private mutating func readSounds(_ object: JSONObjectReader) throws(FormatError) {
    if let sounds = try object.object("sounds", keys: PresetKeys.names(PresetKeys.sounds)) {
      for target in ControlCommand.SoundTarget.allCases {
        guard
          let inner = try sounds.object(
            target.rawValue, keys: PresetKeys.names(PresetKeys.sound))
        else { continue }
        var sound = Preset.Sound()
        sound.name = try inner.name("name")
        sound.decibels = try inner.decibels("gain")
        sound.semitones = try inner.number("pitch", Limits.semitones, unit: "semitones")
        sound.channels = try PresetReader.channels(inner)
        sound.keepsLeadingSilence = try inner.bool("keepSilence")
        preset.sounds[target] = sound
      }
    }
    if let nodes = try object.list("beatSounds", atMost: Meter.maximumBeats) {
      preset.beatSounds = try PresetReader.texts(nodes, "beatSounds", in: object, nullable: true)
      for name in preset.beatSounds ?? [] {
        guard let name else { continue }
        do { _ = try SafeName(name) } catch {
          throw object.error("beatSounds", error.description)
        }
      }
    }
    if let count = try object.integer("analogSync", 0...48) {
      guard Limits.analogSyncPerQuarter.contains(count) else {
        let allowed = Limits.analogSyncPerQuarter.map { "\($0)" }.joined(separator: ", ")
        throw object.error("analogSync", "\(count): allowed are \(allowed)")
      }
      preset.analogSync = count
    }
  }

  private static func channels(_ object: JSONObjectReader) throws(FormatError) -> [Int]? {
    guard let nodes = try object.list("channels", atMost: Limits.outputChannels.upperBound) else {
      return nil
    }
    var channels: [Int] = []
    for node in nodes {
      guard case .number(let number) = node.value, let channel = Int(exactly: number.double),
        Limits.outputChannels.contains(channel)
      else {
        throw object.error(
          "channels",
          "\(node.value.shown): allowed are whole numbers \(Limits.outputChannels.lowerBound) to "
            + "\(Limits.outputChannels.upperBound)")
      }
      channels.append(channel)
    }
    return channels
  }

  /// Texts of a list.
  static func texts(
    _ nodes: [JSONNode], _ key: String, in object: JSONObjectReader, nullable: Bool
  ) throws(FormatError) -> [String?] {
    var texts: [String?] = []
    for node in nodes {
      switch node.value {
      case .string(let text) where text.utf8.count <= 200: texts.append(text)
      case .null where nullable: texts.append(nil)
      default:
        throw object.error(
          key,
          "\(node.value.shown): allowed are texts of up to 200 bytes\(nullable ? " and null" : "")")
      }
    }
    return texts
  }
}
