import CommandLineOptions
import SoundFiles
import TimingReport

/// Reads one channel of a take of any length as pieces that overlap.
enum TakePieces {
  /// The channel that sounds most, and how many frames there are.
  static func loudest(
    _ path: String
  ) throws(CommandFailure) -> (channel: Int, frames: Int, rate: Int) {
    do throws(SoundFileError) {
      let stream = try SoundFileStream(path: path)
      var energies = [Double](repeating: 0, count: stream.channels)
      var frames = 0
      while true {
        let piece = try stream.next()
        if piece.isEmpty { break }
        frames += piece.count / stream.channels
        for (index, sample) in piece.enumerated() {
          energies[index % stream.channels] += Double(sample) * Double(sample)
        }
      }
      let most = energies.indices.max { energies[$0] < energies[$1] } ?? 0
      return (most, frames, stream.rate)
    } catch { throw CommandFailure(.failed, error.description) }
  }

  /// - Parameter body: gets every piece in order.
  static func each(
    _ path: String, channel: Int, frames: Int, _ body: (TakePiece) -> Void
  ) throws(CommandFailure) {
    do throws(SoundFileError) {
      let stream = try SoundFileStream(path: path)
      let margin = TakeSurvey.marginSeconds * stream.rate
      let length = TakeSurvey.pieceSeconds * stream.rate
      var start = 0
      var samples: [Float] = []
      var core = 0
      while true {
        let piece = try stream.next()
        for index in stride(from: channel, to: piece.count, by: stream.channels) {
          samples.append(piece[piece.startIndex + index])
        }
        let isLast = piece.isEmpty || start + samples.count >= frames
        // The last piece may be longer by half, so that none is too short to know the clicks.
        let isFull = start + samples.count >= core + length + margin
        guard isLast || (isFull && frames - core > length * 3 / 2) else { continue }
        let end = isLast ? frames : core + length
        body(TakePiece(start: start, samples: samples, core: core..<max(core, end)))
        if isLast { return }
        core = end
        let kept = max(start, core - margin)
        samples.removeFirst(kept - start)
        start = kept
      }
    } catch { throw CommandFailure(.failed, error.description) }
  }
}
