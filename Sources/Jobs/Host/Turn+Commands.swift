import Core
package import JSON
package import JobConditions
import Schedule

extension Turn {
  func job(_ name: String) throws -> JobModel.Job {
    guard let job = model.jobs[name] else { throw JobError.noJob(name, among: Array(model.jobs.keys)) }
    return job
  }

  /// Starts a job by hand. Returns the ID of the run.
  /// - Parameters:
  ///   - event: the event in place of one by hand.
  ///   - like: an earlier run of the job, whose event and arguments the run gets unless others are given.
  package mutating func run(
    _ name: String, arguments: [String]?, event: JSON? = nil, like: Int64? = nil
  ) async throws -> Int64 {
    let job = try job(name)
    if let trouble = job.record.trouble { throw JobError("bad_job", trouble) }
    let missing = job.record.missing
    guard missing.isEmpty else {
      throw JobError(
        "held", "the job \(name) needs permissions that nobody has allowed: \(missing.joined(separator: " "))",
        hint: "b2c-run jobs allow \(name)")
    }
    let earlier = try await earlierRun(like, of: name)
    var members = try Self.members(ofEvent: event) ?? earlier?.event.object ?? [:]
    for name in ["waits", "retry_of", "caught_up", "backfill", "due", "depth"] { members[name] = nil }
    members["like"] = like.map { .integer($0) }
    let kind = members["kind"]?.string ?? "hand"
    if kind != "hand" { members["by_hand"] = true }
    let made = JobEvent(name, kind, members, arguments: arguments ?? earlier?.arguments, isByHand: true)
    guard let run = try await receive(made) else { return 0 }
    try await noteWait(of: run.id)
    return run.id
  }

  private func earlierRun(_ id: Int64?, of name: String) async throws -> RunRecord? {
    guard let id else { return nil }
    guard let run = try await store.run(id) else { throw JobError.noRun(id) }
    guard run.job == name else {
      throw JobError(
        "other_job", "the run \(id) is of the job \(run.job), and not of \(name)",
        hint: "b2c-run jobs run \(run.job) --like \(id)")
    }
    return run
  }

  /// The members of an event that a person gives; nil if there is none.
  private static func members(ofEvent event: JSON?) throws(JobError) -> [String: JSON]? {
    guard let event else { return nil }
    guard let members = event.object else {
      throw JobError("bad_event", "expected an event as a JSON object, got \(event.kind)")
    }
    guard members["kind"] == nil || members["kind"]?.string.map(StoredName.problem) == .some(nil) else {
      throw JobError("bad_event", "kind: expected a short string, got \(members["kind"]?.kind ?? "")")
    }
    return members
  }

  /// Notes the reason for which a run that a person has started does not begin.
  mutating func noteWait(of id: Int64) async throws {
    guard var run = model.runs[id], let reason = OpenRuns(model, options.zone, now: now.wall).obstacle(of: run) else {
      return
    }
    run.reason = reason
    try await save(run)
  }

  /// Makes runs of the due times of a job from one moment up to another. Due times that have run do not run again.
  /// - Parameter isTrial: only counts them.
  package mutating func backfill(_ name: String, from: Int64, until: Int64, isTrial: Bool) async throws -> CommandReply
  {
    let job = try job(name)
    guard let declaration = job.declaration else { throw JobError("bad_job", job.record.trouble ?? "no declaration") }
    guard until <= now.wall else {
      throw JobError(
        "bad_time", "a backfill ends in the past, and not at \(options.zone.civil(at: until).text)",
        hint: "give an earlier --to; later due times come by themselves")
    }
    let anchors = Dictionary(job.timers.map { ($0.record.text, $0.record.anchor) }) { $1 }
    let times = try declaration.pastTimes(of: name, from: from, until: until, anchors: anchors)
    var (made, present) = (0, 0)
    for (time, kind) in times {
      guard try await !store.hasRun(of: name, due: time) else {
        present += 1
        continue
      }
      made += 1
      guard !isTrial else { continue }
      let due = try await store.freeDue(of: name, from: time)
      try await receive(JobEvent(name, kind, ["backfill": true], due: due, isCaughtUp: true, isByHand: true))
    }
    var reply = CommandReply()
    reply.count = Int64(made)
    reply.note = present == 0 ? nil : "\(present) due times have run already, and do not run again"
    return reply
  }

  /// Lets a run continue with the present code of its job.
  package mutating func move(_ id: Int64) async throws -> CommandReply {
    guard var run = try await model.runs[id] == nil ? store.run(id) : model.runs[id] else { throw JobError.noRun(id) }
    guard model.processes[id] == nil else {
      throw JobError(
        "is_running", "a process of the run \(id) still runs", hint: "wait until it sleeps, waits or has ended")
    }
    let job = try job(run.job)
    if let trouble = job.record.trouble { throw JobError("bad_job", trouble) }
    try await store.forgetCode(of: id)
    run.digest = job.record.digest
    if run.state.isOpen { try await save(run) } else { try await store.save(run) }
    return CommandReply()
  }

