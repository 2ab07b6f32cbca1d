package import HostLoop
package import JSON
import JobConditions

/// Takes the commands of people and the requests of programs. `JobHost.desk` is the one that knows the jobs now: `PlanningDesk`
/// on the machine that plans, and `JobRelay` on the others.
@HostActor
package protocol JobDesk {
  /// Carries out a command of a person. While the jobs are being read, it waits. Throws `JobError` for one that cannot be
  /// carried out.
  func answer(_ command: JobCommand) async throws -> CommandReply
  /// The paths at which jobs take requests, with the names of the jobs. Throws `JobError.loading` while nobody knows them.
  func hooks() async throws -> [(job: String, hook: Trigger.Hook)]
  /// True if a run waits for a request at this path. Throws `JobError.loading` while nobody knows the jobs.
  func waits(for path: String) async throws -> Bool
  /// Takes a checked request for a job. `ids` are those by which a repetition is known.
  func received(_ job: String, _ event: JSON, ids: [String]) async throws -> HookAnswer
  /// Takes a request for runs that wait for this path. Returns false if none waits.
  func receivedWait(_ path: String, _ request: JSON) async throws -> Bool
}

/// The answer to a received request.
package enum HookAnswer: Sendable {
  case accepted(Int64?)
  case repeated, full
}

/// The desk of the machine that plans: each change is a part of its next turn.
struct PlanningDesk: JobDesk {
  let host: JobHost

  func answer(_ command: JobCommand) async throws -> CommandReply {
    try await host.perform { try await $0.answer(command) }
  }

  /// A job whose script is broken for the moment takes requests at the paths of its last correct declaration: their runs
  /// wait for the script.
  func hooks() throws -> [(job: String, hook: Trigger.Hook)] {
    let model = try model()
    let broken = model.former.filter { model.jobs[$0.key] != nil }
    return [model.jobs.compactMapValues(\.declaration), broken].flatMap { declarations in
      declarations.sorted { $0.key < $1.key }.flatMap { $1.hooks(of: $0) }
    }
  }

  func waits(for path: String) throws -> Bool {
    try model().runs.values.contains { $0.event["waits"]?["path"]?.string == path }
  }

  func received(_ job: String, _ event: JSON, ids: [String]) async throws -> HookAnswer {
    try await host.perform { try await $0.received(job, event, ids: ids) }
  }

  func receivedWait(_ path: String, _ request: JSON) async throws -> Bool {
    try await host.perform { try await $0.receivedWait(path, request) } != nil
  }

  private func model() throws(JobError) -> JobModel {
    guard host.isReady else { throw host.ending.isStopping ? .ended : .loading }
    return host.model
  }
}

extension JobHost {
  /// The desk that knows the jobs now.
  package var desk: any JobDesk {
    if !isReady, let relay { return relay }
    return PlanningDesk(host: self)
  }
}

extension JobDeclaration {
  /// The paths at which the job takes requests.
  package func hooks(of job: String) -> [(job: String, hook: Trigger.Hook)] {
    triggers.compactMap { trigger in
      guard case .webhook(var hook) = trigger else { return nil }
      hook.key = overlapKey
      return (job, hook)
    }
  }
}
