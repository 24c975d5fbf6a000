import Glibc
import Testing

@testable import ALSAAudio

private let cardsText = """
   0 [Loopback       ]: Loopback - Loopback
                        Loopback 1
   1 [Dummy          ]: Dummy - Dummy
                        Dummy 1
   2 [VirMIDI        ]: VirMIDI - VirMIDI
                        Virtual MIDI Card 1
  10 [Audio          ]: USB-Audio - QEMU USB Audio
                        QEMU QEMU USB Audio at usb-0000:00:01.0-1, full speed

  """
private let pcmsText = """
  00-00: Loopback PCM : Loopback PCM : playback 8 : capture 8
  00-01: Loopback PCM : Loopback PCM : playback 8 : capture 8
  01-00: Dummy PCM : Dummy PCM : playback 8 : capture 8
  10-00: USB Audio : USB Audio : playback 1

  """

@Suite struct BufferPlanLaws {
  private func plan(
    rate: Int = 48_000, periods: ClosedRange<Int> = 1...1_000_000,
    buffers: ClosedRange<Int> = 1...1_000_000, period: Int? = nil, milliseconds: Double? = nil,
    least: Int? = nil
  ) -> BufferPlan {
    var request = PCMRequest(
      framesPerSecond: rate, periodFrames: period, bufferMilliseconds: milliseconds)
    request.leastPeriodFrames = least
    return BufferPlan(
      request: request, framesPerSecond: rate, periods: periods, buffers: buffers)
  }

  @Test("the default buffer is at most 50 ms at every rate")
  func atMost50() {
    for rate in [44_100, 48_000, 88_200, 96_000, 192_000] {
      let plan = plan(rate: rate)
      #expect(plan.bufferFrames * 1000 <= 50 * rate)
      #expect(plan.bufferFrames == 4 * plan.periodFrames)
      // 5 ms a period: a two-hundredth of a second.
      #expect(plan.periodFrames == rate / 200)
    }
  }

  @Test("a card with one period size only gets as many of them as fit, three at least")
  func fixedPeriod() {
    // 50 ms are 2400 frames: four periods of 600, three of 800.
    #expect(plan(periods: 600...600).bufferFrames == 2400)
    #expect(plan(periods: 800...800).bufferFrames == 2400)
    // Longer than asked for, because a mixer that dictates its period needs three.
    #expect(plan(periods: 1024...1024).bufferFrames == 3072)
    #expect(plan(periods: 4096...4096).bufferFrames == 12_288)
    // What the card cannot do is not asked for.
    #expect(plan(periods: 1024...1024, buffers: 64...2048).bufferFrames == 2048)
  }

  @Test("a buffer that is asked for is had, in four periods unless a period is asked for too")
  func buffer() {
    // 100 ms are 4800 frames.
    #expect(plan(milliseconds: 100) == BufferPlan(periodFrames: 1200, bufferFrames: 4800))
    #expect(plan(period: 240, milliseconds: 100).bufferFrames == 4800)
    #expect(plan(milliseconds: 20) == BufferPlan(periodFrames: 240, bufferFrames: 960))
  }

  @Test("after a period that ran empty the next is twice as long, to 50 ms, with four of them")
  func lengthened() {
    var periods = [240]
    while let next = BufferPlan.longerPeriod(
      than: periods[periods.count - 1], framesPerSecond: 48_000)
    {
      periods.append(next)
    }
    // 50 ms at 48 kHz.
    #expect(periods == [240, 480, 960, 1920, 2400])
    #expect(plan(least: 480) == BufferPlan(periodFrames: 480, bufferFrames: 1920))
    #expect(plan(least: 2400) == BufferPlan(periodFrames: 2400, bufferFrames: 9600))
    #expect(plan(period: 64, milliseconds: 10, least: 960).bufferFrames == 3840)
    #expect(BufferPlan.longerPeriod(than: 0, framesPerSecond: 0) == nil)
  }

  @Test("two periods where a short buffer was asked for and the card does as asked")
  func twoPeriods() {
    #expect(plan(period: 480, milliseconds: 20) == BufferPlan(periodFrames: 480, bufferFrames: 960))
  }

