import Databases
import HostLoop
import JobConditions

/// The part of this machine in the jobs. Turns belong to `planning` alone, which nobody can be without the definitions of the
/// jobs: a turn that did not know them would find all runs without their jobs.
///
/// A machine that is alone with its jobs begins as `loading`; one of several begins as `standingBy`, since another one may plan.
@HostActor
enum Role {
  /// The definitions are being read. Requests and commands wait.
  case loading
  /// Another machine plans, or may do so.
  case standingBy
  /// Makes the rows of events, and starts runs.
  case planning(Plan)
  /// Another machine may plan, while runs of this one go on to their end.
  case draining(RunDrain)
  case ended

  /// The table of transitions: true if a machine of this part can take the other one.
  func leads(to next: Role) -> Bool {
    switch (self, next) {
    // `JobHost.load`: the definitions are read.
    case (.loading, .planning): true
    // `plan(by:)`: this machine has read the definitions, and has taken the lease.
    case (.standingBy, .planning): true
    // `standBy`: another machine has taken the lease, or nobody knows what the last turn has stored.
    case (.planning, .standingBy): true
    // `handOver`: this machine ends while its runs go on, and another one can plan.
    case (.planning, .draining): true
    // `handOver`: the database has not taken the hand-over.
    case (.draining, .planning): true
    // `end`: the process of the host ends. Nothing follows.
    case (.loading, .ended), (.standingBy, .ended), (.planning, .ended), (.draining, .ended): true
    case (.loading, _), (.standingBy, _), (.planning, _), (.draining, _), (.ended, _): false
    }
  }
}

/// The actions of the transitions. A turn of a part that has ended has no effect.
extension JobHost {
  /// This machine plans from now on, the jobs with these definitions. Each turn keeps the right for so many seconds.
  /// - Parameter handedOver: the time in milliseconds since 1970 at which another machine still planned, if it handed over. Due
  ///   times since then passed while no machine was down.
  func plan(by right: PlanningRight, _ definitions: [JobDefinition], handedOver: Int64?) {
    guard become(.planning(Plan(definitions, by: right, handedOver: handedOver))) else { return }
    turns.isSoon = false
    // The next turns load the jobs, until one of them can.
    if trouble.outage.error == nil { turns.plan(after: 0) }
  }

  /// Another machine plans, or may do so from now on. What this one has started ends, and what it knows is forgotten.
  func standBy() {
    guard options.machine != nil, let plan, become(.standingBy) else { return }
    for process in plan.processes.values { process.stop(kill: true) }
    turns.end(JobError.standingBy)
    ending.noteIdle()
    tell(.standingBy)
  }

  /// Gives the right to plan away while the processes of this machine go on. `release` stores that with the messages, in one
  /// transaction. Returns false if this machine still plans, or has lost that right already.
  func handOver(as machine: JobMachine, _ release: @HostActor ([JobStore.Message]) async throws -> Void) async -> Bool {
    // Messages that have come already belong into turns of this machine.
    for _ in 0..<100 where turns.isTurning || !turns.inputs.isEmpty {
      try? await HostLoop.shared.sleep(seconds: 0.02)
    }
    guard let plan, plan.last != nil, !turns.isTurning, turns.inputs.isEmpty, trouble.outage.error == nil else {
      return false
    }
    let drain = RunDrain(self, machine, plan.processes)
    become(.draining(drain))
    turns.cancel()
    let notes = plan.model.processes.sorted { $0.key < $1.key }.map { id, notes in
      drain.message(id, notes.owner ?? machine.owner, .notes(notes.json(now: clock.now)))
    }
    do { try await release(notes) } catch {
      become(.planning(plan))
      noteOutage(error)
      for news in drain.takeBack() {
        switch news {
        case .said(let run, let message): said(run, message)
        case .ended(let run, let end): processEnded(run, end)
        }
      }
      turns.plan(after: 0)
      return false
    }
    drain.begin()
    tell(.standingBy)
    return true
  }

  /// No turn comes any more.
  func end() {
    guard become(.ended) else { return }
    turns.end(JobError.ended)
  }
}