  /// Pauses all jobs, now or in a window of maintenance.
  package mutating func pauseAll(_ window: HostPause.Window?) async throws {
    if let window { try model.pause.add(window, now: now.wall) } else { model.pause.isByHand = true }
    try await store.save(model.pause)
  }

  /// Ends the pause of all jobs, and forgets windows of maintenance.
  package mutating func resumeAll() async throws {
    model.pause = HostPause()
    try await store.save(model.pause)
  }

  /// Notes problems of jobs that start nevertheless, by the names of the jobs. All other jobs have no such warnings.
  package mutating func warn(_ warnings: [String: [String]]) async throws {
    for name in model.jobs.keys.sorted() {
      guard var record = model.jobs[name]?.record, record.warnings != warnings[name] ?? [] else { continue }
      record.warnings = warnings[name] ?? []
      try await save(record)
    }
  }

  package mutating func pause(_ name: String) async throws {
    var record = try job(name).record
    record.pauseByHand()
    try await save(record)
  }

  /// Lets a paused job start again. Due times that have passed do not count.
  package mutating func resume(_ name: String) async throws {
    var record = try job(name).record
    record.resume()
    try await save(record)
  }

  /// Records that a person allows permissions to a job.
  package mutating func allow(_ name: String, _ flags: [String]) async throws {
    var record = try job(name).record
    for flag in flags where !record.needs.contains(flag) {
      throw JobError(
        "bad_permission", "the job \(name) does not need '\(flag.displayable)'",
        hint: "if the script has changed, let the server read it again: b2c-run jobs reload")
    }
    record.allow(flags)
    try await save(record)
    try await clearReasons()
  }

  /// Ends a run without success.
  package mutating func cancel(_ id: Int64, _ reason: String) async throws {
    guard let run = model.runs[id] else {
      guard let ended = try await store.run(id) else { throw JobError.noRun(id) }
      throw JobError("ended", "the run \(id) has ended: \(ended.state.rawValue)")
    }
    if model.processes[id] != nil { return try await stop(id, .canceled(reason)) }
    try await end(run, .canceled, nil, reason)
  }

  /// Ends a run that goes on, with an error.
  package mutating func stop(_ id: Int64, _ error: RunError) async throws {
    guard let notes = model.processes[id], notes.stop == nil else { return }
    try await stop(id, .failed(error))
  }

  /// Starts the job of an ended run again, with the same event. Returns the ID of the new run.
  package mutating func retry(_ id: Int64) async throws -> Int64 {
    guard var run = try await store.run(id) else { throw JobError.noRun(id) }
    guard !run.state.isOpen else {
      throw JobError("not_ended", "the run \(id) has not ended", hint: "b2c-run jobs cancel \(id) ends it")
    }
    _ = try job(run.job)
    let steps = try await store.steps(of: id)
    let arguments = run.arguments
    let (key, digest) = (run.key, run.digest)
    var event = run.event.object ?? [:]
    event["retry_of"] = .integer(id)
    event["waits"] = nil
    run = RunRecord(job: run.job, kind: run.kind, event: .object(event), created: receivedAt ?? now.wall)
    run.arguments = arguments
    (run.key, run.digest) = (key, digest)
    guard try await store.add(&run) else { return 0 }
    for step in steps { try await store.add(step, to: run.id) }
    if let kept = try await store.keptCode(of: id) { try await store.keep(kept.code, kept.permissions, of: run.id) }
    model.runs[run.id] = run
    model.enqueue(run)
    try await noteWait(of: run.id)
    return run.id
  }

  /// Carries out a command of a person. Throws `JobError` for one that cannot be carried out.
  mutating func answer(_ command: JobCommand) async throws -> CommandReply {
    switch command {
    // In two steps: a call on this value would begin with a copy of it, without the run.
    case .run(let job, let arguments, let event, let like):
      let id = try await run(job, arguments: arguments, event: event, like: like)
      return started(id)
    case .pause(let job): try await pause(job)
    case .resume(let job): try await resume(job)
    case .pauseAll(let window): try await pauseAll(window)
    case .resumeAll: try await resumeAll()
    case .backfill(let job, let from, let until, let isTrial):
      return try await backfill(job, from: from, until: until, isTrial: isTrial)
    case .reload: effects.append { $0.tell(.reload) }
    case .allow(let job, let flags): try await allow(job, flags)
    case .cancel(let run): try await cancel(run, "by hand")
    case .retry(let run):
      let id = try await retry(run)
      return started(id)
    case .move(let run): return try await move(run)
    case .decide(let run, let decision): try await decide(run, decision)
    }
    return CommandReply()
  }

  private func started(_ run: Int64) -> CommandReply { CommandReply(run: run, reason: model.runs[run]?.reason) }
}

extension JobError {
  package static func noJob(_ name: String, among names: [String]) -> JobError {
    JobError("no_job", "there is no job \(name)", hint: didYouMeanJob(name, names))
  }

  package static func noRun(_ id: Int64) -> JobError {
    JobError("no_run", "there is no run \(id)", hint: "b2c-run jobs runs lists the runs")
  }
}
