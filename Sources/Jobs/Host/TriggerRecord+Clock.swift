import Schedule

extension TriggerRecord {
  /// A jump of the clock by at least this many milliseconds is a correction: due times are computed anew.
  static var correction: Int64 { 3 * 3_600_000 }

  /// Moves along with a clock that was set by `jump` milliseconds. Returns false if the due times stay as they are.
  @discardableResult
  mutating func follow(_ schedule: Schedule, jump: Int64, now: Int64) -> Bool {
    if case .every = schedule {
      // Intervals do not depend on the clock.
      anchor += jump
      last += jump
      return true
    }
    guard abs(jump) >= Self.correction || jump < 0 && schedule.followsClock else { return false }
    anchor = max(anchor, last)
    last = jump < 0 ? min(last, now) : now
    return true
  }

  /// True for a due time that the clock may have shown before. Then it may have a row. What comes once comes once.
  func mayRepeat(_ due: Int64, _ schedule: Schedule) -> Bool {
    switch schedule {
    case .cron, .calendar: due <= anchor
    case .every, .at: false
    }
  }
}
