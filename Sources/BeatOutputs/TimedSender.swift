internal import OSCWire
public import OSCService
internal import MusicalTime
public import RealtimeHost
internal import ThreadCrossing

/// Who sends packets at their instants; nil in its place leaves that to the control thread.
///
/// - Thread: control
protocol InstantOutlet: AnyObject {
  /// - Returns: false where it cannot, and the caller must.
  func take(_ item: SendQueue.Item, to address: SocketAddress) -> Bool
  /// Everything from this frame on is void.
  func cancel(from frame: FrameIndex)
  /// What was taken since the last call may be due before all else.
  func wake()
}

/// Sends lamps their messages at the instant, from a thread that waits for nothing else.
///
/// The control thread makes the packets and may be late with many things; as they are made at
/// least a tenth of a second ahead, this thread is not. It never waits for a socket: what a full
/// socket refuses is lost, as on any network.
///
/// - Thread: control; the loop is on its own
public final class TimedSender: InstantOutlet {
  /// What the system allowed the thread.
  public let grant: RealtimeGrant
  private var orders: TimedOrders
  private let published: LatestValue<TimedSenderStatus>
  private let wakeUp = WakeUp()
  private let thread: RealtimeThread
  // Its descriptor is the thread's until the thread has ended.
  private let socket: OSCDatagramSocket
  private var isEnded = false

  /// Starts the thread.
  ///
  /// - Throws: where no thread can be had.
  init(
    socket: OSCDatagramSocket, priority: RealtimePriority? = .lamps
  ) throws(RealtimeThread.Failure) {
    self.socket = socket
    let queue = SPSCQueue<TimedOrder>(capacity: 1_024)
    let published = LatestValue(TimedSenderStatus())
    let wakeUp = wakeUp
    let descriptor = socket.descriptor
    thread = try RealtimeThread.start(name: "tactus-lamps", priority: priority) {
      let loop = TimedSenderLoop(orders: queue)
      let timer = DeadlineTimer()
      while !loop.isEnded {
        loop.turn(now: MonotonicClock.now) { packet in
          unsafe packet.withBytes { bytes in
            unsafe OSCDatagramSocket.send(bytes, to: packet.address, through: descriptor)
          }
        }
        published.store(loop.status)
        if !loop.isEnded { timer.wait(until: loop.nextDeadline, or: wakeUp) }
      }
    }
    grant = thread.grant
    orders = TimedOrders(queue: queue)
    self.published = published
  }

  deinit { end() }

  public var status: TimedSenderStatus { published.load() }

  func take(_ item: SendQueue.Item, to address: SocketAddress) -> Bool {
    guard !isEnded, let packet = TimedPacket(item, to: address) else { return false }
    return orders.send(packet)
  }

  func cancel(from frame: FrameIndex) { orders.cancel(from: frame) }

  func wake() {
    orders.passCancel()
    wakeUp.signal()
  }

  /// Sends what ends a flash, and ends the thread.
  public func end() {
    guard !isEnded else { return }
    isEnded = true
    // The thread takes whatever is in the queue each time it wakes.
    while !orders.end() { wakeUp.signal() }
    wakeUp.signal()
    thread.join()
  }
}

/// What the sending thread has done.
///
/// - Unit: packets; nanoseconds
public struct TimedSenderStatus: BitwiseCopyable, Sendable, Equatable {
  public var sent = 0
  /// Too late: a flash long after the beat is worse than none.
  public var dropped = 0
  public var overflowed = 0
  public var worstLateness: Int64 = 0
}

/// The control thread's end of the queue of orders: a stop is never lost, and never overtaken.
///
/// - Thread: control
struct TimedOrders {
  let queue: SPSCQueue<TimedOrder>
  /// The earliest stop that found the queue full; until it is through, nothing else is.
  private var waitingCancel: FrameIndex?

  init(queue: SPSCQueue<TimedOrder>) { self.queue = queue }

  /// - Returns: false where there is no room.
  mutating func send(_ packet: TimedPacket) -> Bool {
    passCancel() && queue.push(.send(packet))
  }

  mutating func cancel(from frame: FrameIndex) {
    waitingCancel = min(waitingCancel ?? frame, frame)
    passCancel()
  }

  /// - Returns: whether no stop waits any more.
  @discardableResult
  mutating func passCancel() -> Bool {
    guard let frame = waitingCancel else { return true }
    guard queue.push(.cancel(frame)) else { return false }
    waitingCancel = nil
    return true
  }

  func end() -> Bool { queue.push(.end) }
}

/// What the sending thread does each time it wakes.
///
/// - Thread: lamps
final class TimedSenderLoop {
  // The queue lives as long as the loop; its ends count no references.
  private let queue: SPSCQueue<TimedOrder>
  private let orders: SPSCQueueEnds<TimedOrder>
  private var packets = TimedPackets()
  private(set) var status = TimedSenderStatus()
  private(set) var isEnded = false

  init(orders: SPSCQueue<TimedOrder>) {
    queue = orders
    self.orders = orders.ends
  }

  deinit { packets.free() }

  var nextDeadline: MonotonicTime? { packets.nextDeadline }

  /// Takes what is in the queue, then sends what is due: a stop that has arrived is obeyed by all
  /// that is sent after it.
  func turn(now: () -> MonotonicTime, send: (TimedPacket) -> Void) {
    takeOrders()
    let now = now()
    while let packet = next(now) { send(packet) }
  }

  @_noAllocation @_noLocks
  func takeOrders() {
    while let order = orders.pop() {
      switch order {
      case .send(let packet): packets.add(packet)
      case .cancel(let frame): packets.cancel(from: frame)
      case .end: isEnded = true
      }
    }
    if isEnded { packets.cancel(from: .distantPast) }
    status.overflowed = packets.overflowed
  }

  /// The next packet to be sent now; at the end, whatever ends a flash.
  @_noAllocation @_noLocks
  func next(_ now: MonotonicTime) -> TimedPacket? {
    while let packet = packets.takeDue(isEnded ? .distantFuture : now) {
      let lateness = now.nanoseconds(since: packet.at)
      // 50 ms: BeatBroadcaster.latestNanoseconds.
      guard packet.endsFlash || lateness <= 50_000_000 else {
        status.dropped &+= 1
        continue
      }
      status.sent &+= 1
      if lateness > status.worstLateness { status.worstLateness = lateness }
      return packet
    }
    return nil
  }
}

extension OSCServer {
  /// A thread that sends through this server's socket, so that a lamp sees one sender.
  ///
  /// - Throws: where no thread can be had.
  public func startTimedSender() throws(RealtimeThread.Failure) -> TimedSender {
    try TimedSender(socket: datagrams)
  }
}
