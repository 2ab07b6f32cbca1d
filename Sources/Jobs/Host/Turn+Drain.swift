import JSON

/// Runs whose processes are on a machine that ends. It passes on what they say.
extension Turn {
  /// Takes over a run of a machine that drains. Returns false if no machine has its process.
  mutating func adopt(_ run: RunRecord, _ owner: String?) -> Bool {
    guard let owner else { return false }
    model.processes[run.id] = JobModel.ProcessNotes(began: now.awake, limit: nil, owner: owner)
    log(.info, "\(run.job) run \(run.id) continues on the machine \(run.machine ?? ""), which ends")
    return true
  }

  /// Takes what a process said on a machine that drains. What is late is nothing: its run was given up.
  mutating func takeProcess(_ content: JSON) async throws -> JSON {
    guard let id = content["run"]?.lenientInteger, let owner = content["owner"]?.string,
      model.processes[id]?.owner == owner
    else { return .null }
    if let notes = content["notes"] {
      model.processes[id] = JobModel.ProcessNotes(notes, owner, now: now)
    } else if let end = ProcessEnd(content["end"]) {
      if let text = content["log"]?.string {
        try await keepLog(of: id, text, isCut: content["cut"] == true)
      }
      if content["shutdown"] == true { model.processes[id]?.stop = .shutdown }
      try await processEnded(id, end)
    } else if let message = content["message"], let answer = try await processSaid(id, message) {
      return answer
    }
    return .null
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
