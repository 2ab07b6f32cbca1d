import Core
import Files
import Glibc
import HostLoop
package import JSON
import JobLogs
package import Jobs
import Permissions

/// Starts the program anew for each run.
package final class ScriptLauncher: RunLauncher {
  package struct Program: Sendable {
    /// The program's own file.
    package var path: String
    /// The options of the program in front of the script, such as `--settings`.
    package var arguments: [String]
    /// The current folder of scripts.
    package var folder: String
    /// The folder of the logs: a file for each run.
    package var logs: String
    package var environment: [String]

    package init(path: String, arguments: [String], folder: String, logs: String, environment: [String]) {
      self.path = path
      self.arguments = arguments
      self.folder = folder
      self.logs = logs
      self.environment = environment
    }
  }

  private let program: Program
  /// Gets what processes say, and how they end.
  package weak var host: JobHost?

  package init(_ program: Program) { self.program = program }

  package func launch(_ run: RunRecord, of job: JobRecord, context: JSON) throws -> any RunProcess {
    for flag in run.permissions where !ScriptHeader.isPermission(flag) {
      throw JobError("bad_permission", "'\(flag.displayable)' is not a permission of a run")
    }
    let output = try log(of: run)
    let declared = job.declaration?["args"]?.array?.compactMap(\.string) ?? []
    let id = run.id
    let process = try ScriptProcess(
      program.path,
      program.arguments + ["--no-prompt"] + run.permissions + [job.path] + (run.arguments ?? declared),
      environment: program.environment + ["\(RunLink.variable)=run"], in: program.folder, output: output.descriptor,
      context: context, onMessage: { [weak self] in self?.host?.processSaid(id, $0) },
      onEnd: { [weak self] in self?.host?.processEnded(id, $0) })
    return process
  }

  package func adopt(_ process: ProcessIdentity, of run: Int64) -> (any RunProcess)? {
    ScriptProcess(adopting: process) { [weak self] in self?.host?.processEnded(run, $0) }
  }

  private func log(of run: RunRecord) throws -> OpenFile {
    let path = LogFile.path(of: run.id, in: program.logs)
    do {
      return try OpenFile(path, Opening(O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, mode: 0o600))
    } catch {
      throw JobError("start_failed", "cannot write the log \(path): \(error.reason)")
    }
  }

  // MARK: Declarations

  /// Reads the declaration of a script in a process that ends there. Throws `bad_job` if the script declares nothing.
  package func declaration(of path: String) async throws -> JSON {
    let process = DeclarationProcess(self)
    defer { process.end() }
    return try await process.declaration(of: path)
  }

  /// Starts a process that reads the declaration of a script. It may read the script's folder and nothing else.
  func declare(
    _ path: String, onMessage: @escaping @HostActor (JSON) -> Void, onEnd: @escaping @HostActor (ProcessEnd) -> Void
  ) throws -> ScriptProcess {
    let output = try OpenFile("/dev/null", Opening(O_WRONLY))
    return try ScriptProcess(
      // A `--memory` of the server, which comes later, counts instead.
      program.path, ["--memory", DeclarationProcess.memory] + program.arguments + ["--no-prompt", path],
      environment: program.environment + ["\(RunLink.variable)=declare"], in: program.folder,
      output: output.descriptor, context: nil, onMessage: onMessage, onEnd: onEnd)
  }
}
