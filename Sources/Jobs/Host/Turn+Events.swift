package import JSON
import JobConditions
import Schedule

/// Something that has happened, for which a job may run.
struct JobEvent {
  let job: String
  /// `cron`, `files`, `hand`, and so on.
  let kind: String
  /// The members of the event as the script gets it, besides `kind`, `due` and `caught_up`.
  let members: [String: JSON]
  /// The due time of events that come by the clock.
  let due: Int64?
  /// True if the due time passed while the host was down.
  let isCaughtUp: Bool
  /// The arguments in place of the declared ones.
  let arguments: [String]?
  /// True for an event that a person has made.
  let isByHand: Bool
  /// True for a request that another machine has answered: its run comes, however many wait.
  let isTaken: Bool

  init(
    _ job: String, _ kind: String, _ members: [String: JSON] = [:], due: Int64? = nil, isCaughtUp: Bool = false,
    arguments: [String]? = nil, isByHand: Bool = false, isTaken: Bool = false
  ) {
    (self.job, self.kind, self.due) = (job, kind, due)
    (self.isCaughtUp, self.arguments, self.isTaken) = (isCaughtUp, arguments, isTaken)
    var members = members
    members["kind"] = .string(kind)
    self.isByHand = isByHand
    if let due { members["due"] = .seconds(due) }
    if isCaughtUp { members["caught_up"] = true }
    self.members = members
  }
}

/// The events that come to jobs. All of them pass `receive`.
extension Turn {
  /// Makes the run of an event, or a row that says why there is none. Returns the run; nil if the event makes none.
  @discardableResult
  mutating func receive(_ event: JobEvent) async throws -> RunRecord? {
    var run = RunRecord(
      job: event.job, kind: event.kind, due: event.due, event: .object(event.members), created: receivedAt ?? now.wall)
    run.arguments = event.arguments
    guard let job = model.jobs[event.job] else {
      // Somebody has been told that it comes: it waits for its job.
      return event.isTaken ? try await add(run) : nil
    }
    run.key = run.event.lane(model.declaration(of: event.job)?.overlapKey)
    let isByHand = event.isByHand
    // All that does not come by the clock waits for the end of a pause of all jobs.
    let pause = event.due == nil ? nil : model.pause.reason(at: now.wall, in: options.zone)
    if !isByHand, let reason = pause ?? obstacle(job) ?? crowd(run, job, event) {
      try await skip(run, reason)
      return nil
    }
    if !isByHand, !event.isCaughtUp, case .restart? = job.declaration?.overlap {
      let others = model.runs.values.filter { $0.job == run.job && $0.key == run.key }
      for other in others.sorted(by: { $0.id < $1.id }) { try await cancel(other.id, "a newer event came") }
    }
    return try await add(run)
  }

  /// The other runs of a job that keep one from coming; nil if they do not.
  private func crowd(_ run: RunRecord, _ job: JobModel.Job, _ event: JobEvent) -> String? {
    guard !event.isCaughtUp, let overlap = job.declaration?.overlap else { return nil }
    let past = model.runs.values.filter { $0.job == run.job && $0.key == run.key && $0.isBackfill }
    let active = model.active(of: run.job, key: run.key) - past.count { $0.state != .due }
    let waiting = model.waiting(of: run.job, key: run.key) - past.count { $0.state == .due }
    switch overlap {
    case .skip where active > 0: return "another run has not ended"
    case .skip where waiting > 0: return "another run waits for its turn"
    case .queue, .parallel:
      return !event.isTaken && overlap.isFull(active: active, waiting: waiting) ? "\(waiting) runs wait already" : nil
    case .restart, .skip: return nil
    }
  }

  /// The reason why no run of a job starts by itself.
  func obstacle(_ job: JobModel.Job) -> String? {
    if let pause = job.record.pause { return "paused: \(pause)" }
    let missing = job.record.missing
    return missing.isEmpty ? nil : "held: needs \(missing.joined(separator: " "))"
  }

