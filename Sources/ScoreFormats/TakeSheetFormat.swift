import MetronomeModel
import MusicalTime

/// The side file of a take: JSON with comments, versioned (`Sources/TimingReport/SideFile.md`).
///
/// Keys that are not known are left alone, so that a later version's file can be read.
///
/// - Thread: any
public enum TakeSheetFormat {
  static let rates: ClosedRange<Int> = 8_000...384_000
  /// Frames of the longest take: 48 hours at 384 kHz.
  static let frames: ClosedRange<Double> = -1e11...1e11
  static let mostStretches = 20_000

  public static func read(_ bytes: [UInt8], file: String) throws(FormatError) -> TakeSheet {
    let root = try open(try JSONParser.parse(bytes, file: file), path: "", file: file)
    let version = try root.required("version", try root.integer("version", 1...1_000_000))
    guard version == TakeSheet.version else {
      throw root.error(
        "version", "\(version): this program reads version \(TakeSheet.version); use a newer one")
    }
    let rate = try root.required("rate", try root.integer("rate", rates, unit: "Hz"))
    let barOne = try root.required("barOneFrame", try root.number("barOneFrame", frames))
    let stretches = try stretches(root)
    var sheet = TakeSheet(rate: rate, barOneFrame: barOne, tempo: stretches)
    sheet.channels = try root.integer("channels", 1...32)
    sheet.countInBars = try root.integer("countInBars", Limits.countInBars) ?? 0
    if !root.isNull("stopFrame") { sheet.stopFrame = try root.number("stopFrame", frames) }
    if let click = root.node("click"), !root.isNull("click") {
      let names = try open(click, path: "click", file: file)
      for level in TakeSheet.ClickLevel.allCases {
        sheet.click[level] = try names.string(level.rawValue, bytes: 4_096)
      }
    }
    if !root.isNull("latencyFrames") {
      sheet.latencyFrames = try root.number("latencyFrames", -1e7...1e7, unit: "frames")
    }
    if !root.isNull("latencyVerdict") { sheet.latencyVerdict = try root.string("latencyVerdict") }
    if !root.isNull("route") { sheet.route = try root.string("route", bytes: 1_000) }
    for change in try root.list("routeChanges", atMost: 10_000) ?? [] {
      let row = try open(change, path: "routeChanges", file: file)
      sheet.routeChanges.append(
        TakeSheet.RouteChange(
          frame: Int64(try row.required("frame", try row.number("frame", frames))),
          route: try row.string("route", bytes: 1_000) ?? ""))
    }
    for gap in try root.list("gaps", atMost: 10_000) ?? [] {
      let row = try open(gap, path: "gaps", file: file)
      sheet.gaps.append(
        TakeSheet.Gap(
          frame: Int64(try row.required("frame", try row.number("frame", frames))),
          frames: Int64(try row.required("frames", try row.number("frames", 0...1e11)))))
    }
    sheet.clipped = try root.integer("clipped", 0...Int(Int32.max)) ?? 0
    if !root.isNull("frames") {
      sheet.frames = try root.number("frames", 0...1e11).map { Int64($0) }
    }
    if !root.isNull("ended") { sheet.ended = try root.string("ended", bytes: 1_000) }
    if !root.isNull("recordedAt") {
      sheet.recordedAt = try root.number("recordedAt", 0...1e12).map { Int64($0) }
    }
    return sheet
  }

  private static func open(
    _ node: JSONNode, path: String, file: String
  ) throws(FormatError) -> JSONObjectReader {
    var keys: [String] = []
    if case .object(let members) = node.value { keys = members.map(\.key) }
    return try JSONObjectReader(node, path: path, file: file, keys: keys)
  }

