import JSON
import JobCode
import JobConditions

extension Turn {
  /// Ends the waits whose time has come.
  mutating func wake() async throws {
    for var run in model.runs.values.filter({ $0.wake.map { $0 <= now.wall } ?? false }).sorted(by: { $0.id < $1.id }) {
      // The script of a run that waits gets no request: the time was over.
      let hasWaited = run.state == .waiting
      if !hasWaited {
        if run.state == .asleep { run.goOn() }
        (run.state, run.wake, run.reason) = (.due, nil, nil)
      }
      let changed = run
      try await alone(for: run.id) { turn in
        if hasWaited { try await turn.endWait(of: changed, with: .null) } else { try await turn.save(changed) }
      }
    }
  }

  /// A run that waited for a request goes on. The request is the result of a step.
  mutating func endWait(of run: RunRecord, with request: JSON) async throws {
    var run = run
    guard let name = run.event["waits"]?["step"]?.string, let number = run.event["waits"]?["number"]?.lenientInteger
    else {
      return
    }
    try await store.add(
      JobStore.Step(name: name, number: Int(number), result: request, ended: now.wall), to: run.id)
    var event = run.event.object ?? [:]
    event["waits"] = nil
    run.event = .object(event)
    if run.state == .started {
      // Its process is about to end. After that the run goes on at once.
      model.processes[run.id]?.pause = .sleep(until: now.wall)
    } else {
      run.goOn()
      (run.state, run.wake, run.reason) = (.due, nil, nil)
    }
    try await save(run)
  }

  /// Starts the processes of the runs whose turn it is. They do nothing before the transaction is on the disk.
  mutating func start(_ launcher: any RunLauncher, _ live: inout [Int64: any RunProcess]) async throws {
    var free = options.parallel - model.ownProcesses.count
    var blocked: Set<String> = []
    var hindrances: [String: String] = [:]
    var waiting: [String: Int] = [:]
    let isPaused = model.pause.reason(at: now.wall, in: options.zone) != nil
    for id in model.queue where free > 0 {
      guard let run = model.runs[id], !isPaused || run.isByHand else { continue }
      let lane = "\(run.job)\u{0}\(run.key ?? "")\u{0}\(run.key == nil)"
      guard !blocked.contains(lane) else { continue }
      let reason = try await hindrance(of: run, hindrances[run.job])
      guard let job = model.jobs[run.job], reason == nil else {
        hindrances[run.job] = reason
        if try await wait(run, reason) { waiting[run.job, default: 0] += 1 }
        continue
      }
      // Runs that are caught up go on one after the other, and so do later tries of a run.
      let width = run.event["caught_up"] == true ? 1 : job.declaration?.overlap.width ?? 1
      guard model.active(of: run.job, key: run.key) < width else {
        blocked.insert(lane)
        continue
      }
      if let group = job.declaration?.group, model.isFull(group) { continue }
      let error = try await alone { if try await $0.start(run, job, launcher, &live) { free -= 1 } }
      if let error {
        live.removeValue(forKey: id)?.stop(kill: true)
        try await giveUp(id, error)
      }
    }
    for (job, count) in waiting.sorted(by: { $0.key < $1.key }) {
      let runs = count == 1 ? "a run of the job \(job) waits" : "\(count) runs of the job \(job) wait"
      log(.warn, "\(runs): \(hindrances[job] ?? "")")
    }
  }

  /// Why a run cannot begin; nil if it can. One that began earlier continues with its own code, whatever its files are now.
  private func hindrance(of run: RunRecord, _ known: String?) async throws -> String? {
    guard let reason = known ?? hindrance(run.job) else { return nil }
    guard model.jobs[run.job] != nil, run.started != nil else { return reason }
    return try await store.hasCode(run.id) ? nil : reason
  }

  static let missingScript = "the script of the job is not there"

  /// Why no run of a job can begin; nil if one can.
  func hindrance(_ name: String) -> String? {
    guard let job = model.jobs[name] else { return Self.missingScript }
    if let trouble = job.record.trouble { return "the job does not run: \(trouble)" }
    let missing = job.record.missing
    return missing.isEmpty ? nil : "held: needs \(missing.joined(separator: " "))"
  }

  /// The reason of a run that goes on again after the end of a host.
  static var interrupted: String { "interrupted" }

