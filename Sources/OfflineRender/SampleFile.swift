import SoundFiles

/// Writes planar blocks as a sound file.
///
/// - Thread: any one at a time
@safe final class SampleFile {
  private let writer: SoundFileWriter

  /// - Parameter frames: its exact length.
  init(
    _ destination: RenderDestination, format: SoundFileFormat, rate: Int64, channelCount: Int,
    frames: Int64
  ) throws(RenderError) {
    do throws(SoundFileError) {
      switch destination {
      case .path(let path):
        writer = try SoundFileWriter(
          path: path, format: format, rate: Int(rate), channels: channelCount,
          expectedFrames: frames)
      case .descriptor(let descriptor, let name):
        writer = try SoundFileWriter(
          descriptor: descriptor, name: name, format: format, rate: Int(rate),
          channels: channelCount, expectedFrames: frames)
      }
    } catch { throw .sound(error) }
  }

  /// - Parameter block: channels `RenderPass.blockFrames` apart.
  func write(_ block: UnsafeBufferPointer<Float>, frames: Int) throws(RenderError) {
    do throws(SoundFileError) {
      try unsafe writer.write(planar: block, stride: RenderPass.blockFrames, frames: frames)
    } catch { throw .sound(error) }
  }

  func close() throws(RenderError) {
    do throws(SoundFileError) { try writer.close() } catch { throw .sound(error) }
  }
}
