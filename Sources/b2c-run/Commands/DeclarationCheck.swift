import CommandLine
import Commands
import Core
import Files
import HostLoop
import JSON
import JobProcesses
import Jobs
import Lua
import Permissions
import Schedule
import ScriptCheck

/// Reads the declarations of jobs for `check`, as `serve` does: in a process that may only read the folder of the script.
@HostActor
final class DeclarationCheck {
  /// The number of findings in declarations.
  static let code = "832"

  private let reader: DeclarationProcess
  private let json: JSONMarshal
  private let zone: Zone
  /// The jobs that take requests, by folder and path.
  private var hooks: [String: [String: String]] = [:]
  /// Facts that are no mistakes, with file and line: what a person has to allow, and due times that may surprise.
  private(set) var notes: [String] = []
  /// The first call of `b2c.job` in the script that is checked.
  private var call: ScriptChecker.Position?

  init(_ launcher: ScriptLauncher, _ state: LuaState, zone: Zone) {
    reader = DeclarationProcess(launcher)
    json = JSONMarshal(state)
    self.zone = zone
  }

  func end() { reader.end() }

  /// Forgets the calls of the script before.
  func begin() { call = nil }

  /// The mistake in the constant part of a declaration, which the check can show at its entry.
  func problem(_ declaration: LuaValue, at position: ScriptChecker.Position) -> ScriptChecker.JobProblem? {
    call = call ?? position
    guard declaration.table != nil else { return nil }
    do {
      _ = try JobDeclaration(try json.json(declaration, at: "b2c.job"), zone: zone)
      return nil
    } catch let error as JobError {
      return .init(key: error.key ?? "", message: error.message, hint: error.hint)
    } catch {
      let error = LuaError(error)
      return .init(key: "", message: error.message, hint: error.hint)
    }
  }

  /// The mistakes for which `serve` refuses the script as a job.
  /// - Parameter isJob: true if the script has to be a job. Otherwise it is one if it calls `b2c.job`.
  func findings(in file: String, _ source: [UInt8], isJob: Bool) async throws -> [ScriptChecker.Finding] {
    guard isJob || call != nil else { return [] }
    let place = call ?? .init(line: 1, column: 1)
    let path = JobsPlace.absolute(file)
    let header = ScriptHeader.flags(of: source)
    do {
      if let problem = JobNeeds.problem(header) { throw JobError("bad_job", problem) }
      let job = try JobDeclaration(try await reader.declaration(of: path), zone: zone)
      note(job, header, at: "\(file.displayable):\(place.line)")
      return conflicts(of: job, file).map { .init(place, $0, code: Self.code) }
    } catch let error as JobError where error.isUndeclared && !isJob {
      notes.append(
        "\(file.displayable):\(place.line): the script ended and had not called b2c.job, so its declaration is not checked; "
          + "a job calls it first, and with --jobs each script has to be a job")
      return []
    } catch let error as JobError {
      return [finding(error, at: place, in: file)]
    }
  }

  private func note(_ job: JobDeclaration, _ header: [String], at place: String) {
    notes += job.triggers.flatMap(\.warnings).map { "\(place): \($0)" }
    let base = ResolvedPath.currentFolder
    for need in JobNeeds.missing(in: header, for: job.filePatterns, job.notices, from: base) {
      notes.append(
        "\(place): the job needs \(need.flag.displayable) for \(need.reason.displayable); "
          + "b2c-run jobs allow shows it, and the first comment can give the reason: -- needs: \(need.flag.displayable)"
      )
    }
  }

  private func conflicts(of job: JobDeclaration, _ file: String) -> [String] {
    let name = String(file.lastName.dropLast(4))
    var conflicts: [String] = []
    for case .webhook(let hook) in job.triggers {
      let other = hooks[file.parentFolder, default: [:]].updateValue(name, forKey: hook.path)
      if let other { conflicts.append(WebhookPath.conflict(of: name, with: other, at: hook.path)) }
    }
    return conflicts
  }

  /// The finding is in the line that the error names, or at the call of `b2c.job`.
  private func finding(
    _ error: JobError, at call: ScriptChecker.Position, in file: String
  ) -> ScriptChecker.Finding {
    var (place, message) = (call, error.message)
    if let prefix = error.place {
      message = String(message.dropFirst(prefix.count + 2))
      let parts = prefix.split(separator: ":")
      if let line = Int(parts.last ?? ""), parts.dropLast().joined(separator: ":") == file.lastName {
        place = .init(line: line, column: line == call.line ? call.column : 1)
      }
    }
    return .init(place, error.hint.map { "\(message); \($0)" } ?? message, code: Self.code)
  }
}
