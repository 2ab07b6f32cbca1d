import Databases
import HostLoop

extension JobHost {
  func plan(after seconds: Double) {
    if let timer { HostLoop.shared.cancel(timer) }
    timer = HostLoop.shared.schedule(after: seconds) { [weak self] in
      HostActor.task { await self?.turn() }
    }
  }

  /// Does what is to be done now, unless another turn goes on, which plans the next one. Returns the milliseconds until
  /// there is more; nil if only an event can bring it.
  @discardableResult
  package func turn() async -> Int64? {
    guard case .planning(let plan) = role else { return nil }
    guard !isTurning else {
      isSoon = true
      return nil
    }
    isTurning = true
    defer { isTurning = false }
    isSoon = false
    let now = clock.now
    let jump = noteSleep(now, plan)
    let inputs = inbox
    let era = era
    let outcome: Outcome
    do {
      do { outcome = try await attempt(plan, inputs, now, jump) } catch  where error.isRefusal && era == self.era {
        // Nobody knows what the store has refused. Now each thing can fail alone.
        outcome = try await attempt(plan, inputs, now, jump, isCareful: true)
      }
    } catch {
      guard era == self.era else { return nil }
      if (error as? JobError)?.code == JobError.fenced.code {
        standBy()
        return nil
      }
      if (error as? PostgresError)?.kind == .unknownCommit {
        // The model of this machine may differ from the store.
        onMessage?(.error, "this machine ends its runs and stands by: \(error)")
        standBy()
        return nil
      }
      inbox = inputs.filter(\.isNews) + inbox.dropFirst(inputs.count)
      for input in inputs where !input.isNews { input.failed(error) }
      let pause = failed(error)
      if options.isAlive { self.plan(after: pause) }
      return nil
    }
    let (turn, started, answers) = (outcome.turn, outcome.started, outcome.answers)
    guard era == self.era else {
      for process in started.values { process.stop(kill: true) }
      return nil
    }
    inbox.removeFirst(inputs.count)
    model = turn.model
    processes.merge(started) { $1 }
    for id in processes.keys where model.processes[id] == nil { processes[id] = nil }
    goOn(plan, at: now)
    for effect in turn.effects { effect(self) }
    for answer in answers { answer() }
    // Somebody has ended all runs while the turn went on.
    if isKilling { for process in started.values { process.stop(kill: true) } }
    if processes.isEmpty { whenIdle?.finish(.success(())) }
    if !inbox.isEmpty || isSoon {
      if options.isAlive { self.plan(after: 0) }
      return 0
    }
    let pause = [turn.pause(isStopping: isStopping), clock.longestWait].compactMap(\.self).min()
    if options.isAlive, let pause { self.plan(after: Double(pause) / 1000) }
    return pause
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
    _ plan: Plan, _ inputs: [Input], _ now: Moment, _ jump: Int64?, isCareful: Bool = false
  ) async throws -> Outcome {
    var started: [Int64: any RunProcess] = [:]
    do {
      return try await turnStore.transaction { store in
        if let lease = plan.lease, try await !store.has(lease.right) { throw JobError.fenced }
        var outcome = Outcome(
          turn: Turn(
            model: self.model, store: store, now: now, upSince: self.upSince, options: self.options,
            isCareful: isCareful))
        if let jump { try await outcome.turn.clockWasSet(by: jump) }
        // Whoever is not among them has said all before.
        let draining = self.options.machine == nil ? [:] : try await store.drainingOwners()
        if case .beginning(let definitions) = plan.progress {
          try await outcome.turn.load(definitions)
          // The policy of a job decides about its interrupted runs.
          try await outcome.turn.begin(self.launcher, &started, draining: draining)
        }
        for input in inputs { try await self.work(input, &outcome) }
        if self.options.machine != nil, try await outcome.turn.takeInbox() { try await outcome.turn.endLost(draining) }
        // Due times that pass while a host ends are caught up later, as the jobs say.
        if !self.isStopping { try await outcome.turn.takeDueTimes() }
        try await outcome.turn.wake()
        try await outcome.turn.stopLateProcesses()
        if !self.isStopping { try await outcome.turn.start(self.launcher, &started) }
        // The last statement: the turn counts only if no other machine plans, and the row is locked for no longer.
        if let lease = plan.lease, try await !store.keep(lease.right, seconds: lease.seconds) { throw JobError.fenced }
        outcome.started = started
        return outcome
      }
    } catch {
      // None of it has happened. Processes that were started end, since nobody lets them begin.
      for process in started.values { process.stop(kill: true) }
      throw error
    }
  }

  /// Does one thing. An error about the thing itself goes to whoever asked for it, and changes nothing.
  private func work(_ input: Input, _ outcome: inout Outcome) async throws {
    var answer: (@HostActor () -> Void)?
    let error = try await outcome.turn.alone { answer = try await input.work(&$0) }
    if let error {
      outcome.answers.append { input.failed(error) }
    } else if let answer {
      outcome.answers.append(answer)
    }
  }

  /// After the first turn the jobs are known.
  private func goOn(_ plan: Plan, at now: Moment) {
    hasTurned(at: now)
    noteBack()
    guard plan.last == nil, let machine else { return }
    onMessage?(.info, "this machine, \(machine), plans the jobs")
    onPlanning?()
  }

  /// Notices that the machine slept, and that the clock was set. Returns the milliseconds by which it was set.
  private func noteSleep(_ now: Moment, _ plan: Plan) -> Int64? {
    guard let last = plan.last else {
      upSince = min(plan.handedOver ?? now.wall, now.wall)
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

  /// The clock may have been set.
  package func lookAtClock() { if options.isAlive, isPlanning, outage.error == nil { plan(after: 0) } }
}
