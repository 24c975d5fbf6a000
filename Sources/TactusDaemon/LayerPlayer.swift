internal import ALSAAudio
internal import CLinux
internal import Glibc
internal import MusicalTime
internal import RealtimeHost
internal import ScoreFormats
internal import SoundFiles
internal import Synchronization
internal import TakeRecorder
internal import ThreadCrossing

/// An earlier take that sounds beside the clicks, its bar 1 on theirs.
@safe struct Layer {
  let name: String
  let sheet: TakeSheet
  private let stream: SoundFileStream
  private let alignment: TakeAlignment
  private var piece: ArraySlice<Float> = []
  private var skip: Int64
  private var silence: Int64
  private(set) var isOver = false

  /// - Throws: why the take cannot be played, in words.
  init(_ name: String, folder: TakeFolder, rate: Int) throws(LayerProblem) {
    let path: String
    do throws(TakeError) { path = try folder.take(name) } catch {
      throw LayerProblem(text: error.description)
    }
    do throws(StoreError) {
      guard let sheet = try TakeSheetFile.load(beside: path) else {
        throw StoreError.notFound(
          kind: "side file of take", name: name, nearest: nil, folders: [folder.path])
      }
      self.sheet = sheet
    } catch { throw LayerProblem(text: error.description) }
    do throws(SoundFileError) { stream = try SoundFileStream(path: path) } catch {
      throw LayerProblem(text: error.description)
    }
    guard stream.rate == rate else {
      throw LayerProblem(
        text: "take '\(name)' has \(stream.rate) frames a second and the output \(rate): start "
          + "tactusd with --rate \(stream.rate)")
    }
    alignment = TakeAlignment(sheet, frames: stream.announcedFrames, rate: rate)
    guard !alignment.isConsumed else {
      throw LayerProblem(
        text: "take '\(name)' ends before its bar 1 is heard: nothing is left once it is aligned")
    }
    self.name = name
    skip = alignment.trimmed
    silence = alignment.silence
  }

  /// Adds the next frames to a stereo mix.
  mutating func mix(into samples: inout [Float], frames: Int) {
    var done = 0
    while done < frames, !isOver {
      if silence > 0 {
        let count = Int(min(silence, Int64(frames - done)))
        silence -= Int64(count)
        done += count
        continue
      }
      if piece.isEmpty {
        let next = try? stream.next()
        piece = next ?? []
        if piece.isEmpty {
          isOver = true
          return
        }
      }
      let channels = stream.channels
      if skip > 0 {
        let dropped = min(skip, Int64(piece.count / channels))
        piece = piece.dropFirst(Int(dropped) * channels)
        skip -= dropped
        continue
      }
      let count = min(frames - done, piece.count / channels)
      let start = piece.startIndex
      for frame in 0..<count {
        let left = piece[start + frame * channels]
        let right = channels > 1 ? piece[start + frame * channels + 1] : left
        samples[(done + frame) * 2] += left
        samples[(done + frame) * 2 + 1] += right
      }
      piece = piece.dropFirst(count * channels)
      done += count
    }
  }
}

struct LayerProblem: Error, Sendable {
  var text: String
}

/// The thread that reads layers and feeds the overlay.
///
/// - Thread: the owner opens, begins and ends; a thread of its own reads.
@safe final class LayerPlayer: @unchecked Sendable {
  private let queue: SPSCQueue<OverlayBlock>
  private let names: [String]
  private let folder: TakeFolder
  private let rate: Int
  private let wakeUp: WakeUp
  private let reports = ParcelQueue<Report>(capacity: 8)
  private let begin = LatestValue<Int64>(Int64.min)
  private let isEnding = Atomic<Bool>(false)
  /// What the audio thread has rendered.
  private let rendered: @Sendable () -> Int64
  private var thread: RealtimeThread?

  enum Report: Sendable {
    /// The sheet of the first layer.
    case ready(TakeSheet)
    case refused(String)
    case over
  }

  init(
    _ names: [String], folder: TakeFolder, rate: Int, queue: SPSCQueue<OverlayBlock>,
    news: WakeUp, rendered: @escaping @Sendable () -> Int64
  ) {
    self.names = names
    self.folder = folder
    self.rate = rate
    self.queue = queue
    self.rendered = rendered
    wakeUp = news
  }

  func start() throws(RealtimeThread.Failure) {
    thread = try RealtimeThread.start(
      name: "tactus-layers", priority: nil, stackBytes: 512 * 1024
    ) { self.run() }
  }

  /// Beat one of bar 1 sounds at this frame.
  func begin(at frame: Int64) { begin.store(frame) }

  /// The thread ends by itself soon after.
  func end() { isEnding.store(true, ordering: .releasing) }

  func take() -> Report? { reports.pop() }

  private func tell(_ report: Report) {
    _ = reports.push(report)
    wakeUp.signal()
  }

  private func run() {
    var layers: [Layer] = []
    for name in names {
      do throws(LayerProblem) {
        layers.append(try Layer(name, folder: folder, rate: rate))
      } catch {
        return tell(.refused(error.text))
      }
    }
    guard let first = layers.first else { return tell(.refused("no take was named")) }
    tell(.ready(first.sheet))
    while begin.load() == Int64.min {
      if isEnding.load(ordering: .acquiring) { return }
      pause(2)
    }
    var frame = begin.load()
    // What has been missed is not played late.
    var samples = [Float](repeating: 0, count: OverlayBlock.frameCapacity * 2)
    while !isEnding.load(ordering: .acquiring) {
      guard queue.room > 0, frame < rendered() + Int64(rate) else {
        pause(10)
        continue
      }
      guard layers.contains(where: { !$0.isOver }) else { return tell(.over) }
      for index in samples.indices { samples[index] = 0 }
      for index in layers.indices {
        layers[index].mix(into: &samples, frames: OverlayBlock.frameCapacity)
      }
      var block = OverlayBlock()
      block.frame = frame
      block.frameCount = Int32(OverlayBlock.frameCapacity)
      for index in samples.indices { block.samples[index] = samples[index] }
      _ = queue.push(block)
      frame += Int64(OverlayBlock.frameCapacity)
    }
  }

  private func pause(_ milliseconds: Int64) {
    MonotonicClock.sleep(
      until: MonotonicClock.now().advanced(byNanoseconds: milliseconds * 1_000_000))
  }
}
