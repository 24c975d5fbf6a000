public import MetronomeModel

/// A latency that was measured, and for what.
///
/// - Thread: any
public struct CalibrationRecord: Equatable, Sendable {
  public var route: AudioRoute
  /// From the instant a sweep was played to the instant it was recorded, beyond what ALSA knows.
  public var roundTripMilliseconds: Double
  /// The input's share of it, measured or assumed.
  public var inputMilliseconds: Double
  /// Median absolute deviation of the sweeps.
  public var madMilliseconds: Double
  /// From the earliest to the latest of several opens; nil where there was one.
  public var spreadMilliseconds: Double?
  /// `green` or `yellow`.
  public var verdict: String
  public var accepted: Int
  public var count: Int
  public var isCable: Bool
  /// Seconds since 1970.
  public var measuredAt: Int64
  /// Of which machine: cards of others have the same names.
  public var machine: String

  public init(
    route: AudioRoute, roundTripMilliseconds: Double, inputMilliseconds: Double,
    madMilliseconds: Double, spreadMilliseconds: Double?, verdict: String, accepted: Int,
    count: Int, isCable: Bool, measuredAt: Int64, machine: String
  ) {
    self.route = route
    self.roundTripMilliseconds = roundTripMilliseconds
    self.inputMilliseconds = inputMilliseconds
    self.madMilliseconds = madMilliseconds
    self.spreadMilliseconds = spreadMilliseconds
    self.verdict = verdict
    self.accepted = accepted
    self.count = count
    self.isCable = isCable
    self.measuredAt = measuredAt
    self.machine = machine
  }

  /// What the outputs are moved by.
  public var outputMilliseconds: Double { roundTripMilliseconds - inputMilliseconds }
}

/// The measured latencies as JSON text.
///
/// - Thread: any
public enum CalibrationRecordsFormat {
  static let most = 200
  private static let keys = [
    "output", "input", "roundTripMilliseconds", "inputMilliseconds", "madMilliseconds",
    "spreadMilliseconds", "verdict", "accepted", "count", "cable", "measuredAt", "machine",
  ]
  private static let endKeys = ["device", "card", "rate", "period", "channels"]

  public static func write(_ records: [CalibrationRecord]) -> String {
    JSONValue.members([
      ("version", .integer(1)),
      ("calibrations", .list(records.map(row))),
    ]).text()
  }

  private static func row(_ record: CalibrationRecord) -> JSONValue {
    .members([
      ("output", end(record.route.output)),
      ("input", end(record.route.input)),
      ("roundTripMilliseconds", .number(record.roundTripMilliseconds)),
      ("inputMilliseconds", .number(record.inputMilliseconds)),
      ("madMilliseconds", .number(record.madMilliseconds)),
      ("spreadMilliseconds", record.spreadMilliseconds.map { .number($0) }),
      ("verdict", .string(record.verdict)),
      ("accepted", .integer(record.accepted)),
      ("count", .integer(record.count)),
      ("cable", record.isCable ? .bool(true) : nil),
      ("measuredAt", .integer(Int(record.measuredAt))),
      ("machine", .string(record.machine)),
    ])
  }

  private static func end(_ end: AudioRoute.End) -> JSONValue {
    .members([
      ("device", .string(end.device)), ("card", .string(end.card)), ("rate", .integer(end.rate)),
      ("period", .integer(end.periodFrames)), ("channels", .integer(end.channels)),
    ])
  }

