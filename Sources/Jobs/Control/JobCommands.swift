import Core
import HostLoop
import JSON

extension Turn {
  static let commands: Set = ["run", "pause", "resume", "allow", "cancel", "retry"]

  /// Carries out a command of a person: `op`, and `job` or `run`. Throws `JobError` for one that cannot be carried out.
  mutating func answer(_ command: JSON) async throws -> JSON {
    switch command["op"]?.string {
    case "run":
      let arguments = command["arguments"]?.array?.compactMap(\.string)
      return started(try await run(job(command), arguments: arguments))
    case "pause": try await pause(job(command))
    case "resume": try await resume(job(command))
    case "allow": try await allow(job(command), command["flags"]?.array?.compactMap(\.string) ?? [])
    case "cancel": try await cancel(run(command), "by hand")
    case "retry": return started(try await retry(run(command)))
    default: throw JobError.noCommand(command)
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

extension JobError {
  static func noCommand(_ command: JSON) -> JobError {
    JobError("no_command", "there is no command \(command["op"]?.string ?? "")")
  }
}
