import Databases
import HostLoop
import JobConditions

/// The right of a machine to plan.
enum PlanningRight: Sendable {
  /// A machine that is alone has locked its state folder.
  case folder
  /// One of several machines has a lease, which each turn renews for so many seconds.
  case lease(Lease, seconds: Double)

  /// Throws `fenced` if another machine has taken the right. It locks nothing.
  func check(in store: JobStore) async throws {
    guard case .lease(let lease, _) = self else { return }
    guard try await store.has(lease) else { throw JobError.fenced }
  }

  /// Renews the right. Throws `fenced` if another machine has taken it.
  func keep(in store: JobStore) async throws {
    guard case .lease(let lease, let seconds) = self else { return }
    guard try await store.keep(lease, seconds: seconds) else { throw JobError.fenced }
  }
}

/// All that a machine that plans knows: from the moment at which it may plan to that at which it may not any more.
@HostActor
final class Plan {
  enum Progress {
    /// The next turn takes these jobs over, and the runs of an earlier host.
    case beginning([JobDefinition])
    /// The clocks at the last turn.
    case going(Moment)
  }

  let right: PlanningRight
  /// The time in milliseconds since 1970 at which another machine still planned, if it handed over.
  private let handedOver: Int64?
  var progress: Progress
  var model = JobModel()
  /// The processes of this machine, by the numbers of their runs.
  var processes: [Int64: any RunProcess] = [:]
  /// Due times before this moment passed while the host was down.
  private(set) var upSince: Int64 = 0

  init(_ definitions: [JobDefinition], by right: PlanningRight = .folder, handedOver: Int64? = nil) {
    (self.right, self.handedOver) = (right, handedOver)
    progress = .beginning(definitions)
  }

  /// The clocks at the last turn; nil before the first one.
  var last: Moment? { if case .going(let moment) = progress { moment } else { nil } }

  /// Notices that the machine slept, and that the clock was set. Returns the milliseconds by which it was set.
  func noteSleep(_ now: Moment) -> Int64? {
    guard let last else {
      upSince = min(handedOver ?? now.wall, now.wall)
      return nil
    }
    let slept = (now.sinceBoot - last.sinceBoot) - (now.awake - last.awake)
    if slept > 1000 { upSince = now.wall }
    let jump = (now.wall - last.wall) - (now.sinceBoot - last.sinceBoot)
    guard abs(jump) > 1000 else { return nil }
    // The host was up in the hour that comes again, too.
    if jump < 0 { upSince = min(upSince, now.wall) }
    return jump
  }

  /// A turn is on the disk.
  /// - Parameter started: the processes that it has started.
  func take(_ model: JobModel, _ started: [Int64: any RunProcess], at now: Moment) {
    self.model = model
    processes.merge(started) { $1 }
    for id in processes.keys where model.processes[id] == nil { processes[id] = nil }
    progress = .going(now)
  }
}
