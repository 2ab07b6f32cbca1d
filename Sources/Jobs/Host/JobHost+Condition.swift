import Databases
import HostLoop
package import JobConditions
package import JobNotices

/// The time in which a host has no jobs yet, or no store that takes them.
struct JobLoading {
  /// The jobs whose definitions have been read, and all of them.
  var read = (known: 0, of: 0)
  /// The callers that wait until the jobs are known.
  var waits: [CancellableWait<Void>] = []

  var condition: HostCondition { .loading(known: read.known, of: read.of) }
}

extension JobHost {
  /// The pause of all jobs, or the next one, as a sentence; nil if there is none, and on a machine that does not plan.
  package var pauseNotice: String? {
    guard case .planning(let plan) = role else { return nil }
    return plan.model.pause.notice(at: clock.now.wall, in: options.zone)
  }

  package var condition: HostCondition {
    if let error = trouble.outage.error { return .away("\(error)") }
    switch role {
    case .draining, .ended: return .ending
    case _ where ending.isStopping: return .ending
    case .loading: return loading.condition
    case .standingBy: return trouble.refusal.error.map { .standstill("\($0)") } ?? .standingBy
    case .planning(let plan):
      if let error = trouble.standstill.error ?? trouble.refusal.error { return .standstill("\(error)") }
      return plan.last == nil ? loading.condition : .planning(jobs: plan.model.jobs.count)
    }
  }

  /// The notices that have not been sent yet.
  package var notices: [NoticeBox.Entry] { model.notices.entries }

  /// Tells of a new condition.
  package func noteCondition() {
    let condition = condition
    if case .loading = condition {
    } else if !loading.waits.isEmpty {
      let waits = loading.waits
      loading.waits = []
      for wait in waits { wait.finish(condition == .ending ? .failure(JobError.ended) : .success(())) }
    }
    if watchers.isNew(condition) { tell(.condition(condition)) }
  }

  /// So many of the jobs have been read.
  package func noteRead(_ known: Int, of count: Int) {
    loading.read = (known, count)
    noteCondition()
  }

  /// The most that wait for the definitions at once.
  private static let mostWaiting = 200

  /// Waits until the jobs are known, for so many seconds at most. Throws `JobError.loading` if they are not known by then.
  package func loaded(within seconds: Double) async throws {
    guard case .loading = condition, relay == nil else { return }
    guard loading.waits.count < Self.mostWaiting else { throw JobError.loading }
    let wait = CancellableWait<Void>()
    loading.waits.append(wait)
    let limit = HostLoop.shared.schedule(after: seconds) { [weak self] in
      self?.loading.waits.removeAll { $0 === wait }
      wait.finish(.failure(JobError.loading))
    }
    defer { HostLoop.shared.cancel(limit) }
    try await wait.value()
  }

  // MARK: Trouble

  /// Tells once of turns that fail. Returns the seconds until the next one. Nothing else begins it earlier: the processes that a
  /// failed turn has started end, and tell so.
  func failed(_ error: any Error) -> Double {
    if noteOutage(error) { return trouble.outage.pause }
    if trouble.standstill.begin(error) { log(.error, "the jobs stand still: \(error)") }
    if ending.step >= .asking { stopNow() }
    return trouble.standstill.pause
  }

  /// Tells once that the database cannot be used. Returns false for an error of another kind.
  @discardableResult
  package func noteOutage(_ error: any Error) -> Bool {
    guard options.machine != nil, let error = error as? PostgresError, error.isOutage else { return false }
    if trouble.outage.begin(error) {
      log(.error, "the database is away; runs continue, and their results wait: \(error)")
    }
    return true
  }

  /// True for an error of the database about what it was given, and not about the database.
  package func isRefusal(_ error: any Error) -> Bool { !(error is JobError) && error.isRefusal }

  /// Proves that paths are known and the store takes changes, and tells: a full disk is known before a turn needs it.
  package func prove() async {
    do {
      _ = try await desk.hooks()
      try await store.proveWritable()
      if trouble.refusal.end() { log(.info, "the store takes changes") }
    } catch {
      let isNew = !noteOutage(error) && trouble.refusal.begin(error)
      if isNew, (error as? JobError)?.isRetryable != true { log(.error, "the store takes no changes: \(error)") }
    }
    noteCondition()
  }

  func noteBack() {
    if trouble.standstill.end() { log(.info, "the jobs continue") }
    guard trouble.outage.end() else { return }
    log(.info, "the database is back")
    if isPlanning { turns.plan(after: 0) }
  }
}
