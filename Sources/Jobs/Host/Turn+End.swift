import JSON
import JobConditions
package import JobNotices

extension Turn {
  /// The process of a run has ended.
  mutating func processEnded(_ id: Int64, _ exit: ProcessEnd) async throws {
    guard let notes = model.processes.removeValue(forKey: id), var run = model.runs[id] else { return }
    run.computed += max(0, now.awake - notes.began)
    run.process = nil
    if case .status(let status) = exit { run.exit = status }
    switch (notes.stop, exit) {
    case (.canceled(let reason)?, _): try await end(run, .canceled, nil, reason)
    case (.failed(let error)?, _): try await fail(run, .failed, error)
    case (.shutdown?, _): try await cutOff(run)
    case (.timeout?, _):
      let limit = model.declaration(of: run.job)?.timeout ?? 0
      try await fail(run, .timedOut, RunError(code: "timeout", message: "the run took longer than \(limit / 1000) s"))
    // The process has been told that its run goes on later. How it ends does not matter any more.
    case (nil, _) where run.isPaused: try await hold(run)
    case (nil, .unknown): try await interrupt(run)
    case (nil, .status(0)): try await end(run, .ok)
    case (nil, .status(let status)): try await fail(run, .failed, notes.error ?? .exit(status))
    case (nil, .signal(let signal)):
      try await fail(run, .failed, RunError(code: "signal", message: "the process was ended by signal \(signal)"))
    }
  }

  /// The process of a paused run has ended.
  private mutating func hold(_ run: RunRecord) async throws {
    var run = run
    run.process = nil
    if let wait = run.wait { (run.state, run.reason) = (.waiting, wait.reason) } else { run.state = .asleep }
    try await save(run)
  }

  /// The end of the host or of the machine cut a process off. A paused run stays paused.
  mutating func cutOff(_ run: RunRecord) async throws {
    if run.isPaused { try await hold(run) } else { try await interrupt(run) }
  }

  private mutating func interrupt(_ run: RunRecord) async throws {
    var run = run
    run.process = nil
    run.interruptions += 1
    if model.declaration(of: run.job)?.interrupted == .again, run.interruptions <= Interruption.mostAgain {
      (run.state, run.reason, run.computed) = (.due, Self.interrupted, 0)
      return try await save(run)
    }
    try await end(
      run, .interrupted, RunError(code: "interrupted", message: "the host or the machine ended while the script ran"))
  }

  /// A try failed: it is tried again, or the run has failed.
  private mutating func fail(_ run: RunRecord, _ state: RunState, _ error: RunError) async throws {
    var run = run
    let retry = model.declaration(of: run.job)?.retry
    guard let retry, run.attempt - run.interruptions < retry.attempts, retry.repeats(error.code) else {
      return try await end(run, state, error)
    }
    let longest = retry.longestWait(after: run.attempt - run.interruptions)
    let wait = retry.wait(own: Int64(options.random() * Double(longest)), asked: error.retryAfter)
    run.computed = 0
    (run.state, run.error, run.wake) = (.retry, error, StoredTime.time(now.wall + wait))
    try await save(run)
  }

  /// A run is over.
  mutating func end(_ run: RunRecord, _ state: RunState, _ error: RunError? = nil, _ reason: String? = nil) async throws
  {
    var run = run
    (run.state, run.error, run.ended, run.wake, run.reason) = (state, error, now.wall, nil, reason)
    run.process = nil
    try await save(run)
    guard let job = model.jobs[run.job], state != .canceled else {
      return try await tellOthers(run, hasRecovered: false)
    }
    var record = job.record
    let hasRecovered = state == .ok && record.last?.isFailure == true
    record.failures = state == .ok ? 0 : record.failures + 1
    record.last = state
    if let most = job.declaration?.pauseAfter, most > 0, record.failures == most, record.pause == nil {
      record.pause = "\(most) runs failed one after the other"
      log(
        .error,
        "the job \(run.job) is paused: \(most) runs failed one after the other; b2c-run jobs resume \(run.job)")
    }
    try await save(record)
    if state == .ok { endLateness(of: run.job) }
    try await notify(run, job.declaration?.notices ?? [], hasRecovered: hasRecovered)
    try await tellOthers(run, hasRecovered: hasRecovered)
  }
}

// MARK: Notices

extension Turn {
  static var noticeSetting: String { "notices" }

  private mutating func notify(_ run: RunRecord, _ notices: [Notice], hasRecovered: Bool) async throws {
    let meant = notices.filter { $0.concerns(isFailure: run.state.isFailure, hasRecovered: hasRecovered) }
    guard !meant.isEmpty else { return }
    let result = hasRecovered ? "recovered" : run.state.rawValue
    let content: JSON = [
      "text": .string("\(run.job) run \(run.id): \(result)\(run.error.map { ": \($0.message)" } ?? "")"),
      "run": run.shown,
    ]
    for notice in meant where !model.notices.add(notice, of: run.id, run.job, content, now: now.wall) {
      log(.error, "no notice of the run \(run.id) is sent to \(notice.shown): too many notices wait")
    }
    try await store.set(Self.noticeSetting, to: model.notices.json)
    effects.append { $0.tell(.notices) }
  }

  /// A notice has been sent, or could not be sent for this reason.
  package mutating func noticeTried(_ entry: NoticeBox.Entry, _ problem: String?) async throws {
    let subject = "the notice of the run \(entry.run) of \(entry.job) to \(entry.notice.shown)"
    if let problem {
      let isLast = !model.notices.postpone(entry.run, entry.notice, now: now.wall)
      log(isLast ? .error : .warn, "\(subject) cannot be sent\(isLast ? ", and is given up" : " yet"): \(problem)")
    } else {
      model.notices.remove(entry.run, entry.notice)
    }
    try await store.set(Self.noticeSetting, to: model.notices.json)
  }
}

extension RunError {
  /// A script that ended with this exit status, and told no error.
  fileprivate static func exit(_ status: Int32) -> RunError {
    status == failedRows
      ? RunError(
        code: "failed_rows", message: "rows of an import failed or are unsettled", hint: "b2c-run imports lists them")
      : RunError(code: "exit", message: "the script ended with exit status \(status)")
  }

  /// The program's exit status for an import with rows that failed.
  private static var failedRows: Int32 { 5 }
}
