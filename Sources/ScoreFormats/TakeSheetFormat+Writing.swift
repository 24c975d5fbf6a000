import MetronomeModel
import MusicalTime

/// The side file as text; what is read back is what was written.
extension TakeSheetFormat {
  public static func write(_ sheet: TakeSheet) -> String {
    let clicks = TakeSheet.ClickLevel.allCases.compactMap { level -> (String, JSONValue?)? in
      sheet.click[level].map { (level.rawValue, .string($0)) }
    }
    return JSONValue.members([
      ("version", .integer(TakeSheet.version)),
      ("rate", .integer(sheet.rate)),
      ("channels", sheet.channels.map { .integer($0) }),
      ("barOneFrame", .number(rounded(sheet.barOneFrame))),
      ("countInBars", sheet.countInBars > 0 ? .integer(sheet.countInBars) : nil),
      ("stopFrame", sheet.stopFrame.map { .number(rounded($0)) }),
      ("latencyFrames", sheet.latencyFrames.map { .number(rounded($0)) } ?? .null),
      ("latencyVerdict", sheet.latencyVerdict.map { .string($0) }),
      ("route", sheet.route.map { .string($0) }),
      (
        "routeChanges",
        sheet.routeChanges.isEmpty
          ? nil
          : .list(
            sheet.routeChanges.map {
              .members([("frame", .integer(Int($0.frame))), ("route", .string($0.route))])
            })
      ),
      (
        "gaps",
        sheet.gaps.isEmpty
          ? nil
          : .list(
            sheet.gaps.map {
              .members([("frame", .integer(Int($0.frame))), ("frames", .integer(Int($0.frames)))])
            })
      ),
      ("clipped", .integer(sheet.clipped)),
      ("frames", sheet.frames.map { .integer(Int($0)) }),
      ("ended", sheet.ended.map { .string($0) }),
      ("recordedAt", sheet.recordedAt.map { .integer(Int($0)) }),
      ("click", clicks.isEmpty ? nil : .members(clicks)),
      ("tempo", .list(rows(sheet.tempo))),
    ]).text()
  }

  private static func rows(_ stretches: [TakeSheet.Stretch]) -> [JSONValue] {
    var last: TakeSheet.Stretch?
    return stretches.map { stretch in
      defer { last = stretch }
      return row(stretch, after: last)
    }
  }

  /// What goes on from the stretch before is left out.
  private static func row(
    _ stretch: TakeSheet.Stretch, after last: TakeSheet.Stretch?
  ) -> JSONValue {
    let unit = last?.tempo.unit ?? .quarter
    let swing = stretch.subdivision.swing.percent
    let isDivided = stretch.subdivision != (last?.subdivision ?? .none)
    let pattern = stretch.pattern.flatMap {
      last?.meter == stretch.meter && last?.pattern == $0 ? nil : $0
    }
    return .members([
      ("bar", .integer(stretch.bar)),
      ("beat", stretch.beat > 1 ? .integer(stretch.beat) : nil),
      ("frame", stretch.frame.map { .number(rounded($0)) }),
      (
        "meter",
        stretch.meter == (last?.meter ?? .common) ? nil : .string(stretch.meter.description)
      ),
      ("unit", stretch.tempo.unit == unit ? nil : .string(stretch.tempo.unit.description)),
      ("tempo", .number(stretch.tempo.value)),
      ("to", stretch.glide.map { .number($0.to.value) }),
      ("bars", length(stretch, isBars: true)),
      ("seconds", length(stretch, isBars: false)),
      ("subdivision", isDivided ? .integer(Int(stretch.subdivision.count)) : nil),
      ("swing", isDivided && swing != 50 ? .number(swing) : nil),
      ("pattern", pattern.map { .string($0.description) }),
      ("muted", stretch.isMuted ? .bool(true) : nil),
    ])
  }

  private static func length(_ stretch: TakeSheet.Stretch, isBars: Bool) -> JSONValue? {
    switch stretch.glide?.over {
    case .bars(let bars)? where isBars: .number(bars)
    case .seconds(let seconds)? where !isBars: .number(seconds)
    default: nil
    }
  }

  /// A thousandth of a frame is less than anything that was measured.
  private static func rounded(_ frames: Double) -> Double { (frames * 1_000).rounded() / 1_000 }
}

/// The side file on its disk: the old one or the new one, whenever the power goes.
///
/// - Thread: the disk thread; writes and waits.
public enum TakeSheetFile {
  /// - Parameter take: the path of the take, ending in `.wav`.
  public static func save(_ sheet: TakeSheet, beside take: String) throws(StoreError) {
    let slash = take.lastIndex(of: "/")
    let folder = slash.map { String(take[..<$0]) } ?? "."
    let file = slash.map { String(take[take.index(after: $0)...]) } ?? take
    let name = file.hasSuffix(".wav") ? String(file.dropLast(4)) : file
    try WholeFile.replace(
      Array(TakeSheetFormat.write(sheet).utf8), folder: folder.isEmpty ? "/" : folder,
      file: "\(name).json")
  }
}

extension TakeSheetFile {
  /// - Returns: nil where the take has no side file.
  public static func load(beside take: String) throws(StoreError) -> TakeSheet? {
    let path = (take.hasSuffix(".wav") ? String(take.dropLast(4)) : take) + ".json"
    guard let bytes = try WholeFile.read(path) else { return nil }
    do { return try TakeSheetFormat.read(bytes, file: path) } catch { throw .format(error) }
  }
}
