import Glibc
import MusicalTime
import Synchronization
import Testing
import ThreadCrossing

@testable import ALSAAudio

/// Answers each open in turn: a card, or an errno.
private final class PlannedOpener: PCMOpener, @unchecked Sendable {
  var answers: [Result<SimulatedCard, PCMProblem>]
  private(set) var requests: [PCMRequest] = []

  init(_ answers: [Result<SimulatedCard, PCMProblem>]) { self.answers = answers }

  func open(_ request: PCMRequest) throws(PCMProblem) -> any PCMDevice {
    requests.append(request)
    guard !answers.isEmpty else {
      throw PCMProblem(device: request.device, call: "open", code: ENOENT)
    }
    return try answers.removeFirst().get()
  }
}

/// Notices in order; the keeper calls it on the thread of the test.
private final class Notices: @unchecked Sendable {
  var all: [OutputNotice] = []
}

private func at(_ milliseconds: Int64) -> MonotonicTime {
  MonotonicTime(nanoseconds: milliseconds * 1_000_000)
}

private func refusal(_ code: Int32) -> Result<SimulatedCard, PCMProblem> {
  .failure(PCMProblem(device: "hw:CARD=X", call: "snd_pcm_open", code: code))
}

@Suite struct DeviceKeeperLaws {
  private let notices = Notices()
  private let arrivals = SPSCQueue<Unmanaged<OutputStream>>(capacity: 4)
  private let facts = SPSCQueue<StreamFact>(capacity: 16)

  private func keeper(
    _ opener: PlannedOpener, mixer: [MixerWarning] = []
  ) -> DeviceKeeper {
    let notices = notices
    return DeviceKeeper(
      request: PCMRequest(device: "hw:CARD=X"), opener: opener, prepared: nil,
      framesPerSecond: 48_000, problem: nil, now: at(0), arrivals: arrivals, facts: facts,
      checkMixer: { _ in mixer }, report: { notices.all.append($0) })
  }

  @Test("a device that runs empty is asked for longer periods, and the change is reported")
  func lengthens() {
    let time = SimulatedTime()
    let cards = [256, 512].map {
      SimulatedCard(time, periodFrames: $0, bufferFrames: 4 * $0)
    }
    let opener = PlannedOpener(cards.map { .success($0) })
    let keeper = keeper(opener)
    keeper.turn(at: at(0), cardsChanged: false)
    facts.push(StreamFact(kind: .lost, code: -EPIPE))
    keeper.turn(at: at(100), cardsChanged: false)
    #expect(cards[0].isClosed)
    keeper.turn(at: at(150), cardsChanged: false)
    #expect(opener.requests.map(\.leastPeriodFrames) == [nil, 512])
    facts.push(StreamFact(kind: .playing))
    keeper.turn(at: at(200), cardsChanged: false)
    #expect(notices.all.count == 2)
    // 256 frames at 48 kHz are 5.33 ms, 512 are 10.67.
    #expect(
      notices.all[0].description
        == "audio: 'hw:CARD=X' ran empty again and again at a period of 256 frames (5.3 ms): "
        + "opening it again with 512 frames (10.7 ms); --period 512 asks for that from the start")
    #expect(notices.all[0].isWarning)
  }

  @Test("a card that is not there yet is taken when it comes")
  func comesLate() {
    let card = SimulatedCard(SimulatedTime())
    let opener = PlannedOpener([refusal(ENOENT), refusal(ENOENT), .success(card)])
    let keeper = keeper(opener)
    keeper.turn(at: at(0), cardsChanged: false)
    keeper.turn(at: at(50), cardsChanged: false)
    #expect(arrivals.isEmpty)
    // A device file appears; 50 ms later the card is opened.
    keeper.turn(at: at(60), cardsChanged: true)
    keeper.turn(at: at(110), cardsChanged: false)
    #expect(arrivals.pop() != nil)
    facts.push(StreamFact(kind: .playing))
    keeper.turn(at: at(150), cardsChanged: false)
    #expect(
      notices.all == [
        .waiting(PCMProblem(device: "hw:CARD=X", call: "snd_pcm_open", code: ENOENT)),
        .playing(device: "hw:CARD=X", card.configuration),
      ])
  }

  @Test("a lost card is closed before it is opened again, at the rate that runs")
  func reopens() {
    let time = SimulatedTime()
    let first = SimulatedCard(time, framesPerSecond: 44_100)
    let second = SimulatedCard(time, framesPerSecond: 44_100)
    let opener = PlannedOpener([.success(first), .success(second)])
    let keeper = keeper(opener)
    keeper.turn(at: at(0), cardsChanged: false)
    facts.push(StreamFact(kind: .playing))
    facts.push(StreamFact(kind: .lost, code: -ENODEV))
    keeper.turn(at: at(500), cardsChanged: false)
    #expect(first.isClosed)
    #expect(opener.requests.count == 1)
    keeper.turn(at: at(550), cardsChanged: false)
    #expect(opener.requests.map(\.framesPerSecond) == [48_000, 44_100])
    #expect(!second.isClosed)
    keeper.finish()
    #expect(second.isClosed)
  }

  @Test("a muted mixer is reported when the card plays, with the command that mends it")
  func mixer() {
    let opener = PlannedOpener([.success(SimulatedCard(SimulatedTime()))])
    let warning = MixerWarning(card: "X", element: "Master", isMuted: true)
    let keeper = keeper(opener, mixer: [warning])
    keeper.turn(at: at(0), cardsChanged: false)
    facts.push(StreamFact(kind: .playing))
    keeper.turn(at: at(10), cardsChanged: false)
    #expect(notices.all.last == .mixer(warning))
    #expect(warning.description.hasSuffix("amixer -c X sset 'Master' unmute"))
  }
}

