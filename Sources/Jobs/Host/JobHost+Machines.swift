import Databases
import HostLoop

/// The absence of the database, and the right to plan of one of several machines.
extension JobHost {
  /// Tells once of turns that fail. Returns the seconds until the next one. Nothing else begins it earlier: the processes that a
  /// failed turn has started end, and tell so.
  func failed(_ error: any Error) -> Double {
    if noteOutage(error) { return outage.pause }
    if standstill.begin(error) { onMessage?(.error, "the jobs stand still: \(error)") }
    if isDrained { stopNow() }
    return standstill.pause
  }

  /// Tells once that the database cannot be used. Returns false for an error of another kind.
  @discardableResult
  package func noteOutage(_ error: any Error) -> Bool {
    guard options.machine != nil, let error = error as? PostgresError, error.isOutage else { return false }
    if outage.begin(error) {
      onMessage?(.error, "the database is away; runs go on, and what they say waits: \(error)")
    }
    return true
  }

  /// True for an error of the database about what it was given, and not about the database.
  package func isRefusal(_ error: any Error) -> Bool { !(error is JobError) && error.isRefusal }

  func noteBack() {
    if standstill.end() { onMessage?(.info, "the jobs go on") }
    guard outage.end() else { return }
    onMessage?(.info, "the database is back")
    if options.isAlive, isPlanning { plan(after: 0) }
  }

  // MARK: Several machines

  /// This machine plans from now on, the jobs with these definitions. Each turn keeps the right for so many seconds.
  /// - Parameter handedOver: the time in milliseconds since 1970 at which another machine still planned, if it handed over. Due
  ///   times since then passed while no machine was down.
  func plan(by lease: Lease, seconds: Double, _ definitions: [JobDefinition], handedOver: Int64?) {
    var plan = Plan(definitions)
    (plan.lease, plan.handedOver) = ((lease, seconds), handedOver)
    guard become(.planning(plan)) else { return }
    isSoon = false
    // The next turns load the jobs, until one of them can.
    if options.isAlive, outage.error == nil { self.plan(after: 0) }
  }

  /// Another machine plans, or may do so from now on. What this one has started ends, and what it knows is forgotten.
  func standBy() {
    guard options.machine != nil, become(.standingBy) else { return }
    era += 1
    if let timer { HostLoop.shared.cancel(timer) }
    for process in processes.values { process.stop(kill: true) }
    processes = [:]
    model = JobModel()
    let inputs = inbox
    inbox = []
    for input in inputs where !input.isNews { input.failed(JobError.standingBy) }
    whenIdle?.finish(.success(()))
    onStandBy?()
  }
}