  private mutating func skip(_ run: RunRecord, _ reason: String) async throws {
    guard let due = run.due else {
      var run = run
      (run.state, run.reason, run.ended) = (.skipped, reason, now.wall)
      try await add(run)
      return
    }
    try await skip(run.job, run.kind, due, until: nil, count: 1, reason, nil)
  }

  /// Due times that are skipped in a row for the same reason are one row.
  mutating func skip(
    _ name: String, _ kind: String, _ due: Int64, until: Int64?, count: Int64, _ reason: String,
    _ timer: JobModel.Timer?
  ) async throws {
    if var last = model.jobs[name]?.lastSkip, last.reason == reason, last.kind == kind, let lastDue = last.due {
      guard due > (last.until ?? lastDue) else { return }
      last.until = until ?? due
      last.count += count
      last.ended = now.wall
      try await store.save(last)
      model.jobs[name]?.lastSkip = last
      return
    }
    var run = RunRecord(
      job: name, kind: kind, due: due, event: .object(["kind": .string(kind), "due": .seconds(due)]), state: .skipped,
      created: now.wall)
    run.until = until == due ? nil : until
    run.count = count
    run.reason = reason
    run.ended = now.wall
    try await add(run)
  }

  // MARK: Requests

  /// The milliseconds for which the IDs of requests are kept.
  private static var memoryOfHooks: Int64 { 86_400_000 }

  /// A checked request for a job has come.
  /// - Parameters:
  ///   - ids: by which a repetition is known.
  ///   - isTaken: true for a request that another machine has answered: its run comes, however many wait.
  package mutating func received(
    _ name: String, _ event: JSON, ids: [String], isTaken: Bool = false
  ) async throws -> HookAnswer {
    for id in ids { if try await store.hasHook(id, of: name) { return .repeated } }
    if !isTaken { _ = try job(name) }
    if let declaration = model.declaration(of: name) {
      let overlap = declaration.overlap
      let key = event.lane(declaration.overlapKey)
      let (active, waiting) = (model.active(of: name, key: key), model.waiting(of: name, key: key))
      if !isTaken, overlap.isFull(active: active, waiting: waiting) { return .full }
    }
    // A refused request is not stored: it may come again.
    for id in ids { guard try await store.addHook(id, of: name, at: now.wall) else { return .repeated } }
    try await store.removeHooks(before: now.wall - Self.memoryOfHooks)
    let run = try await receive(JobEvent(name, "webhook", event.object ?? [:], isTaken: isTaken))
    return .accepted(run?.id)
  }

  /// A request for runs that wait for this path has come. Returns the run that goes on; nil if none waits.
  package mutating func receivedWait(_ path: String, _ request: JSON) async throws -> Int64? {
    let waiting = model.runs.values.filter {
      ($0.state == .waiting || $0.state == .started) && $0.event["waits"]?["path"]?.string == path
    }
    guard let run = waiting.min(by: { $0.id < $1.id }) else { return nil }
    try await endWait(of: run, with: request)
    return run.id
  }

  /// A person has approved or declined what a run asks.
  package mutating func decide(_ id: Int64, _ decision: JobCommand.Decision) async throws {
    guard let run = model.runs[id] else {
      guard let ended = try await store.run(id) else { throw JobError.noRun(id) }
      throw JobError("ended", "the run \(id) has ended: \(ended.state.rawValue)")
    }
    let waits = run.event["waits"]
    guard run.state == .waiting || run.state == .started, case .approval(let text)? = RunWait(waits) else {
      throw JobError(
        "not_waiting", "the run \(id) waits for no approval", hint: "its state is: \(run.reason ?? run.state.rawValue)")
    }
    // Whoever looked at an earlier question has not answered this one.
    if let seen = decision.wait, seen != waits?["number"]?.lenientInteger {
      throw JobError(
        "other_approval", "the run \(id) waits for another approval now: \(text)", hint: "look at the run again")
    }
    var answer: [String: JSON] = ["approved": .bool(decision.isApproved)]
    answer["by"] = decision.person.map { .string($0) }
    try await endWait(of: run, with: .object(answer))
    let person = decision.person.map { " by \($0)" } ?? ""
    log(.info, "\(run.job) run \(id): \(decision.isApproved ? "approved" : "declined")\(person): \(text)")
  }

