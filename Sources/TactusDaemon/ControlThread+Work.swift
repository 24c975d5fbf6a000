internal import Conductor
internal import MetronomeModel
internal import RealtimeHost
internal import SoundFiles

/// What may block is done by the `Workshop`; here it is ordered, and what came of it is taken in.
extension ControlThread {
  func read(_ wanted: LibraryRequest, ticket: UInt32) {
    let library = library
    let isTaken = workshop.files.submit { .library(wanted.answer(from: library), ticket: ticket) }
    guard !isTaken else { return }
    let refusal = Refusal(.storage, "\(wanted): too many files wait already, try again later")
    perform(conductor.libraryAnswered(.refused(refusal), ticket: ticket, now: instant()))
  }

  func prepareSounds(_ settings: SoundSettings, ticket: UInt32) {
    make(sounds.order(settings, rate: conductor.rate, ticket: ticket))
  }

  private func make(_ order: SoundKeeper.Order) {
    guard !workshop.sounds.submit({ .sounds(order.carryOut()) }) else { return }
    perform(
      conductor.soundsFailed(
        reason: "too many sounds are being made already, try again in a moment",
        ticket: order.ticket))
  }

  func takeOutcomes() {
    while let outcome = workshop.take() {
      switch outcome {
      case .library(let answer, let ticket):
        perform(conductor.libraryAnswered(answer, ticket: ticket, now: instant()))
      case .sounds(let made): take(made)
      case .done(let then): then(self)
      }
    }
  }

  private func take(_ made: SoundKeeper.Made) {
    guard let bank = made.bank else {
      perform(
        conductor.soundsFailed(
          reason: made.problem ?? "the sounds could not be made", ticket: made.order.ticket))
      return
    }
    // The card has changed its rate meanwhile.
    guard made.order.rate == conductor.rate else {
      prepareSounds(made.order.settings, ticket: made.order.ticket)
      return
    }
    sounds.keep(bank)
    for note in bank.notes { say(note) }
    perform(conductor.soundsPrepared(bank.reference, ticket: made.order.ticket))
  }
}
