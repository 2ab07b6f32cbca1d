import Core
package import HostLoop
import JSON
import JobConditions
import Schedule

/// One step of a job host: it changes the model and the store in one transaction. What goes out, such as answers and
/// signals, goes out when the transaction is on the disk.
@HostActor
package struct Turn {
  var model: JobModel
  let store: JobStore
  let now: Moment
  /// Due times before this moment passed while the host was down.
  let upSince: Int64
  let options: JobHost.Options
  /// True if each thing that the turn does can fail alone.
  var isCareful = false
  /// The time at which another machine received what is worked on; nil for all else.
  var receivedAt: Int64?
  /// Actions for the time after the transaction.
  var effects: [@HostActor (JobHost) -> Void] = []

  /// Returns the milliseconds until the next turn has something to do; nil if only an event can bring it.
  /// - Parameter isStopping: true for a host that makes no more rows of due times.
  func pause(isStopping: Bool = false) -> Int64? {
    var wall: Int64?
    for job in isStopping ? [] : Array(model.jobs.values) {
      for timer in job.timers { if let next = timer.next { wall = min(wall ?? next, next) } }
    }
    if let change = model.pause.nextChange(after: now.wall) { wall = min(wall ?? change, change) }
    for run in model.runs.values { if let wake = run.nextWake { wall = min(wall ?? wake, wake) } }
    var pause = wall.map { $0 - now.wall }
    for notes in model.processes.values {
      for time in [notes.killAt, notes.stop == nil ? notes.limit : nil] {
        if let time { pause = min(pause ?? .max, time - now.awake) }
      }
    }
    return pause.map { max(0, $0) }
  }

  /// Adds a run. Returns it with its number, or nil if the job has one for this due time already.
  @discardableResult
  mutating func add(_ run: RunRecord) async throws -> RunRecord? {
    var run = run
    var isNew = try await store.add(&run)
    // After the clock was set back, an interval may meet a due time of the hour that comes again.
    while !isNew, run.kind == "every", let due = run.due {
      run.due = due + 1
      isNew = try await store.add(&run)
    }
    guard isNew else { return nil }
    model.jobs[run.job]?.stored += 1
    if model.jobs[run.job] != nil { try await forgetOldRuns(of: run.job) }
    model.jobs[run.job]?.lastSkip = run.state == .skipped ? run : nil
    if let due = run.due { watchLateness(of: run.job, due: due) }
    if run.state.isOpen {
      model.runs[run.id] = run
      model.enqueue(run)
    }
    let record = run
    effects.append { $0.tell(.run(record)) }
    return run
  }

  /// Writes an open run, or one that ends now.
  mutating func save(_ run: RunRecord) async throws {
    try await store.save(run)
    let before = model.runs[run.id]?.state
    model.runs[run.id] = run.state.isOpen ? run : nil
    if run.state == .due, before != .due { model.enqueue(run) }
    if run.state != .due, before == .due { model.dequeue(run.id) }
    effects.append { $0.tell(.run(run)) }
  }

  mutating func save(_ job: JobRecord) async throws {
    try await store.save(job)
    model.jobs[job.name]?.record = job
  }

  /// Does one thing that can fail alone: then nothing of it has happened, and the turn goes on. Returns the error. In a turn
  /// that is not careful, the turn fails.
  mutating func alone(_ body: @HostActor (inout Turn) async throws -> Void) async throws -> (any Error)? {
    guard isCareful else {
      try await body(&self)
      return nil
    }
    let before = (model, effects)
    try await store.mark()
    do { try await body(&self) } catch  where error.isRefusal {
      (model, effects) = before
      try await store.rollBack()
      return error
    }
    try await store.release()
    return nil
  }

  /// Does one thing for a run, which ends with the error if that fails alone.
  mutating func alone(for run: Int64, _ body: @HostActor (inout Turn) async throws -> Void) async throws {
    if let error = try await alone(body) { try await giveUp(run, error) }
  }

  /// Ends a run that the store has refused a change of.
  mutating func giveUp(_ id: Int64, _ error: any Error) async throws {
    log(.error, "the run \(id) ends, since the store refuses a change of it: \(error)")
    let second = try await alone { turn in
      guard let run = try await turn.store.run(id), run.state.isOpen else { return }
      let failure = error as? any Failure
      turn.model.processes[id] = nil
      try await turn.end(
        run, .failed,
        // The words of the database, which may be what it refuses, are in the log.
        RunError(code: failure?.code ?? "host_error", message: "the store refuses a change of the run"))
    }
    if let second { log(.error, "the run \(id) stays open in the store: \(second)") }
    // The store may refuse its row, too. It takes no place any more.
    model.runs[id] = nil
    model.processes[id] = nil
    model.dequeue(id)
  }

  mutating func log(_ level: LogLevel, _ text: String) { effects.append { $0.log(level, text) } }

  package enum LogLevel: Sendable { case info, warn, error }

  // MARK: History

  /// The old runs that one turn removes, so that no turn takes long.
  private static let mostRemoved = 20

  /// True if a job has runs to remove.
  func isOld(_ history: JobStore.History, of name: String) -> Bool {
    guard options.forgets, let firstEnd = history.firstEnd else { return false }
    let keep = model.jobs[name]?.declaration?.keep ?? options.keep
    return firstEnd < now.wall - Int64(keep.days) * 86_400_000 || history.count > keep.runs
  }

  /// Removes runs of a job that are older than its `keep` says, or more.
  mutating func forgetOldRuns(of name: String) async throws {
    guard options.forgets else { return }
    let keep = model.jobs[name]?.declaration?.keep ?? options.keep
    var count: Int
    if let stored = model.jobs[name]?.stored { count = stored } else { count = try await store.runCount(of: name) }
    var removed: [Int64] = []
    let limit = now.wall - Int64(keep.days) * 86_400_000
    while removed.count < Self.mostRemoved, let oldest = try await store.oldestEnded(of: name),
      oldest.ended < limit || count > keep.runs
    {
      try await store.removeRun(oldest.id)
      removed.append(oldest.id)
      count -= 1
      if model.jobs[name]?.lastSkip?.id == oldest.id { model.jobs[name]?.lastSkip = nil }
    }
    model.jobs[name]?.stored = count
    guard !removed.isEmpty else { return }
    try await store.removeUnusedCode()
    try await store.shrink(pages: Self.mostRemoved)
    let ids = removed
    effects.append { host in for id in ids { host.tell(.removed(run: id)) } }
  }
}
