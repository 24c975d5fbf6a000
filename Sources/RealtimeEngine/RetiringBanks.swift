/// Banks that wait for their last voice to end.
struct RetiringBanks {
  private var banks: (Int32, Int32, Int32, Int32) = (-1, -1, -1, -1)

  @_noAllocation @_noLocks
  mutating func add(_ identifier: Int32) -> Bool {
    if banks.0 < 0 {
      banks.0 = identifier
    } else if banks.1 < 0 {
      banks.1 = identifier
    } else if banks.2 < 0 {
      banks.2 = identifier
    } else if banks.3 < 0 {
      banks.3 = identifier
    } else {
      return false
    }
    return true
  }

  var all: (Int32, Int32, Int32, Int32) {
    @_noAllocation @_noLocks get { banks }
  }

  /// One bank that nobody uses any more, taken off the list.
  @_noAllocation @_noLocks
  mutating func takeUnused(_ voices: ClickVoices) -> Int32? {
    if banks.0 >= 0, !voices.uses(bank: banks.0) {
      let identifier = banks.0
      banks.0 = -1
      return identifier
    }
    // Only the first is looked at in a block; the others move up in their turn.
    banks = (banks.1, banks.2, banks.3, banks.0)
    return nil
  }
}
