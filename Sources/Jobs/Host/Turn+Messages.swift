import Core
import JSON

extension Turn {
  /// The most bytes of `run.state`, as JSON.
  package static var mostState: Int { 1 << 20 }

  /// A process tells what its script does. Returns the answer, which it gets when that is on the disk; nil for none.
  mutating func processSaid(_ id: Int64, _ message: JSON) async throws -> JSON? {
    guard var run = model.runs[id], model.processes[id] != nil else { return nil }
    switch message["op"]?.string {
    case "state":
      guard var job = model.jobs[run.job]?.record, let value = message["value"] else { return nil }
      job.memory = value
      try await save(job)
    case "step":
      guard let name = message["name"]?.string, let number = message["number"]?.lenientInteger else { return nil }
      try StoredName.check(name, "the name of a step")
      try await store.add(
        JobStore.Step(name: name, number: Int(number), result: message["result"] ?? .null, ended: now.wall), to: id)
    case "sleep":
      guard let until = message["until"]?.lenientInteger else { return nil }
      model.processes[id]?.pause = .sleep(until: StoredTime.time(until))
    case "wait":
      guard let path = message["path"]?.string else { return nil }
      if let problem = WebhookPath.problem(path) { throw JobError("bad_name", "run.wait_for: \(problem)") }
      try checkWait(at: path, of: run.job)
      var event = run.event.object ?? [:]
      event["waits"] = .object([
        "path": .string(path), "step": message["name"] ?? .null, "number": message["number"] ?? .null,
      ])
      run.event = .object(event)
      model.processes[id]?.pause = .request(path: path, until: message["until"]?.lenientInteger.map(StoredTime.time))
      try await save(run)
    case "attach":
      guard let path = message["path"]?.string, let digest = message["digest"]?.string else { return nil }
      let title = message["title"]?.string ?? path
      try StoredName.check(path, "the path of an attached file")
      try StoredName.check(title, "the title of an attached file")
      try await store.attach(
        JobStore.Attachment(title: title, path: path, machine: run.machine, digest: digest), to: id)
    case "progress":
      run.progress = message["value"]
      model.runs[id] = run
      let record = run
      effects.append { $0.tell(record) }
      return nil
    case "error":
      model.processes[id]?.error = RunError(message["error"])
      return nil
    case "account":
      try await accountChanged(message["change"]?.string ?? "", message["event"] ?? .object([:]), by: run.job)
      return nil
    default: return nil
    }
    return Self.isAnswered(message) ? ["ok": true] : nil
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

  /// True if the process waits for an answer to its message.
  static func isAnswered(_ message: JSON) -> Bool {
    message["quiet"] != true && ["state", "step", "sleep", "wait", "attach"].contains(message["op"]?.string ?? "")
  }

  /// An account changed, or its renewal failed, in a run of another job.
  private mutating func accountChanged(_ change: String, _ event: JSON, by other: String) async throws {
    for name in model.jobs.keys.sorted() where name != other {
      for case .account(let wanted) in model.jobs[name]?.declaration?.triggers ?? [] where wanted.rawValue == change {
        try await comes(name, "account", event)
      }
    }
  }
}
