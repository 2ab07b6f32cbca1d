import HostLoop
import JobLogs

/// The end of a host, and its processes.
extension JobHost {
  /// Starts no more runs, and waits until those that go on have ended. After `seconds` it ends them.
  /// - Parameter handOver: lets another machine plan meanwhile; returns false if there is none.
  package func stop(drain seconds: Double, handOver: @HostActor () async -> Bool = { false }) async {
    ending.reach(.waiting)
    defer { end() }
    // A turn that goes on may have started processes. A database that is away is not waited for.
    for _ in 0..<100 where turns.isTurning { try? await HostLoop.shared.sleep(seconds: 0.02) }
    if !ending.isKilling, !model.processes.isEmpty, await handOver(), let drain {
      let limit = HostLoop.shared.schedule(after: seconds) { [options] in drain.shutDown(patience: options.patience) }
      defer { HostLoop.shared.cancel(limit) }
      return await drain.finish()
    }
    guard plan?.processes.isEmpty == false else { return }
    let idle = ending.waitForIdle()
    let limit = HostLoop.shared.schedule(after: seconds) { [weak self] in self?.askAll() }
    defer { HostLoop.shared.cancel(limit) }
    try? await idle.value()
    killAll()
  }

  /// Ends the runs that go on at once.
  package func stopNow() {
    killAll()
    drain?.stopNow()
    ending.noteIdle()
  }

  private func killAll() {
    ending.reach(.killing)
    for process in (plan?.processes ?? [:]).values { process.stop(kill: true) }
  }

  private func askAll() {
    ending.reach(.asking)
    // The next start finds the runs interrupted.
    guard trouble.isNone else { return stopNow() }
    note { turn in for id in turn.model.ownProcesses { try await turn.stop(id, .shutdown) } }
  }

  func stopProcess(_ run: Int64, kill: Bool) { plan?.processes[run]?.stop(kill: kill) }

  /// The runs that have a process of this machine.
  package var running: [Int64] { model.ownProcesses }

  /// The numbers of runs that go on and that wait for their turn.
  package var load: (running: Int, queued: Int) { (drain?.runs.count ?? running.count, model.queue.count) }

  /// The runs that have a process of this machine, as messages name them: `slow run 140`.
  package var namesOfRunning: [String] { running.compactMap { id in model.runs[id].map { "\($0.job) run \(id)" } } }

  /// The tail of a run's log, to be stored with its end.
  func logTail(of run: Int64) -> LogTail? { options.logs.flatMap { LogTail(of: run, in: $0) } }
}
