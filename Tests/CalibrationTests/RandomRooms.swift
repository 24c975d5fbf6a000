import Glibc

/// Rooms drawn at random from what musicians have, and worse.
enum RandomRooms {
  static func room(_ seed: UInt64) -> SyntheticRoom {
    var dice = RoomDice(seed &* 0x1234_5678_9ABC_DEF1 &+ 17)
    var room = SyntheticRoom()
    room.seed = seed
    room.rate = [44_100, 48_000, 96_000][Int(dice.next() % 3)]
    room.delayFrames = dice.within(-0.03...0.93) * room.rate
    room.gain = pow(10, dice.within(-50...0) / 20)
    if dice.chance(0.85) { room.signalToNoise = dice.within(-22...30) }
    if dice.chance(0.5) {
      for _ in 0..<Int(dice.next() % 6) {
        room.echoes.append((Int(dice.within(0.001...0.25) * room.rate), dice.within(-0.9...0.9)))
      }
    }
    if dice.chance(0.4) { room.reverberation = (dice.within(0.2...1.5), dice.within(-12...6)) }
    if dice.chance(0.3) { room.humGain = dice.within(0...0.3) }
    if dice.chance(0.2) { room.ceiling = room.gain * dice.within(0.3...1) }
    if dice.chance(0.3) { room.driftPPM = dice.within(-150...150) }
    if dice.chance(0.3) {
      for _ in 0..<Int(dice.next() % 8) {
        room.bursts.append(
          (dice.within(1...18), dice.within(0.02...2), room.gain * dice.within(0.3...5)))
      }
    }
    if dice.chance(0.15) { room.bandLimitHertz = dice.within(3_000...8_000) }
    if dice.chance(0.15) {
      room.step = (3 + Int(dice.next() % 11), dice.within(-0.05...0.05) * room.rate)
    }
    if dice.chance(0.3) { room.raise = [-30, -24, -18, -12, -6] }
    room.isReversed = dice.chance(0.5)
    return room
  }
}
