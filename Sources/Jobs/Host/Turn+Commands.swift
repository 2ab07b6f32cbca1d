import Core
import Glibc
import JSON
import Schedule

extension Turn {
  func job(_ name: String) throws -> JobModel.Job {
    guard let job = model.jobs[name] else { throw JobError.noJob(name, among: Array(model.jobs.keys)) }
    return job
  }

  /// Starts a job by hand. Returns the ID of the run.
  package mutating func run(_ name: String, arguments: [String]?) async throws -> Int64 {
    let job = try job(name)
    if let trouble = job.record.trouble { throw JobError("bad_job", trouble) }
    let missing = job.record.missing
    guard missing.isEmpty else {
      throw JobError(
        "held", "the job \(name) needs permissions that nobody has allowed: \(missing.joined(separator: " "))",
        hint: "b2c-run jobs allow \(name)")
    }
    guard let run = try await receive(JobEvent(name, "hand", arguments: arguments)) else { return 0 }
    try await noteWait(of: run.id)
    return run.id
  }

  /// Notes the reason for which a run that a person has started does not begin.
  mutating func noteWait(of id: Int64) async throws {
    guard var run = model.runs[id] else { return }
    let others = model.runs.values.filter { $0.job == run.job && $0.key == run.key && $0.state != .due }
    let width = model.jobs[run.job]?.declaration?.overlap.width ?? 1
    guard others.count >= width, let other = others.min(by: { $0.id < $1.id }) else { return }
    let time = other.wake.map { options.zone.civil(at: $0).text } ?? ""
    let state =
      switch other.state {
      case .retry: ", which failed and is tried again at \(time)"
      case .asleep: ", which sleeps until \(time)"
      case .waiting: ", which waits for \(other.reason ?? "a request")"
      default: ""
      }
    run.reason = "waits for the end of the run \(other.id)\(state)"
    try await save(run)
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
        hint: "if the script has changed, let the server read it again: \(reloading)")
    }
    record.allow(flags)
    try await save(record)
    try await clearReasons()
  }

  /// The command by which the server reads the scripts again.
  private var reloading: String {
    options.machine.map { "kill -HUP \(getpid()) on the machine \($0)" } ?? "kill -HUP \(getpid())"
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
    model.runs[run.id] = run
    model.enqueue(run)
    try await noteWait(of: run.id)
    return run.id
  }

  /// Carries out a command of a person. Throws `JobError` for one that cannot be carried out.
  mutating func answer(_ command: JobCommand) async throws -> CommandReply {
    switch command {
    // In two steps: a call on this value would begin with a copy of it, without the run.
    case .run(let job, let arguments):
      let id = try await run(job, arguments: arguments)
      return started(id)
    case .pause(let job): try await pause(job)
    case .resume(let job): try await resume(job)
    case .allow(let job, let flags): try await allow(job, flags)
    case .cancel(let run): try await cancel(run, "by hand")
    case .retry(let run):
      let id = try await retry(run)
      return started(id)
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
