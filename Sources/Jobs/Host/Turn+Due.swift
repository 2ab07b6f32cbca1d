import JSON
import JobConditions
import Schedule

extension Turn {
  /// More due times are not counted one by one.
  private static let mostCounted = 20_000

  /// Makes rows of all due times that have come.
  mutating func takeDueTimes() async throws {
    let due = model.jobs.filter { $0.value.timers.contains { $0.next.map { $0 <= now.wall } ?? false } }
    for name in due.keys.sorted() {
      guard let job = model.jobs[name] else { continue }
      for index in job.timers.indices {
        guard let next = job.timers[index].next, next <= now.wall else { continue }
        let error = try await alone { turn in
          switch job.timers[index].trigger {
          case .time(let schedule): try await turn.takeDueTimes(of: name, index, schedule)
          case .after(let after): try await turn.tellLateness(of: name, index, after)
          default: break
          }
        }
        guard let error else { continue }
        log(.error, "the job \(name): the store refuses the row of the due time: \(error)")
        model.jobs[name]?.timers[index].next = nil
        advance(name, index, to: now.wall)
      }
    }
  }

  /// Why nobody ran what was due before the host began.
  private var down: String { options.machine == nil ? "the host was down" : "no machine planned" }

  private mutating func takeDueTimes(of name: String, _ index: Int, _ schedule: Schedule) async throws {
    guard let job = model.jobs[name], let declaration = job.declaration else { return }
    let timer = job.timers[index]
    let times = dueTimes(schedule, timer, offset: declaration.offset(of: name))
    var skipped = times.skipped
    var due = times.current
    let caughtUp = Set(times.missed)
    due = times.missed + due
    if declaration.catchUp == .none {
      skipped.append(contentsOf: times.missed)
      due = times.current
    }
    let offset = declaration.offset(of: name)
    for day in due where declaration.isHoliday(day, of: timer.trigger, offset: offset) {
      try await skip(name, timer.trigger.kind, day, until: nil, count: 1, "a holiday", timer)
    }
    due.removeAll { declaration.isHoliday($0, of: timer.trigger, offset: offset) }
    if let first = skipped.first {
      try await skip(
        name, timer.trigger.kind, first, until: skipped.until, count: skipped.count, down, timer)
    }
    for time in due {
      let previous = try await store.previousDue(of: name, before: time).map { JSON.seconds($0) } ?? .null
      let due = timer.record.mayRepeat(time, schedule) ? try await store.freeDue(of: name, from: time) : time
      try await receive(
        JobEvent(
          name, timer.trigger.kind, ["previous": previous], due: due, isCaughtUp: caughtUp.contains(time)))
    }
    advance(name, index, to: now.wall)
    try await store.save(model.jobs[name]!.timers[index].record)
  }

  /// The due times of a timer until now.
  private struct DueTimes {
    var skipped = SkippedTimes()
    /// The due times that passed while the host was down and are caught up.
    var missed: [Int64] = []
    var current: [Int64] = []
  }

  /// Due times that nobody ran.
  private struct SkippedTimes {
    var first: Int64?
    var until: Int64 = 0
    var count: Int64 = 0

    mutating func append(contentsOf times: [Int64]) { for time in times { append(time) } }

    mutating func append(_ time: Int64) {
      if first == nil { first = time }
      until = time
      count += 1
    }
  }

  private func dueTimes(_ schedule: Schedule, _ timer: JobModel.Timer, offset: Int64) -> DueTimes {
    var times = DueTimes()
    guard let declaration = model.jobs[timer.record.job]?.declaration else { return times }
    let most = declaration.catchUp == .all ? CatchUp.most : 1
    var within = declaration.catchUpWithin ?? .max
    if case .at = schedule, declaration.catchUpWithin == nil { within = 86_400_000 }
    if declaration.catchUp == .all, declaration.catchUpWithin == nil { within = 86_400_000 }
    var last = timer.record.last - offset
    while let next = schedule.next(after: last, anchor: timer.record.anchor), next + offset <= now.wall {
      last = next
      let time = next + offset
      if time >= upSince {
        times.current.append(time)
      } else {
        times.missed.append(time)
        if times.missed.count > most { times.skipped.append(times.missed.removeFirst()) }
      }
      if times.skipped.count >= Self.mostCounted {
        // The host was down for so long that only the last due times matter.
        last = max(last, lastBefore(schedule, timer, most))
      }
    }
    while let first = times.missed.first, now.wall - first > within {
      times.skipped.append(times.missed.removeFirst())
    }
    return times
  }

  /// A moment with at least `count` due times between it and now.
  private func lastBefore(_ schedule: Schedule, _ timer: JobModel.Timer, _ count: Int) -> Int64 {
    var span: Int64 = 60_000
    while span < now.wall - timer.record.last {
      var time = now.wall - span
      var found = 0
      while found <= count, let next = schedule.next(after: time, anchor: timer.record.anchor), next <= now.wall {
        time = next
        found += 1
      }
      if found > count { return now.wall - span }
      span *= 4
    }
    return timer.record.last
  }

  /// Moves a timer on.
  mutating func advance(_ name: String, _ index: Int, to time: Int64) {
    guard let job = model.jobs[name], case .time(let schedule) = job.timers[index].trigger else { return }
    let offset = job.declaration?.offset(of: name) ?? 0
    model.jobs[name]?.timers[index].record.last = time
    model.jobs[name]?.timers[index].next = schedule.next(
      after: time - offset, anchor: job.timers[index].record.anchor
    ).map { $0 + offset }
  }

  // MARK: Lateness

  /// A due time of a job has a row: whoever wants to know of its lateness waits for it now.
  mutating func watchLateness(of job: String, due: Int64) {
    for (name, other) in model.jobs where name != job {
      for (index, timer) in other.timers.enumerated() where timer.next == nil {
        guard case .after(let after) = timer.trigger, after.job == job || after.job == "*",
          due > timer.record.last
        else { continue }
        model.jobs[name]?.timers[index].next = due + (after.lateAfter ?? 0)
      }
    }
  }

  /// A run of a job ended well: it is not late any more.
  mutating func endLateness(of job: String) {
    for (name, other) in model.jobs {
      for (index, timer) in other.timers.enumerated() {
        guard case .after(let after) = timer.trigger, after.job == job else { continue }
        model.jobs[name]?.timers[index].next = nil
      }
    }
  }

  private mutating func tellLateness(of name: String, _ index: Int, _ after: Trigger.After) async throws {
    guard let timer = model.jobs[name]?.timers[index], let next = timer.next else { return }
    let due = next - (after.lateAfter ?? 0)
    model.jobs[name]?.timers[index].next = nil
    model.jobs[name]?.timers[index].record.last = now.wall
    try await store.save(model.jobs[name]!.timers[index].record)
    try await receive(
      JobEvent(
        name, "after", ["run": .object(["job": .string(after.job), "result": "late", "due": .seconds(due)])]))
  }
}

extension JobDeclaration {
  /// The offset of the due times of a job: the same at each start, and another for each name (FNV-1a).
  package func offset(of name: String) -> Int64 {
    guard spread > 0 else { return 0 }
    let hash = name.utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    return Int64(hash % UInt64(spread))
  }
}

extension JSON {
  /// A time in seconds since 1970.
  static func seconds(_ milliseconds: Int64) -> JSON {
    milliseconds % 1000 == 0 ? .integer(milliseconds / 1000) : .number(Double(milliseconds) / 1000)
  }
}