  public static func read(
    _ bytes: [UInt8], file: String
  ) throws(FormatError) -> [CalibrationRecord] {
    let root = try JSONObjectReader(
      try JSONParser.parse(bytes, file: file), path: "", file: file,
      keys: ["version", "calibrations"])
    _ = try root.required("version", try root.integer("version", 1...1))
    var records: [CalibrationRecord] = []
    for row in try root.objects("calibrations", atMost: most, keys: keys) ?? [] {
      let milliseconds: ClosedRange<Double> = -1_000...10_000
      records.append(
        CalibrationRecord(
          route: AudioRoute(
            output: try end("output", row, file), input: try end("input", row, file)),
          roundTripMilliseconds: try row.required(
            "roundTripMilliseconds", try row.number("roundTripMilliseconds", milliseconds)),
          inputMilliseconds: try row.number("inputMilliseconds", milliseconds) ?? 0,
          madMilliseconds: try row.number("madMilliseconds", 0...1_000) ?? 0,
          spreadMilliseconds: try row.number("spreadMilliseconds", 0...10_000),
          verdict: try row.string("verdict") ?? "yellow",
          accepted: try row.integer("accepted", 0...1_000) ?? 0,
          count: try row.integer("count", 0...1_000) ?? 0,
          isCable: try row.bool("cable") ?? false,
          measuredAt: Int64(try row.number("measuredAt", 0...1e12) ?? 0),
          machine: try row.string("machine") ?? ""))
    }
    return records
  }

  private static func end(
    _ key: String, _ row: JSONObjectReader, _ file: String
  ) throws(FormatError) -> AudioRoute.End {
    let node = try row.required(key, row.node(key))
    let object = try JSONObjectReader(node, path: key, file: file, keys: endKeys)
    return AudioRoute.End(
      device: try object.required("device", try object.string("device", bytes: 400)),
      card: try object.string("card", bytes: 400) ?? "",
      rate: try object.required("rate", try object.integer("rate", 1_000...768_000)),
      periodFrames: try object.integer("period", 0...1_000_000) ?? 0,
      channels: try object.integer("channels", 0...64) ?? 0)
  }
}

/// The file that measured latencies are kept in, one for each route.
///
/// - Thread: a worker; reads and writes files.
public struct CalibrationStore: Sendable {
  public let folder: String
  public static let file = "latency.json"

  public init(folder: String) { self.folder = folder }

  public var path: String { "\(folder)/\(CalibrationStore.file)" }

  /// - Returns: none where nothing was measured yet.
  public func load() throws(StoreError) -> [CalibrationRecord] {
    guard let bytes = try WholeFile.read(path) else { return [] }
    do { return try CalibrationRecordsFormat.read(bytes, file: path) } catch {
      throw .format(error)
    }
  }

  public func save(_ records: [CalibrationRecord]) throws(StoreError) {
    WholeFile.makeFolder(folder)
    try WholeFile.replace(
      Array(CalibrationRecordsFormat.write(records).utf8), folder: folder,
      file: CalibrationStore.file)
  }

  /// Keeps a result in the place of an earlier one of its route; the oldest goes where there are too
  /// many.
  public func keep(_ record: CalibrationRecord) throws(StoreError) -> [CalibrationRecord] {
    var records = try load().filter {
      $0.route != record.route || $0.machine != record.machine
    }
    records.append(record)
    if records.count > CalibrationRecordsFormat.most { records.removeFirst() }
    try save(records)
    return records
  }
}

/// What an analysis in another process found.
///
/// - Thread: any
public struct CalibrationAnswer: Equatable, Sendable {
  public var verdict: String
  public var latencyFrames: Double?
  public var madMilliseconds: Double
  public var accepted: Int
  public var count: Int
  public var advice: String
  public var driftPPM: Double

  /// Reads what `tactus calibrate --analyse FILE --json` writes.
  public init(_ bytes: [UInt8]) throws(FormatError) {
    let root = try JSONObjectReader(
      try JSONParser.parse(bytes, file: "analysis"), path: "", file: "analysis",
      keys: [
        "verdict", "latencyFrames", "latencyMilliseconds", "madMilliseconds", "madFrames",
        "accepted", "count", "advice", "rate", "channel", "raised", "driftPPM", "middleSecond",
        "sweeps",
      ])
    verdict = try root.required("verdict", try root.string("verdict"))
    latencyFrames =
      root.isNull("latencyFrames") ? nil : try root.number("latencyFrames", -1e7...1e7)
    madMilliseconds = try root.number("madMilliseconds", -1...1e6) ?? 0
    accepted = try root.integer("accepted", 0...1_000) ?? 0
    count = try root.integer("count", 0...1_000) ?? 0
    advice = try root.string("advice", bytes: 10_000) ?? ""
    driftPPM = try root.number("driftPPM", -1e6...1e6) ?? 0
  }
}