@Suite struct MixerCheckLaws {
  @Test("Master and PCM decide, muted or at the minimum; a lone control decides too")
  func judges() {
    func warnings(_ elements: [MixerElement]) -> [String] {
      MixerCheck.judge(elements, card: "C").map { "\($0.element) \($0.isMuted)" }
    }
    let microphone = MixerElement(name: "Mic", isOn: false, isAtMinimum: true)
    let muted = MixerElement(name: "Master", isOn: false, isAtMinimum: false)
    let low = MixerElement(name: "PCM", isOn: nil, isAtMinimum: true)
    let fine = MixerElement(name: "Master", isOn: true, isAtMinimum: false)
    let lone = MixerElement(name: "Headset", isOn: nil, isAtMinimum: true)
    #expect(warnings([muted, low, microphone]) == ["Master true", "PCM false"])
    #expect(warnings([fine, microphone]) == [])
    #expect(warnings([lone]) == ["Headset false"])
    #expect(warnings([]) == [])
  }
}

@Suite struct AudioOutputLaws {
  @Test("without a device wanted the output starts, runs on the host's time, and stops")
  func silent() throws {
    let device = PreparedDevice(request: PCMRequest(device: "none", framesPerSecond: 44_100))
    #expect(device.problem == nil)
    #expect(device.configuration.framesPerSecond == 44_100)
    let source = CountingSource()
    let output = AudioOutput(source: source, device: device) { _ in }
    _ = try output.start()
    // As soon as the first period is published; no particular speed is asked for.
    while output.clock.version < 4 { sched_yield() }
    #expect(output.status().state == .freeRunning)
    output.stop()
    #expect(source.frame > 0)
  }

  @Test(
    "no figure of a request makes a trap",
    arguments: [(0, 0, 0.0), (-1, -5, -3.0), (.max, .max, .infinity), (44_100, 2, .nan)])
  func hostile(rate: Int, channels: Int, milliseconds: Double) {
    let device = PreparedDevice(
      request: PCMRequest(
        device: "none", framesPerSecond: rate, channelCount: channels, periodFrames: rate,
        bufferMilliseconds: milliseconds))
    #expect((8_000...768_000).contains(device.configuration.framesPerSecond))
    #expect((1...64).contains(device.configuration.channelCount))
    #expect(device.configuration.bufferFrames >= device.configuration.periodFrames)
  }

  @Test("a device that cannot be opened is no error, and says why")
  func absent() {
    let device = PreparedDevice(
      request: PCMRequest(device: "hw:CARD=X"), opener: PlannedOpener([refusal(EBUSY)]))
    #expect(device.problem?.code == EBUSY)
    #expect(device.configuration.framesPerSecond == 48_000)
    #expect(device.configuration.bufferFrames == 960)
  }
}