  // MARK: Files, accounts, other runs and the start

  /// Complete files have come, and others are gone. Returns false for a job that takes no events now: it gets to know of
  /// the files later.
  package mutating func filesCame(
    _ name: String, _ files: [(path: String, status: JobStore.SeenFile)], gone: [String]
  ) async throws -> Bool {
    for path in gone { try await store.removeFile(path, of: name) }
    guard !files.isEmpty, let job = model.jobs[name], obstacle(job) == nil else { return false }
    for file in files { try await store.save(file.status, at: file.path, of: name) }
    let shown = files.map { file -> JSON in
      .object([
        "path": .string(file.path), "size": .integer(file.status.size),
        "modified": .number(Double(file.status.modified) / 1e9),
      ])
    }
    try await receive(JobEvent(name, "files", ["files": .array(shown)]))
    return true
  }

  /// An account changed, or its renewal failed, in a run of another job.
  mutating func accountChanged(_ change: String, _ event: JSON, by other: String) async throws {
    for name in model.jobs.keys.sorted() where name != other {
      for case .account(let wanted) in model.jobs[name]?.declaration?.triggers ?? [] where wanted.rawValue == change {
        try await receive(JobEvent(name, "account", event.object ?? [:]))
      }
    }
  }

  /// The longest chain of jobs that start each other.
  private static let longestChain: Int64 = 10

  /// Starts the jobs that wait for the end of this one.
  mutating func tellOthers(_ run: RunRecord, hasRecovered: Bool) async throws {
    let depth = min(max(0, run.event["depth"]?.lenientInteger ?? 0), Self.longestChain) + 1
    for name in model.jobs.keys.sorted() where name != run.job {
      for case .after(let after) in model.jobs[name]?.declaration?.triggers ?? []
      where after.job == run.job || after.job == "*" {
        let isMeant =
          switch after.result {
          case .ok: run.state == .ok
          case .failed: run.state.isFailure
          case .recovered: hasRecovered
          case .any: true
          case .late: false
          }
        guard isMeant else { continue }
        guard depth <= Self.longestChain else {
          log(.warn, "the job \(name) does not start after \(run.job): \(depth) jobs have started each other")
          continue
        }
        try await receive(JobEvent(name, "after", ["run": run.shown, "depth": .integer(depth)]))
      }
    }
  }

  /// The host has begun.
  mutating func hostBegan() async throws {
    for name in model.jobs.keys.sorted() {
      for case .start in model.jobs[name]?.declaration?.triggers ?? [] {
        let error = try await alone { _ = try await $0.receive(JobEvent(name, "start")) }
        if let error { log(.error, "the job \(name) does not start: \(error)") }
      }
    }
  }
}

extension Trigger {
  /// The kind of its events.
  var kind: String {
    switch self {
    case .time(let schedule): schedule.kind
    case .files: "files"
    case .webhook: "webhook"
    case .after: "after"
    case .account: "account"
    case .start: "start"
    }
  }
}

extension Schedule {
  fileprivate var kind: String {
    switch self {
    case .every: "every"
    case .cron: "cron"
    case .calendar: "calendar"
    case .at: "at"
    }
  }
}

extension RunRecord {
  /// The run as jobs that follow it see it, and the receivers of notices.
  var shown: JSON {
    var members: [String: JSON] = ["id": .integer(id), "job": .string(job), "result": .string(state.rawValue)]
    members["due"] = due.map { .seconds($0) }
    members["started"] = started.map { .seconds($0) }
    members["ended"] = ended.map { .seconds($0) }
    members["attempt"] = .integer(Int64(attempt))
    members["error"] = error?.json
    members["reason"] = reason.map { .string($0) }
    return .object(members)
  }
}
