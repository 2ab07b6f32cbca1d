import Core
import Files
import Glibc
import HostLoop
package import JSON
import Permissions

/// Starts the program anew for each run.
package final class ScriptLauncher: RunLauncher {
  package struct Options: Sendable {
    /// The program's own file.
    package var program: String
    /// The options of the program in front of the script, such as `--settings`.
    package var arguments: [String]
    /// The current folder of scripts.
    package var folder: String
    /// The folder of the logs: a file for each run.
    package var logs: String
    package var environment: [String]

    package init(program: String, arguments: [String], folder: String, logs: String, environment: [String]) {
      self.program = program
      self.arguments = arguments
      self.folder = folder
      self.logs = logs
      self.environment = environment
    }
  }

  private let options: Options
  /// Gets what processes say, and how they end.
  package weak var host: JobHost?

  package init(_ options: Options) { self.options = options }

  package func launch(_ run: RunRecord, of job: JobRecord, context: JSON) throws -> any RunProcess {
    for flag in run.permissions where !ScriptHeader.isPermission(flag) {
      throw JobError("bad_permission", "'\(flag.displayable)' is no permission that a run can have")
    }
    let output = try log(of: run)
    let declared = job.declaration?["args"]?.array?.compactMap(\.string) ?? []
    let id = run.id
    let process = try ScriptProcess(
      options.program,
      options.arguments + ["--no-prompt"] + run.permissions + [job.path] + (run.arguments ?? declared),
      environment: options.environment + ["\(RunLink.variable)=run"], in: options.folder, output: output.descriptor,
      context: context, onMessage: { [weak self] in self?.host?.processSaid(id, $0) },
      onEnd: { [weak self] in self?.host?.processEnded(id, $0) })
    return process
  }

  package func adopt(_ process: ProcessIdentity, of run: Int64) -> (any RunProcess)? {
    ScriptProcess(adopting: process) { [weak self] in self?.host?.processEnded(run, $0) }
  }

  /// The log of a run; each try of it writes on.
  package nonisolated static func logPath(of run: Int64, in folder: String) -> String { "\(folder)/\(run).log" }

  private func log(of run: RunRecord) throws -> OpenFile {
    let path = Self.logPath(of: run.id, in: options.logs)
    do {
      return try OpenFile(path, Opening(O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, mode: 0o600))
    } catch {
      throw JobError("start_failed", "cannot write the log \(path): \(error.reason)")
    }
  }

  // MARK: Declarations

  /// Reads the declaration of a script in a process that ends there. The process may read the script's folder and nothing
  /// else. Throws `bad_job` if the script declares nothing.
  package func declaration(of path: String) async throws -> JSON {
    let end = CancellableWait<ProcessEnd>()
    var found: JSON?
    var problem: RunError?
    let output = try OpenFile("/dev/null", Opening(O_WRONLY))
    var process: ScriptProcess?
    process = try ScriptProcess(
      // A `--memory` of the server, which comes later, counts instead.
      options.program, ["--memory", Self.memoryOfDeclaration] + options.arguments + ["--no-prompt", path],
      environment: options.environment + ["\(RunLink.variable)=declare"], in: options.folder,
      output: output.descriptor, context: nil,
      onMessage: { message in
        switch message["op"]?.string {
        case "declare":
          found = message["value"]
          process?.reply(["ok": true])
        case "error": problem = RunError(message["error"])
        default: break
        }
      }, onEnd: { end.finish(.success($0)) })
    process?.go()
    let limit = HostLoop.shared.schedule(after: Self.longestDeclaration) { process?.stop(kill: true) }
    defer {
      HostLoop.shared.cancel(limit)
      process = nil
    }
    let result = try await end.value()
    if let found { return found }
    if let problem {
      let isTooLarge = problem.message.hasSuffix("not enough memory")
      throw JobError(
        "bad_job", "\(problem.place.map { "\($0): " } ?? "")\(problem.message)",
        hint: isTooLarge
          ? "a script may take \(Self.memoryOfDeclaration) up to b2c.job: call b2c.job first" : problem.hint)
    }
    switch result {
    case .signal(SIGKILL):
      throw JobError("bad_job", "\(path): b2c.job was not called within \(Int(Self.longestDeclaration)) s")
    default:
      throw JobError(
        "bad_job", "\(path): the script ended without a call of b2c.job",
        hint: "call b2c.job first; keep modules in a folder below")
    }
  }

  private static let longestDeclaration = 10.0
  private static let memoryOfDeclaration = "256M"
}
