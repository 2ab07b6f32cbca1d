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
      try await store.add(
        JobStore.Step(name: name, number: Int(number), result: message["result"] ?? .null, ended: now.wall), to: id)
    case "sleep":
      guard let until = message["until"]?.lenientInteger else { return nil }
      model.processes[id]?.pause = .sleep(until: until)
    case "wait":
      guard let path = message["path"]?.string else { return nil }
      var event = run.event.object ?? [:]
      event["waits"] = .object([
        "path": .string(path), "step": message["name"] ?? .null, "number": message["number"] ?? .null,
      ])
      run.event = .object(event)
      model.processes[id]?.pause = .request(path: path, until: message["until"]?.lenientInteger)
      try await save(run)
    case "attach":
      guard let path = message["path"]?.string else { return nil }
      try await store.attach(path, message["title"]?.string ?? path, to: id)
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
    return message["quiet"] == true ? nil : ["ok": true]
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
