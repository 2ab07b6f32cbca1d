import Core
package import HostLoop
package import JSON

/// The commands that a job host takes, as JSON: `op`, and `job` or `run`.
@HostActor
package struct JobCommands {
  private let host: JobHost

  package init(_ host: JobHost) { self.host = host }

  /// Throws `JobError` for a command that cannot be carried out.
  package func answer(_ command: JSON) async throws -> JSON {
    let arguments = command["arguments"]?.array?.compactMap(\.string)
    switch command["op"]?.string {
    case "run":
      let job = try job(command)
      return started(try await host.perform { try $0.run(job, arguments: arguments) })
    case "pause":
      let job = try job(command)
      try await host.perform { try $0.pause(job) }
    case "resume":
      let job = try job(command)
      try await host.perform { try $0.resume(job) }
    case "allow":
      let job = try job(command)
      let flags = command["flags"]?.array?.compactMap(\.string) ?? []
      try await host.perform { try $0.allow(job, flags) }
    case "cancel":
      let run = try run(command)
      try await host.perform { try $0.cancel(run, "by hand") }
    case "retry":
      let run = try run(command)
      return started(try await host.perform { try $0.retry(run) })
    case let other: throw JobError("no_command", "there is no command \(other ?? "")")
    }
    return ["ok": true]
  }

  private func job(_ command: JSON) throws(JobError) -> String {
    guard let name = command["job"]?.string else { throw JobError("no_job", "expected the name of a job") }
    return name
  }

  private func run(_ command: JSON) throws(JobError) -> Int64 {
    guard let id = command["run"]?.lenientInteger else { throw JobError("no_run", "expected the number of a run") }
    return id
  }

  private func started(_ run: Int64) -> JSON { .object(["ok": true, "run": .integer(run)]) }
}
