package import JSON

/// Commands of people and requests of programs, on any machine: the machine that plans does them, and the others pass them
/// on.
extension JobHost {
  /// Carries out a command of a person. While the jobs are being read, it waits. Throws `JobError` for one that cannot be carried out.
  package func answer(_ command: JSON) async throws -> JSON {
    // A senseless command does not wait, and is neither stored nor passed on. Programs send one to ask whether a host serves.
    _ = try JobCommand(command)
    if let relay, !isReady { return try await relay.answer(command) }
    return try await perform { try await $0.answer(command) }
  }

  /// Who knows the jobs while this machine does not. Throws `JobError.loading` if it is alone.
  private func otherwise() throws(JobError) -> JobRelay {
    guard let relay else { throw isStopping ? .ended : .loading }
    return relay
  }

  /// The paths at which jobs take requests, with the names of the jobs. A job whose script is broken for the moment takes
  /// those of its last correct declaration: their runs wait for the script.
  package func hooks() async throws -> [(job: String, hook: Trigger.Hook)] {
    guard isReady else { return try await otherwise().hooks() }
    let broken = model.former.filter { model.jobs[$0.key] != nil }
    return [model.jobs.compactMapValues(\.declaration), broken].flatMap { declarations in
      declarations.sorted { $0.key < $1.key }.flatMap { $1.hooks(of: $0) }
    }
  }

  /// True if a run waits for a request at this path.
  package func waits(for path: String) async throws -> Bool {
    guard isReady else { return try await otherwise().waits(for: path) }
    return model.runs.values.contains { $0.event["waits"]?["path"]?.string == path }
  }

  /// Takes a checked request for a job. `ids` are those by which a repetition is known.
  package func received(_ job: String, _ event: JSON, ids: [String]) async throws -> Turn.HookAnswer {
    if let relay, !isReady { return try await relay.received(job, event, ids: ids) }
    return try await perform { try await $0.received(job, event, ids: ids) }
  }

  /// Takes a request for runs that wait for this path. Returns false if none waits.
  package func receivedWait(_ path: String, _ request: JSON) async throws -> Bool {
    if let relay, !isReady { return try await relay.receivedWait(path, request) }
    return try await perform { try await $0.receivedWait(path, request) } != nil
  }
}

extension JobDeclaration {
  /// The paths at which the job takes requests.
  func hooks(of job: String) -> [(job: String, hook: Trigger.Hook)] {
    triggers.compactMap { trigger in
      guard case .webhook(var hook) = trigger else { return nil }
      hook.key = overlapKey
      return (job, hook)
    }
  }
}
