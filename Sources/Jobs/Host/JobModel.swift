import JobConditions
import JobNotices

/// The jobs and the open runs of a host, as they are in the store.
struct JobModel {
  var jobs: [String: Job] = [:]
  /// The runs that go on.
  var runs: [Int64: RunRecord] = [:]
  /// The runs in state `due`, in the order in which they start: the oldest first.
  private(set) var queue: [Int64] = []
  /// Notes on the processes of runs.
  var processes: [Int64: ProcessNotes] = [:]
  /// The last correct declarations of jobs that have none any more.
  var former: [String: JobDeclaration] = [:]

  /// The notices that have not been sent yet.
  var notices = NoticeBox()
  /// The pause of all jobs.
  var pause = HostPause()

  struct Job {
    var record: JobRecord
    /// Nil for a script without a correct declaration.
    var declaration: JobDeclaration?
    /// One for each trigger that comes by the clock or tells of lateness.
    var timers: [Timer] = []
    /// The row of the last skipped due times, while nothing else has come.
    var lastSkip: RunRecord?
    /// The rows of the job in the store.
    var stored = 0
  }

  struct Timer {
    let trigger: Trigger
    var record: TriggerRecord
    /// The next due time; nil if there is none.
    var next: Int64?
  }

  struct ProcessNotes {
    /// When the process began, by the clock that does not count sleep of the machine.
    var began: Int64
    /// When it must have ended, by the same clock.
    var limit: Int64?
    /// Why the host stops it.
    var stop: Stop?
    /// When it is killed, by the same clock.
    var killAt: Int64?
    /// The error that the script ended with.
    var error: RunError?
    /// The machine that has the process and drains, with its session; nil for a process of this machine.
    var owner: String?
  }

  enum Stop {
    case timeout
    case canceled(String)
    case failed(RunError)
    case shutdown
  }

  /// The declaration of a job. The policies of one that is missing or broken now are those that it had.
  func declaration(of job: String) -> JobDeclaration? { jobs[job]?.declaration ?? former[job] }

  /// Lets a run wait for its turn. Runs that go on again have the place of their age, so that a restart of the host changes no
  /// order. Those of one job keep the order in which they came, also if somebody has set the clock back.
  mutating func enqueue(_ run: RunRecord) {
    let place = queue.lastIndex { runs[$0].map { !run.isBefore($0) } ?? true }.map { $0 + 1 } ?? 0
    queue.insert(run.id, at: place)
  }

  mutating func dequeue(_ run: Int64) {
    if let index = queue.firstIndex(of: run) { queue.remove(at: index) }
  }

  /// The runs with a process of this machine.
  var ownProcesses: [Int64] { processes.filter { $0.value.owner == nil }.keys.sorted() }

  /// True if no more runs of a group may begin.
  func isFull(_ group: JobGroup) -> Bool {
    runs.values.count { $0.state == .started && declaration(of: $0.job)?.group?.name == group.name } >= group.atMost
  }

  /// The open runs of a job with this overlap key that have begun.
  func active(of job: String, key: String?) -> Int {
    runs.values.count { $0.job == job && $0.key == key && $0.state != .due }
  }

  /// The runs of a job with this overlap key that wait for their turn.
  func waiting(of job: String, key: String?) -> Int {
    runs.values.count { $0.job == job && $0.key == key && $0.state == .due }
  }
}

extension RunRecord {
  /// True if the run starts before another one that waits, too.
  fileprivate func isBefore(_ other: RunRecord) -> Bool {
    // Runs of past due times do not hold up the others.
    guard job != other.job else { return isBackfill == other.isBackfill ? id < other.id : !isBackfill }
    return (due ?? created, id) < (other.due ?? other.created, other.id)
  }
}