  private static func stretches(_ root: JSONObjectReader) throws(FormatError) -> [TakeSheet.Stretch]
  {
    let nodes: [JSONNode]
    if let number = root.node("tempo"), case .number = number.value {
      // One tempo for the whole take: its keys may stand beside it.
      var members: [JSONMember] = [JSONMember(key: "tempo", node: number)]
      for key in ["meter", "unit", "subdivision", "swing", "pattern"] {
        if let node = root.node(key) { members.append(JSONMember(key: key, node: node)) }
      }
      nodes = [JSONNode(.object(members), place: number.place)]
    } else {
      nodes = try root.required("tempo", try root.list("tempo", atMost: mostStretches))
    }
    guard !nodes.isEmpty else { throw root.error("tempo", "is empty: a take has a tempo") }
    var stretches: [TakeSheet.Stretch] = []
    for (index, node) in nodes.enumerated() {
      let row = try open(node, path: "tempo[\(index)]", file: root.file)
      stretches.append(try stretch(row, after: stretches.last))
    }
    return stretches
  }

  /// Meter, subdivision and pattern go on from the stretch before where they are left out.
  private static func stretch(
    _ row: JSONObjectReader, after last: TakeSheet.Stretch?
  ) throws(FormatError) -> TakeSheet.Stretch {
    var unit = last?.tempo.unit ?? .quarter
    if let text = try row.string("unit") {
      guard let value = NoteValue(text: text) else {
        throw row.error("unit", "'\(text)': write a note value such as 1/8 or 1/4.")
      }
      unit = value
    }
    func tempo(_ key: String) throws(FormatError) -> Tempo? {
      guard let value = try row.number(key, 1...10_000, unit: "a minute") else { return nil }
      guard let tempo = Tempo(value, unit: unit) else {
        throw row.error(key, "\(value): allowed are 5 to 999 quarters a minute")
      }
      return tempo
    }
    let given = try tempo("tempo")
    var result = TakeSheet.Stretch(
      tempo: try row.required("tempo", given ?? last?.glide?.to ?? last?.tempo))
    result.bar = try row.integer("bar", 1...10_000_000) ?? 1
    result.beat = try row.integer("beat", 1...64) ?? 1
    if last == nil, result.bar != 1 || result.beat != 1 {
      throw row.error("bar", "the first stretch begins at bar 1, beat 1")
    }
    if let last, (result.bar, result.beat) <= (last.bar, last.beat) {
      throw row.error("bar", "a stretch begins after the one before")
    }
    result.frame = row.isNull("frame") ? nil : try row.number("frame", frames)
    result.meter = last?.meter ?? .common
    if let text = try row.string("meter") {
      do { result.meter = try Meter(text: text) } catch {
        throw row.error("meter", error.description)
      }
    }
    guard result.beat <= Int(result.meter.beatCount) else {
      throw row.error("beat", "\(result.beat): the bar has \(result.meter.beatCount) beats")
    }
    if let to = try tempo("to") {
      let bars = try row.number("bars", 0.01...100_000)
      let seconds = try row.number("seconds", 0.01...1_000_000)
      switch (bars, seconds) {
      case (let bars?, nil): result.glide = .init(to: to, over: .bars(bars))
      case (nil, let seconds?): result.glide = .init(to: to, over: .seconds(seconds))
      default: throw row.error("to", "a glide needs its length: bars, or seconds, not both")
      }
    }
    result.subdivision = last?.subdivision ?? .none
    if let count = try row.integer("subdivision", Limits.subdivision) {
      let percent = try row.number("swing", Limits.swingPercent, unit: "%") ?? 50
      result.subdivision = Subdivision(
        unchecked: UInt8(count), level: .soft,
        swing: abs(percent - 200.0 / 3) < 0.01
          ? .triplet : .percentHundredths(Int32((percent * 100).rounded())))
    }
    if let text = try row.string("pattern") {
      do { result.pattern = try AccentPattern(text: text, for: result.meter) } catch {
        throw row.error("pattern", error.description)
      }
    } else if last?.meter == result.meter {
      result.pattern = last?.pattern
    }
    result.isMuted = try row.bool("muted") ?? false
    return result
  }
}
