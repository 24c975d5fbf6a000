import MusicalTime
import RealtimeEngine

/// Facts that were announced and are not yet due, so that what a Stop voids never comes out.
///
/// - Thread: any
struct DueFacts {
  private var waiting: [EngineEvent] = []
  private var isSorted = true

  /// Takes a fact as the engine announced it.
  mutating func announce(_ event: EngineEvent) {
    if case .stopped(let stop) = event {
      waiting.removeAll { DueFacts.isVoid($0, after: stop.frame) }
    }
    switch event {
    case .effective, .refused, .retiredSounds, .retiredScore: return
    default: break
    }
    if let last = waiting.last, event.frame < last.frame { isSorted = false }
    waiting.append(event)
  }

  /// Hands over what is due before `end`, in the order of frames; at one frame, as announced.
  mutating func take(before end: FrameIndex, _ body: (EngineEvent) -> Void) {
    if !isSorted {
      // Clicks that are moved against everything else. Swift's sort keeps equals in order.
      waiting.sort { $0.frame < $1.frame }
      isSorted = true
    }
    var count = 0
    while count < waiting.count, waiting[count].frame < end {
      body(waiting[count])
      count += 1
    }
    if count == waiting.count {
      waiting.removeAll(keepingCapacity: true)
    } else if count > 0 {
      waiting.removeFirst(count)
    }
  }

  private static func isVoid(_ event: EngineEvent, after stop: FrameIndex) -> Bool {
    switch event {
    case .pulse, .beat, .click: event.frame >= stop
    default: false
    }
  }
}