  /// Runs that wait for their turn alone wait for no job any more.
  mutating func clearReasons() async throws {
    for id in model.queue {
      guard let run = model.runs[id], run.reason != nil, run.reason != Self.interrupted, hindrance(run.job) == nil
      else { continue }
      _ = try await wait(run, nil)
      if run.kind == "hand" { try await noteWait(of: id) }
    }
  }

  /// A run waits for its job, and says so. Returns false if it says so already.
  private mutating func wait(_ run: RunRecord, _ reason: String?) async throws -> Bool {
    guard run.reason != reason else { return false }
    var run = run
    run.reason = reason
    let changed = run
    return try await alone { try await $0.save(changed) } == nil
  }

  /// Returns whether a process was started.
  private mutating func start(
    _ run: RunRecord, _ job: JobModel.Job, _ launcher: any RunLauncher, _ live: inout [Int64: any RunProcess]
  ) async throws -> Bool {
    var run = run
    let steps = try await store.steps(of: run.id)
    let kept = try await store.keptCode(of: run.id)
    if kept == nil, !steps.isEmpty, let digest = run.digest, digest != job.record.digest {
      let error = RunError(
        code: "script_changed",
        message: "the script changed from \(digest.prefix(12)) to \(job.record.digest.prefix(12)) after "
          + "\(steps.count) of its steps were stored",
        hint: "restore the script, or let the run continue with it: b2c-run jobs move \(run.id) --to-current, and then "
          + "b2c-run jobs retry \(run.id)")
      try await end(run, .failed, error)
      return false
    }
    run.attempt += 1
    run.started = now.wall
    if kept == nil { run.digest = job.record.digest }
    run.permissions = kept.map { job.record.allowed(among: $0.permissions) } ?? job.record.granted
    (run.error, run.reason, run.progress) = (nil, nil, nil)
    let process: any RunProcess
    do {
      process = try launcher.launch(run, of: job.record, context: context(run, job, steps, kept?.code))
    } catch {
      try await end(run, .failed, RunError(code: "start_failed", message: "\(error)"))
      return false
    }
    run.state = .started
    run.process = process.identity
    run.machine = options.machine
    live[run.id] = process
    try await save(run)
    let timeout = job.declaration?.timeout ?? 3_600_000
    model.processes[run.id] = JobModel.ProcessNotes(
      began: now.awake, limit: now.awake + max(0, timeout - run.computed))
    effects.append { _ in process.go() }
    return true
  }

  /// The context that the process of a run gets.
  private func context(_ run: RunRecord, _ job: JobModel.Job, _ steps: [JobStore.Step], _ code: RunCode?) -> JSON {
    var event = run.event.object ?? [:]
    if let due = run.due { event["late_by"] = .seconds(max(0, now.wall - due)) }
    var members: [String: JSON] = [
      "id": .integer(run.id), "job": .string(run.job), "attempt": .integer(Int64(run.attempt)), "event": .object(event),
      "state": job.record.memory ?? .object([:]), "state_folder": .string(options.folder),
      "steps": .array(
        steps.map { ["name": .string($0.name), "number": .integer(Int64($0.number)), "result": $0.result] }),
    ]
    members["code"] = code?.json
    return .object(members)
  }

  /// Ends the processes that run for too long.
  mutating func stopLateProcesses() async throws {
    for (id, notes) in model.processes {
      if notes.stop == nil, let limit = notes.limit, limit <= now.awake { try await stop(id, .timeout) }
      if let killAt = notes.killAt, killAt <= now.awake {
        model.processes[id]?.killAt = nil
        try await end(id, notes, kill: true)
      }
    }
  }

  /// Asks a process to end. After a time it is killed.
  mutating func stop(_ id: Int64, _ reason: JobModel.Stop) async throws {
    guard let notes = model.processes[id] else { return }
    model.processes[id]?.stop = reason
    model.processes[id]?.killAt = now.awake + options.patience
    try await end(id, notes, kill: false)
  }

  private mutating func end(_ id: Int64, _ notes: JobModel.ProcessNotes, kill: Bool) async throws {
    guard notes.owner != nil else { return effects.append { $0.stopProcess(id, kill: kill) } }
    try await store.send(
      JobStore.Message(
        .stop(run: id, of: model.runs[id]?.job ?? "", kill: kill), machine: model.runs[id]?.machine ?? "",
        received: now.wall))
  }
}

extension RunRecord {
  /// The next process goes on with the same try.
  fileprivate mutating func goOn() { attempt -= 1 }
}
