import MusicalTime
import OSCProtocol
import OSCWire
import RealtimeHost

/// Hears from a tactusd on this machine when its beats are heard.
///
/// - Thread: any one
struct BeatListener {
  private let client: OSCClient
  private var beats: [(beat: BeatMessage, isVoid: Bool)] = []
  private var nextLease = MonotonicTime.distantPast

  /// A day at 400 beats a minute.
  private static let mostBeats = 600_000
  /// A subscription lasts 60 s after the last message.
  private static let lease: Int64 = 20_000_000_000

  init(_ client: OSCClient) { self.client = client }

  /// Asks for the beats.
  ///
  /// - Returns: why they cannot be had; nil where they come.
  mutating func begin() -> String? {
    guard client.peer.isLoopback else {
      return "\(client.peer) is another machine, whose clock is not ours"
    }
    do throws(OSCClient.Failure) {
      let outcome = try client.request([BeatListener.subscription])
      if let refusal = outcome.refusals.first { return refusal.reason }
      for answer in outcome.answers { take(answer) }
    } catch { return error.description }
    nextLease = MonotonicClock.now().advanced(byNanoseconds: BeatListener.lease)
    return nil
  }

  /// Takes in what has come, without waiting.
  mutating func service() {
    let now = MonotonicClock.now()
    if now >= nextLease {
      client.send([BeatListener.subscription])
      nextLease = now.advanced(byNanoseconds: BeatListener.lease)
    }
    // A daemon that has gone leaves what it told before.
    while let got = try? client.receive(waitNanoseconds: 0) { take(got.message) }
  }

  /// When the beats were heard that no stop took back, in order.
  var instants: [MonotonicTime] {
    beats.filter { !$0.isVoid }.map(\.beat.due).sorted()
  }

  mutating func take(_ message: OSCMessage) {
    if message.address == BeatMessage.beatAddress, let beat = BeatMessage(message) {
      let isKnown = beats.suffix(64).contains {
        $0.beat.run == beat.run && $0.beat.sequence == beat.sequence
      }
      if !isKnown, beats.count < BeatListener.mostBeats { beats.append((beat, false)) }
    } else if message.address == BeatCancel.beatAddress, let cancel = BeatCancel(message) {
      for index in beats.indices.suffix(64) where cancel.voids(beats[index].beat) {
        beats[index].isVoid = true
      }
    }
  }

  private static var subscription: OSCMessage { OSCMessage("/tactus/subscribe", .string("beat")) }
}
