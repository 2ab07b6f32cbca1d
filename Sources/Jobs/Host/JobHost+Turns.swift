import Databases
import HostLoop
import JobConditions

/// The turns of a machine that plans.
extension JobHost {
  /// The clock may have been set.
  package func lookAtClock() { if isPlanning, trouble.outage.error == nil { turns.plan(after: 0) } }

  /// Does what is to be done now, unless another turn goes on, which plans the next one. Returns the milliseconds until
  /// there is more; nil if only an event can bring it.
  @discardableResult
  package func turn() async -> Int64? {
    guard let plan else { return nil }
    guard !turns.isTurning else {
      turns.isSoon = true
      return nil
    }
    turns.isTurning = true
    defer { turns.isTurning = false }
    turns.isSoon = false
    let now = clock.now
    let jump = plan.noteSleep(now)
    let inputs = turns.inputs
    let outcome: Outcome
    do {
      do { outcome = try await attempt(plan, inputs, now, jump) } catch  where error.isRefusal && self.plan === plan {
        // Nobody knows what the store has refused. Now each thing can fail alone.
        outcome = try await attempt(plan, inputs, now, jump, isCareful: true)
      }
    } catch {
      if self.plan === plan { failed(error, inputs) }
      return nil
    }
    // This machine does not plan any more, or not yet again: the inputs have got their answers.
    guard self.plan === plan else {
      for process in outcome.started.values { process.stop(kill: true) }
      return nil
    }
    turns.inputs.removeFirst(inputs.count)
    goOn(plan, outcome, at: now)
    if !turns.inputs.isEmpty || turns.isSoon {
      turns.plan(after: 0)
      return 0
    }
    let pause = [outcome.turn.pause(isStopping: ending.isStopping), clock.longestWait].compactMap(\.self).min()
    if let pause { turns.plan(after: Double(pause) / 1000) }
    return pause
  }

  /// Nothing of a turn has happened.
  private func failed(_ error: any Error, _ inputs: [TurnQueue.Input]) {
    if (error as? JobError)?.code == JobError.fenced.code { return standBy() }
    if (error as? PostgresError)?.kind == .unknownCommit {
      // The model of this machine may differ from the store.
      log(.error, "this machine ends its runs and stands by: \(error)")
      return standBy()
    }
    turns.fail(inputs, error)
    turns.plan(after: failed(error))
  }

  /// A turn is on the disk: what it sends out, it sends now.
  private func goOn(_ plan: Plan, _ outcome: Outcome, at now: Moment) {
    let isFirst = plan.last == nil
    plan.take(outcome.turn.model, outcome.started, at: now)
    noteCondition()
    noteBack()
    if isFirst, let machine {
      log(.info, "this machine, \(machine), plans the jobs")
      tell(.planning)
    }
    for effect in outcome.turn.effects { effect(self) }
    for answer in outcome.answers { answer() }
    // Somebody has ended all runs while the turn went on.
    if ending.isKilling { for process in outcome.started.values { process.stop(kill: true) } }
    if plan.processes.isEmpty { ending.noteIdle() }
  }

  /// The result of a turn, and the actions for the time after its transaction.
  @HostActor
  private struct Outcome {
    var turn: Turn
    var started: [Int64: any RunProcess] = [:]
    var answers: [@HostActor () -> Void] = []
  }

  /// Does the work of a turn in one transaction.
  /// - Parameter isCareful: true to let each thing fail alone, which takes more statements.
  private func attempt(
    _ plan: Plan, _ inputs: [TurnQueue.Input], _ now: Moment, _ jump: Int64?, isCareful: Bool = false
  ) async throws -> Outcome {
    var started: [Int64: any RunProcess] = [:]
    do {
      return try await turnStore.transaction { store in
        try await plan.right.check(in: store)
        var outcome = Outcome(
          turn: Turn(
            model: plan.model, store: store, now: now, upSince: plan.upSince, options: self.options,
            isCareful: isCareful))
        if let jump { try await outcome.turn.clockWasSet(by: jump) }
        // Whoever is not among them has said all before.
        let draining = self.options.machine == nil ? [:] : try await store.drainingOwners()
        if case .beginning(let definitions) = plan.progress {
          try await outcome.turn.load(definitions)
          // The policy of a job decides about its interrupted runs.
          try await outcome.turn.begin(self.launcher, &started, draining: draining)
        }
        for input in inputs {
          var answer: (@HostActor () -> Void)?
          // An error about the input itself goes to whoever asked for it, and changes nothing.
          let error = try await outcome.turn.alone { answer = try await input.work(&$0) }
          if let error { answer = { input.failed(error) } }
          if let answer { outcome.answers.append(answer) }
        }
        if self.options.machine != nil, try await outcome.turn.takeInbox() { try await outcome.turn.endLost(draining) }
        // Due times that pass while a host ends are caught up later, as the jobs say.
        if !self.ending.isStopping { try await outcome.turn.takeDueTimes() }
        try await outcome.turn.wake()
        try await outcome.turn.stopLateProcesses()
        if !self.ending.isStopping { try await outcome.turn.start(self.launcher, &started) }
        // The last statement: the turn counts only if no other machine plans, and the row is locked for no longer.
        try await plan.right.keep(in: store)
        outcome.started = started
        return outcome
      }
    } catch {
      // None of it has happened. Processes that were started end, since nobody lets them begin.
      for process in started.values { process.stop(kill: true) }
      throw error
    }
  }
}
