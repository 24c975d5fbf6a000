import Glibc
import Synchronization

/// Runs two bodies at the same time, each on a thread of its own, and waits for both.
func atTheSameTime(
  _ first: @escaping @Sendable () -> Void, _ second: @escaping @Sendable () -> Void
) {
  var threads: [pthread_t] = []
  for body in [first, second] {
    var thread = pthread_t()
    let box = Unmanaged.passRetained(Body(body))
    if pthread_create(&thread, nil, runBody, box.toOpaque()) == 0 { threads.append(thread) }
  }
  for thread in threads { pthread_join(thread, nil) }
}

private final class Body: Sendable {
  let run: @Sendable () -> Void
  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

private func runBody(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context else { return nil }
  Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
  return nil
}

/// An integer that two threads may share.
final class SharedCount: Sendable {
  private let value = Atomic<Int>(0)
  func add(_ amount: Int) { value.wrappingAdd(amount, ordering: .relaxed) }
  var total: Int { value.load(ordering: .relaxed) }
}
