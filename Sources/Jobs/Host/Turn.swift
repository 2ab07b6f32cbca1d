package import HostLoop
import JSON
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
    for run in model.runs.values { if let wake = run.wake { wall = min(wall ?? wake, wake) } }
    var pause = wall.map { $0 - now.wall }
    for notes in model.processes.values {
      for time in [notes.killAt, notes.stop == nil ? notes.limit : nil] {
        if let time { pause = min(pause ?? .max, time - now.awake) }
      }
    }
    return pause.map { max(0, $0) }
  }

  /// Adds a run, or does nothing if the job has one for this due time already.
  mutating func add(_ run: RunRecord) async throws {
    var run = run
    var isNew = try await store.add(&run)
    // After the clock was set back, an interval may meet a due time of the hour that comes again.
    while !isNew, run.kind == "every", let due = run.due {
      run.due = due + 1
      isNew = try await store.add(&run)
    }
    guard isNew else { return }
    model.jobs[run.job]?.stored += 1
    if model.jobs[run.job] != nil { try await forgetOldRuns(of: run.job) }
    model.jobs[run.job]?.lastSkip = run.state == .skipped ? run : nil
    if let due = run.due { watchLateness(of: run.job, due: due) }
    if run.state.isOpen {
      model.runs[run.id] = run
      model.queue.append(run.id)
    }
    let record = run
    effects.append { $0.tell(record) }
  }

  /// Writes an open run, or one that ends now.
  mutating func save(_ run: RunRecord) async throws {
    try await store.save(run)
    let before = model.runs[run.id]?.state
    model.runs[run.id] = run.state.isOpen ? run : nil
    if run.state == .due, before != .due { model.queue.append(run.id) }
    if run.state != .due, before == .due, let index = model.queue.firstIndex(of: run.id) {
      model.queue.remove(at: index)
    }
    effects.append { $0.tell(run) }
  }

  mutating func save(_ job: JobRecord) async throws {
    try await store.save(job)
    model.jobs[job.name]?.record = job
  }

  mutating func log(_ level: LogLevel, _ text: String) { effects.append { $0.onMessage?(level, text) } }

  package enum LogLevel: Sendable { case info, warn, error }
}
