import HostLoop
import JSON

/// The end of a host, and its processes.
extension JobHost {
  func reply(_ run: Int64, _ answer: JSON) { processes[run]?.reply(answer) }

  func stopProcess(_ run: Int64, kill: Bool) { processes[run]?.stop(kill: kill) }

  /// The tail of a run's log, to be stored with its end.
  func logTail(of run: Int64) -> LogTail? { options.logs.flatMap { LogTail(of: run, in: $0) } }

  // MARK: The end

  /// Starts no more runs, and waits until those that go on have ended. After `seconds` it ends them.
  /// - Parameter handOver: lets another machine plan meanwhile; returns false if there is none.
  package func stop(drain seconds: Double, handOver: @HostActor () async -> Bool = { false }) async {
    isStopping = true
    defer { end() }
    // A turn that goes on may have started processes. A database that is away is not waited for.
    for _ in 0..<100 where isTurning { try? await HostLoop.shared.sleep(seconds: 0.02) }
    if !isKilling, !model.processes.isEmpty, await handOver(), let drain {
      let limit = HostLoop.shared.schedule(after: seconds) { [options] in drain.shutDown(patience: options.patience) }
      defer { HostLoop.shared.cancel(limit) }
      return await drain.finish()
    }
    guard !processes.isEmpty else { return }
    let idle = CancellableWait<Void>()
    whenIdle = idle
    let limit = HostLoop.shared.schedule(after: seconds) { [weak self] in self?.stopAll() }
    defer { HostLoop.shared.cancel(limit) }
    try? await idle.value()
    // A second request to stop.
    isKilling = true
    for process in processes.values { process.stop(kill: true) }
  }

  /// No turn comes any more.
  private func end() {
    guard become(.ended) else { return }
    era += 1
    if let timer { HostLoop.shared.cancel(timer) }
    let inputs = inbox
    inbox = []
    for input in inputs where !input.isNews { input.failed(JobError.ended) }
  }

  /// Ends the runs that go on at once.
  package func stopNow() {
    isKilling = true
    for process in processes.values { process.stop(kill: true) }
    drain?.stopNow()
    whenIdle?.finish(.success(()))
  }

  /// Gives the right to plan away while the processes of this machine go on. `release` stores that with the messages, in one
  /// transaction. Returns false if this machine still plans, or has lost that right already.
  func handOver(as machine: JobMachine, _ release: @HostActor ([JobStore.Message]) async throws -> Void) async -> Bool {
    // Messages that have come already belong into turns of this machine.
    for _ in 0..<100 where isTurning || !inbox.isEmpty { try? await HostLoop.shared.sleep(seconds: 0.02) }
    guard case .planning(let plan) = role, plan.last != nil, !isTurning, inbox.isEmpty, outage.error == nil else {
      return false
    }
    let drain = RunDrain(self, machine, processes)
    become(.draining(drain))
    if let timer { HostLoop.shared.cancel(timer) }
    let notes = model.processes.sorted { $0.key < $1.key }.map { id, notes in
      drain.message(id, notes.owner ?? machine.owner, ["notes": notes.json(now: clock.now)])
    }
    do { try await release(notes) } catch {
      become(.planning(plan))
      noteOutage(error)
      for news in drain.takeBack() {
        switch news {
        case .said(let run, let message): processSaid(run, message)
        case .ended(let run, let end): processEnded(run, end)
        }
      }
      self.plan(after: 0)
      return false
    }
    era += 1
    model = JobModel()
    processes = [:]
    drain.begin()
    onStandBy?()
    return true
  }

  private func stopAll() {
    isDrained = true
    // The next start finds the runs interrupted.
    if outage.error != nil || standstill.error != nil { return stopNow() }
    note { turn in for id in turn.model.ownProcesses { try await turn.stop(id, .shutdown) } }
  }
}
