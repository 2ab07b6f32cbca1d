import Core
import JSON
import JobConditions
import JobNotices
import Schedule

extension Turn {
  /// Takes the jobs of the folder over. Jobs that are not in it any more are removed; their runs and history stay. The
  /// number of statements does not grow with that of the jobs.
  mutating func load(_ definitions: [JobDefinition]) async throws {
    var hooks: [String: String] = [:]
    var jobs: [String: JobModel.Job] = [:]
    let stored = try await store.jobsByName()
    let known = Known(
      triggers: try await store.triggers(), histories: try await store.histories(),
      skips: try await store.lastSkips(), confirmed: try await store.lastDues(in: .ok))
    var changed: (jobs: [JobRecord], triggers: [TriggerRecord]) = ([], [])
    var behind: Int64 = 0
    // A job that has not changed keeps its paths: no newcomer takes the requests for it.
    let isNew = { (definition: JobDefinition) in
      stored.jobs[definition.name]?.declaration != definition.declaration
        || stored.jobs[definition.name]?.trouble != nil
    }
    let ordered = [false, true].flatMap { isLater in
      definitions.filter { isNew($0) == isLater }.sorted { $0.name < $1.name }
    }
    let waits = Dictionary(
      model.runs.values.compactMap { run in run.event["waits"]?["path"]?.string.map { ($0, run) } }
    ) { first, _ in first }
    for definition in ordered {
      let before = stored.jobs[definition.name]
      var record = before ?? JobRecord(name: definition.name, path: definition.path, created: now.wall)
      (record.path, record.digest) = (definition.path, definition.digest)
      (record.needs, record.trouble) = (definition.needs, definition.trouble)
      if stored.damaged.contains(definition.name) { record.trouble = "its row in the database is damaged" }
      var declaration: JobDeclaration?
      if let json = definition.declaration, record.trouble == nil {
        do { declaration = try JobDeclaration(json, zone: options.zone) } catch { record.trouble = error.message }
      }
      for case .webhook(let hook) in declaration?.triggers ?? [] {
        if let other = hooks[hook.path] {
          record.trouble = WebhookPath.conflict(of: definition.name, with: other, at: hook.path)
        } else if let run = waits[hook.path], run.job != definition.name {
          record.trouble = "the run \(run.id) of \(run.job) waits for requests at the path \(hook.path)"
        } else {
          hooks[hook.path] = definition.name
          continue
        }
        declaration = nil
      }
      // A job whose script is broken still takes requests at its paths, also after the next start.
      if record.trouble == nil { record.declaration = definition.declaration }
      let signed = (declaration?.hooks(of: record.name) ?? []).filter { $0.hook.secret != nil }
      if signed.isEmpty { record.warnings = [] }
      if record != before, !stored.damaged.contains(definition.name) { changed.jobs.append(record) }
      var job = JobModel.Job(record: record, declaration: declaration)
      job.timers = try await timers(of: record, declaration, known, &changed.triggers, &behind)
      job.stored = known.histories[record.name]?.count ?? 0
      job.lastSkip = known.skips[record.name]
      jobs[record.name] = job
    }
    let waitedFor = Set(model.runs.values.filter(\.state.isOpen).map(\.job))
    for name in Set(model.jobs.keys).union(stored.jobs.keys).union(stored.damaged).sorted() where jobs[name] == nil {
      guard waitedFor.contains(name), var record = stored.jobs[name] else {
        try await store.removeJob(name)
        continue
      }
      // When the script is back, the runs begin with what a person has allowed, and with the state of the job.
      (record.trouble, record.declaration) = (Self.missingScript, nil)
      if record != stored.jobs[name] { changed.jobs.append(record) }
    }
    try await store.save(changed.jobs)
    try await store.save(changed.triggers)
    let former = stored.jobs.compactMapValues { $0.declaration.flatMap { try? JobDeclaration($0, zone: options.zone) } }
    model.former = model.former.merging(former) { $1 }.filter { jobs[$0.key]?.declaration == nil }
    model.jobs = jobs
    model.pause = try await store.hostPause()
    model.notices = NoticeBox(try await store.setting(Self.noticeSetting))
    tellOfClock(behind)
    for (name, history) in known.histories.sorted(by: { $0.key < $1.key }) where isOld(history, of: name) {
      try await forgetOldRuns(of: name)
    }
    for name in jobs.keys.sorted() { tellProblems(of: name) }
    try await clearReasons()
  }

  /// The knowledge of the store about all jobs, by their names.
  private struct Known {
    let triggers: [String: [TriggerRecord]]
    let histories: [String: JobStore.History]
    let skips: [String: RunRecord]
    /// The due times of the last runs that ended well.
    let confirmed: [String: Int64]
  }