  @Test("what is asked for is kept within what the card offers")
  func bounds() {
    #expect(plan(period: 64) == BufferPlan(periodFrames: 64, bufferFrames: 256))
    #expect(plan(periods: 480...960, period: 64).periodFrames == 480)
    #expect(plan(buffers: 96...512).bufferFrames == 512)
    // A period above half the buffer is halved to it: 10 ms are 480 frames.
    #expect(
      plan(period: 4096, milliseconds: 10) == BufferPlan(periodFrames: 240, bufferFrames: 480))
  }
}

extension BufferPlan {
  fileprivate init(periodFrames: Int, bufferFrames: Int) {
    self.init(
      request: PCMRequest(), framesPerSecond: 48_000, periods: periodFrames...periodFrames,
      buffers: bufferFrames...bufferFrames)
  }
}

@Suite struct SoundCardLaws {
  @Test("the kernel's list is read by id, with what can play")
  func parses() {
    #expect(
      SoundCard.parse(cards: cardsText, pcms: pcmsText) == [
        SoundCard(index: 0, id: "Loopback", name: "Loopback", plays: true),
        SoundCard(index: 1, id: "Dummy", name: "Dummy", plays: true),
        SoundCard(index: 2, id: "VirMIDI", name: "VirMIDI", plays: false),
        SoundCard(index: 10, id: "Audio", name: "QEMU USB Audio", plays: true),
      ])
  }

  @Test(
    "no cards and no list are the same", arguments: ["", "--- no soundcards ---\n", "]garbage[\n"])
  func empty(text: String) {
    #expect(SoundCard.parse(cards: text, pcms: "").isEmpty)
  }

  @Test("a bare card id stands for the card alone, everything else for itself")
  func names() {
    let cards = SoundCard.parse(cards: cardsText, pcms: pcmsText)
    let table = [
      ("Dummy", "hw:CARD=Dummy"), ("default", "default"), ("hw:1", "hw:1"),
      ("plughw:CARD=Audio,DEV=0", "plughw:CARD=Audio,DEV=0"),
    ]
    for (asked, opened) in table {
      #expect(PCMRequest(device: asked).alsaName(cards: cards) == opened)
    }
  }

  @Test("the card is found in an ALSA name")
  func cardInName() {
    let table: [(String, String?)] = [
      ("hw:CARD=Audio", "Audio"), ("plughw:CARD=Audio,DEV=1", "Audio"), ("hw:Dummy,0", "Dummy"),
      ("hw:DEV=0,CARD=X", "X"), ("hw:2", "2"), ("default", nil), ("plug:dmix", nil),
      ("plug:'dmix:CARD=Audio,RATE=48000'", "Audio"),
    ]
    for (name, card) in table { #expect(SoundCard.named(in: name) == card) }
  }
}

@Suite struct PCMProblemLaws {
  private let cards = SoundCard.parse(cards: cardsText, pcms: pcmsText)

  @Test("an absent card is named, with those that are there and the way to name one")
  func absentCard() {
    let problem = PCMProblem(device: "hw:CARD=X", call: "snd_pcm_open", code: -ENOENT, cards: cards)
    #expect(
      problem.description
        == "no card 'X': present are Loopback, Dummy, Audio (QEMU USB Audio); "
        + "name one with --device hw:CARD=ID")
  }

  @Test("a machine without sound says so, and how to name a device")
  func noSound() {
    let text = PCMProblem(device: "default", call: "snd_pcm_open", code: -ENOENT).description
    #expect(text.contains("no sound card on this machine"))
    #expect(text.contains("--device hw:CARD=ID"))
  }

  @Test("each cause has its way out")
  func causes() {
    let table: [(Int32, String, String)] = [
      (EHOSTDOWN, "default", "start PipeWire"), (ECONNREFUSED, "default", "start PipeWire"),
      (EBUSY, "hw:CARD=Audio", "in use by another program"),
      (EACCES, "hw:CARD=Audio", "group audio"), (EINVAL, "default", "refuses"),
      (ENOENT, "nosuch", "no device 'nosuch'"), (ENODEV, "hw:CARD=Gone", "no card 'Gone'"),
    ]
    for (code, device, text) in table {
      let problem = PCMProblem(device: device, call: "call", code: -code, cards: cards)
      #expect(problem.description.contains(text), "\(problem)")
    }
  }

  @Test("plug:dmix without a reachable slave does not take dmix for a card")
  func pluginIsNoCard() {
    let problem = PCMProblem(device: "plug:dmix", call: "snd_pcm_open", code: EBUSY, cards: cards)
    #expect(problem.description.contains("in use by another program"))
  }
}
