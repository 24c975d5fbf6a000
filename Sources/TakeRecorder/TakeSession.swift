internal import Glibc
public import ScoreFormats

/// A take that is being written: samples, holes, levels and the side file.
///
/// - Thread: the disk thread; writes and waits for the disk.
@safe public final class TakeSession {
  public let path: String
  private let writer: TakeWriter
  private var sheet: TakeSheet
  private var isSheetStale = true
  private var gaps: [TakeSheet.Gap] = []
  /// Largest samples since `takePeak`.
  private var peak: Float = 0
  private var savedAtFrame: Int64 = 0
  /// Holes that are listed; the silence of further ones is written all the same.
  private static let mostGaps = 10_000
  /// A hole longer than this is a clock that went wrong, not lost sound.
  private static let longestGapSeconds: Int64 = 3_600

  /// Creates the files; the folder is made where it is missing.
  public init(
    path: String, encoding: TakeEncoding, sheet: TakeSheet
  ) throws(TakeError) {
    self.path = path
    self.sheet = sheet
    writer = try TakeWriter(path: path, encoding: encoding)
    try saveSheet()
  }

  public var frames: Int64 { writer.frames }
  public var clipped: Int { writer.clipped }
  public var gapFrames: Int64 { gaps.reduce(0) { $0 + $1.frames } }

  /// The largest sample since it was last asked for, full scale 1.0.
  public func takePeak() -> Float {
    defer { peak = 0 }
    return peak
  }

  /// What the control thread knows by now; holes and clipped samples are this thread's.
  public func use(_ sheet: TakeSheet) {
    self.sheet = sheet
    isSheetStale = true
  }

  /// Appends what was recorded from a frame of the input on.
  ///
  /// - Parameters:
  ///   - frame: of the input; what is missing since the block before becomes silence.
  ///   - zero: frame of the input that is to be frame 0; what lies before it is left out.
  ///   - samples: interleaved.
  public func append(
    _ samples: UnsafeBufferPointer<Float>, at frame: Int64, zero: Int64
  ) throws(TakeError) {
    let channels = writer.encoding.channels
    let skipped = max(0, min(Int64(samples.count / channels), zero - frame))
    let start = frame + skipped
    let piece = unsafe UnsafeBufferPointer(rebasing: samples[(Int(skipped) * channels)...])
    guard !piece.isEmpty else { return }
    let missing = start - zero - writer.frames
    if missing > 0, missing <= Int64(writer.encoding.rate) * TakeSession.longestGapSeconds {
      if gaps.count < TakeSession.mostGaps {
        gaps.append(TakeSheet.Gap(frame: writer.frames, frames: missing))
      }
      isSheetStale = true
      try writer.appendSilence(frames: missing)
    }
    for index in 0..<piece.count {
      let size = unsafe abs(piece[index])
      if size > peak { peak = size }
    }
    try unsafe writer.append(piece)
    if writer.frames - savedAtFrame >= Int64(writer.encoding.rate) {
      savedAtFrame = writer.frames
      // A file whose folder was removed takes samples that nobody will ever find.
      guard unsafe access(path, F_OK) == 0 else { throw .gone(path: path) }
      if isSheetStale || sheet.clipped != writer.clipped { try saveSheet() }
    }
  }

  /// Completes both files.
  ///
  /// - Parameter ended: why, where nobody asked for it.
  public func finish(ended: String?) throws(TakeError) {
    sheet.ended = ended
    // A full disk keeps neither; the samples come first.
    var failure: TakeError?
    do throws(TakeError) { try writer.close() } catch { failure = error }
    sheet.frames = writer.durableFrames
    do throws(TakeError) { try saveSheet() } catch { if failure == nil { failure = error } }
    if let failure { throw failure }
  }

  private func saveSheet() throws(TakeError) {
    sheet.gaps = gaps
    sheet.clipped = writer.clipped
    do throws(StoreError) { try TakeSheetFile.save(sheet, beside: path) } catch {
      throw .sheet(error.description)
    }
    isSheetStale = false
  }
}
