import Core
import JSON
import JobConditions
import JobLogs

/// The messages of processes, and those of other machines.
extension Turn {
  /// The most bytes of `run.state`, as JSON.
  package static var mostState: Int { 1 << 20 }

  /// A process tells what its script does. Returns the reply, which it gets when that is on the disk; nil for none.
  mutating func processSaid(_ id: Int64, _ message: RunMessage) async throws -> RunReply? {
    guard var run = model.runs[id], model.processes[id] != nil else { return nil }
    switch message {
    case .state(let value):
      guard var job = model.jobs[run.job]?.record else { return nil }
      job.memory = value
      try await save(job)
    case .step(let name, let number, let result):
      try StoredName.check(name, "the name of a step")
      try await store.add(JobStore.Step(name: name, number: number, result: result, ended: now.wall), to: id)
    case .code(let code): try await store.keep(code, run.permissions, of: id)
    case .sleep(let until):
      run.wake = StoredTime.time(until)
      try await save(run)
    case .wait(let wait, let step, let number, let until):
      if let problem = wait.problem { throw JobError("bad_name", "run.wait_for: \(problem)") }
      if case .request(let path) = wait { try checkWait(at: path, of: run.job) }
      run.setWait(wait.members.merging(["step": .string(step), "number": .integer(Int64(number))]) { $1 })
      run.wake = until.map(StoredTime.time)
      try await save(run)
    case .attach(let path, let title, let digest, _):
      try StoredName.check(path, "the path of an attached file")
      try StoredName.check(title, "the title of an attached file")
      try await store.attach(
        JobStore.Attachment(title: title, path: path, machine: run.machine, digest: digest), to: id)
    case .progress(let value):
      run.progress = value
      model.runs[id] = run
      let record = run
      effects.append { $0.tell(.run(record)) }
    case .error(let error): model.processes[id]?.error = error
    case .account(let change, let event): try await accountChanged(change, event, by: run.job)
    }
    return message.isAnswered ? .stored : nil
  }

  /// Throws `path_taken` if requests to a path are for another job. Runs of one job get them in turn.
  private func checkWait(at path: String, of job: String) throws(JobError) {
    func taken(_ other: String, _ how: String) -> JobError {
      JobError(
        "path_taken", "run.wait_for: the job \(other) \(how) requests at \(path.displayable)",
        hint: "wait at a path of your own, with something in it that nobody can guess")
    }
    for (name, other) in model.jobs.sorted(by: { $0.key < $1.key }) {
      if other.declaration?.hooks(of: name).contains(where: { $0.hook.path == path }) == true {
        throw taken(name, "takes")
      }
    }
    if let other = model.runs.values.first(where: { $0.job != job && $0.event["waits"]?["path"]?.string == path }) {
      throw taken(other.job, "waits for")
    }
  }

  // MARK: Other machines

  /// The messages that one turn takes.
  private static let mostMessages = 500

  /// Does what other machines have received for this one. Returns false if there is more.
  mutating func takeInbox() async throws -> Bool {
    let messages = try await store.messages(limit: Self.mostMessages)
    for message in messages {
      guard message.isSealed else {
        try await store.removeMessage(message.id)
        store.refuse(message)
        continue
      }
      receivedAt = message.received
      defer { receivedAt = nil }
      var answer = JSON.null
      if let error = try await alone({ answer = try await $0.take(InboxMessage(message)) }) {
        answer = try await failed(message, error)
      }
      try await store.answer(message, answer)
    }
    return messages.count < Self.mostMessages
  }

  /// Returns the answer to a message; null for none.
  private mutating func take(_ message: InboxMessage) async throws -> JSON {
    switch message {
    case .hook(let job, let event): _ = try await received(job, event, ids: [], isTaken: true)
    case .wait(let path, let request): _ = try await receivedWait(path, request)
    case .command(let command): return try await answer(command).json
    case .process(let news): return try await take(news)?.json ?? .null
    case .stop: break
    }
    return .null
  }

  /// A message could not be done. Returns the answer to it; null for none.
  private mutating func failed(_ message: JobStore.Message, _ error: any Error) async throws -> JSON {
    switch message.kind {
    case .hook, .wait:
      log(.error, "a request that \(message.machine.displayable) received is lost: \(error)")
      return .null
    case .process where message.content["end"] != nil:
      if let run = message.content["run"]?.lenientInteger { try await giveUp(run, error) }
    case .process, .command, .stop: break
    }
    return CommandReply.json(error)
  }

  // MARK: Machines that drain

  /// Takes over a run of a machine that drains. Returns false if no machine has its process.
  mutating func adopt(_ run: RunRecord, _ owner: String?) -> Bool {
    guard let owner else { return false }
    model.processes[run.id] = JobModel.ProcessNotes(began: now.awake, limit: nil, owner: owner)
    log(.info, "\(run.job) run \(run.id) continues on the machine \(run.machine ?? ""), which ends")
    return true
  }

  /// Takes news of a process on a machine that drains. What is late is nothing: its run was given up.
  private mutating func take(_ news: ProcessNews) async throws -> RunReply? {
    guard model.processes[news.run]?.owner == news.owner else { return nil }
    switch news.content {
    case .notes(let notes):
      model.processes[news.run] = JobModel.ProcessNotes(notes, news.owner, now: now)
      // A machine of version 1.0 has the end of a sleep or wait in its notes alone.
      if let until = notes["until"]?.lenientInteger, var run = model.runs[news.run] {
        run.wake = until
        try await save(run)
      }
    case .ended(let end, let log, let isShutdown):
      if let log { try await keepLog(of: news.run, log.text, isCut: log.isCut) }
      if isShutdown { model.processes[news.run]?.stop = .shutdown }
      try await processEnded(news.run, end)
    case .said(let message): return try await processSaid(news.run, message)
    }
    return nil
  }

  /// Gives up the runs of machines that drained, and are not among those any more.
  /// - Parameter draining: the owners of runs, before the inbox was taken.
  mutating func endLost(_ draining: [String: String]) async throws {
    for (id, notes) in model.processes.sorted(by: { $0.key < $1.key }) {
      guard let owner = notes.owner, !draining.values.contains(owner) else { continue }
      try await keepNoLog(of: id)
      try await processEnded(id, .unknown)
    }
  }

  // MARK: Logs

  /// Stores the end of the log of a run whose process has ended on this machine.
  mutating func keepLog(of id: Int64) async throws {
    guard options.machine != nil, let tail = options.logs.flatMap({ LogTail(of: id, in: $0) }) else { return }
    try await keepLog(of: id, tail.text, isCut: tail.isCut)
  }

  private func keepLog(of id: Int64, _ text: String?, isCut: Bool) async throws {
    guard let run = model.runs[id], let machine = run.machine else { return }
    try await store.save(
      JobStore.LogPart(machine: machine, attempt: run.attempt, text: text, isCut: isCut), of: id)
  }

  /// Notes that a machine has died with the log of a run.
  func keepNoLog(of id: Int64) async throws { try await keepLog(of: id, nil, isCut: false) }
}
