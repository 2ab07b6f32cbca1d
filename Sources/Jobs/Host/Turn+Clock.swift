import Core
import Schedule

/// Somebody sets the clock, or a time server does.
extension Turn {
  /// The clock was set by `jump` milliseconds.
  mutating func clockWasSet(by jump: Int64) async throws {
    for name in model.jobs.keys.sorted() {
      for index in model.jobs[name]!.timers.indices {
        guard case .time(let schedule) = model.jobs[name]!.timers[index].trigger,
          model.jobs[name]!.timers[index].record.follow(schedule, jump: jump, now: now.wall)
        else { continue }
        let record = model.jobs[name]!.timers[index].record
        advance(name, index, to: record.last)
        try await store.save(record)
      }
    }
    if jump < 0 { try await shortenWaits(by: -jump) }
    log(.warn, "the clock was set \(jump > 0 ? "forward" : "back") by \(abs(jump) / 1000) s")
  }

  /// The waits before further tries do not become longer with the clock.
  private mutating func shortenWaits(by time: Int64) async throws {
    for var run in model.runs.values.filter({ $0.state == .retry }).sorted(by: { $0.id < $1.id }) {
      run.wake = run.wake.map { $0 - time }
      let changed = run
      try await alone(for: run.id) { try await $0.save(changed) }
    }
  }

  /// Tells that the clock was behind the last due times when the host began. Of a second nobody needs to hear.
  mutating func tellOfClock(_ behind: Int64) {
    guard behind > 1000 else { return }
    log(
      .warn,
      "the clock is \(UnixTime.span(Double(behind) / 1000)) behind the last look at it: it was set back while the host was "
        + "down; intervals and what follows the clock go on, and fixed times that came already do not come again")
  }
}

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