  private mutating func tellProblems(of name: String) {
    guard let job = model.jobs[name] else { return }
    if let trouble = job.record.trouble { return log(.error, "the job \(name) does not run: \(trouble)") }
    if !job.record.missing.isEmpty {
      log(
        .warn,
        "the job \(name) is held: it needs \(job.record.missing.joined(separator: " ")); b2c-run jobs allow \(name)")
    }
    for trigger in job.declaration?.triggers ?? [] {
      for warning in trigger.warnings { log(.warn, "the job \(name): \(warning)") }
      if case .after(let after) = trigger, after.job != "*", model.jobs[after.job] == nil {
        let hint = didYouMeanJob(after.job, Array(model.jobs.keys))
        log(.warn, "the job \(name) waits for the job \(after.job), which is not there; \(hint)")
      }
    }
  }

  private func timers(
    of job: JobRecord, _ declaration: JobDeclaration?, _ known: Known, _ changed: inout [TriggerRecord],
    _ behind: inout Int64
  ) async throws -> [JobModel.Timer] {
    var records: [String: TriggerRecord] = [:]
    for record in known.triggers[job.name] ?? [] { records[record.text] = record }
    var timers: [JobModel.Timer] = []
    for trigger in declaration?.triggers ?? [] {
      let offset = declaration?.offset(of: job.name) ?? 0
      let before = records.removeValue(forKey: trigger.text)
      var record = before ?? TriggerRecord(job: job.name, text: trigger.text, anchor: now.wall, last: now.wall)
      var next: Int64?
      switch trigger {
      case .time(let schedule):
        // Somebody has set the clock back while nobody looked.
        let jump = now.wall - record.last
        if jump < 0 {
          behind = max(behind, -jump)
          record.follow(schedule, jump: jump, now: now.wall)
        }
        next = schedule.next(after: record.last - offset, anchor: record.anchor).map { $0 + offset }
      case .after(let after) where after.result == .late:
        // The first due time behind which no run ended well.
        let confirmed = known.confirmed[after.job] ?? 0
        if known.histories[after.job] != nil {
          next = try await store.firstDue(of: after.job, after: max(record.last, confirmed)).map {
            $0 + (after.lateAfter ?? 0)
          }
        }
      default: continue
      }
      if record != before { changed.append(record) }
      timers.append(JobModel.Timer(trigger: trigger, record: record, next: next))
    }
    // A declaration that is broken for a moment loses nothing.
    if declaration != nil { for text in records.keys { try await store.removeTrigger(text, of: job.name) } }
    return timers
  }

  // MARK: The clock

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
    let cause = options.machine == nil ? "" : ", or that of the last planner is ahead"
    log(
      .warn,
      "the clock is \(UnixTime.span(Double(behind) / 1000)) behind the last look at it: it was set back while the host was down"
        + "\(cause); intervals and times that follow the clock continue, and fixed times that came already do not come again"
    )
  }

  // MARK: The start

  /// The start of the host: runs of an earlier host are taken over or were interrupted, and the event `start` comes.
  /// - Parameter draining: the owners of the runs of machines that end, by the names of the machines.
  mutating func begin(
    _ launcher: any RunLauncher, _ live: inout [Int64: any RunProcess], draining: [String: String]
  ) async throws {
    for var run in try await store.openRuns() where model.runs[run.id] == nil {
      if let wake = run.wake, run.state == .retry, wake - now.wall > longestWait(of: run) {
        // The clock was set back meanwhile.
        run.wake = now.wall + longestWait(of: run)
        try await store.save(run)
      }
      model.runs[run.id] = run
      if run.state == .due { model.enqueue(run) }
    }
    try await clearReasons()
    let owners = options.machine == nil ? [:] : try await store.ownersInInbox()
    for run in model.runs.values.filter({ $0.state == .started }).sorted(by: { $0.id < $1.id }) {
      let isOwn = run.machine == options.machine
      if let process = run.process.flatMap({ isOwn ? launcher.adopt($0, of: run.id) : nil }) {
        live[run.id] = process
        model.processes[run.id] = JobModel.ProcessNotes(began: now.awake, limit: nil)
        log(.warn, "the run \(run.id) of \(run.job) is still running, in process \(process.identity.id)")
      } else if !adopt(run, owners[run.id] ?? run.machine.flatMap { draining[$0] }) {
        try await alone(for: run.id) { turn in
          if !isOwn { try await turn.keepNoLog(of: run.id) }
          try await turn.cutOff(run)
        }
      }
    }
    try await hostBegan()
  }

  /// The longest wait before the next try of a run.
  private func longestWait(of run: RunRecord) -> Int64 {
    guard let retry = model.declaration(of: run.job)?.retry else { return .max }
    return retry.wait(
      own: retry.longestWait(after: run.attempt - run.interruptions), asked: run.error?.retryAfter)
  }
}
