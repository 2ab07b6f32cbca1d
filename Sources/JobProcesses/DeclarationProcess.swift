import Core
import Files
import Glibc
package import HostLoop
package import JSON
package import Jobs

/// A process that reads the declarations of scripts, one after the other, each in a Lua state of its own which stays where
/// the script has declared its job. To start a process costs much more than to read a declaration.
@HostActor
package final class DeclarationProcess {
  /// The seconds that a script may take.
  private static let longest = 10.0
  /// The memory that a script may take up to its declaration, as `--memory` reads it.
  static let memory = "256M"
  /// The scripts that one process reads: their states stay in its memory.
  private static let most = 100

  private enum Answer {
    case told(DeclarationMessage)
    case ended(ProcessEnd)
  }

  private let launcher: ScriptLauncher
  private var process: ScriptProcess?
  /// The folder that the process may read.
  private var folder: String?
  private var answer: CancellableWait<Answer>?
  /// The scripts that the process has begun to read.
  private var count = 0

  package init(_ launcher: ScriptLauncher) { self.launcher = launcher }

  /// The table that the script gives to `b2c.job`. Throws `bad_job` if the script declares nothing.
  package func declaration(of path: String) async throws -> JSON {
    // The kernel lets a process read the folder of the first script, and what that script is a link to.
    let folder = FileSystem.realPath(path.parentFolder)
    let isLink = FileSystem.realPath(path) != folder.map { "\($0)/\(path.lastName)" }
    if count >= Self.most || isLink || folder != self.folder { end() }
    defer { if isLink { end() } }
    self.folder = folder
    let isFirst = process == nil
    var result = try await ask(path)
    // Another script may be the reason for the end of a process.
    if case .ended = result, !isFirst { result = try await ask(path) }
    switch result {
    case .told(.declared(let value)): return value
    case .told(.failed(let problem)):
      let isTooLarge = problem.message.hasSuffix("not enough memory")
      throw JobError.declaration(
        at: problem.place, problem.message,
        hint: isTooLarge
          ? "a script may take \(Self.memory) up to b2c.job: call b2c.job first" : problem.hint)
    case .ended(.signal(SIGKILL)):
      throw JobError.declaration(at: path, "b2c.job was not called within \(Int(Self.longest)) s")
    case .told(.none), .ended: throw JobError.undeclared(path)
    }
  }

  /// Ends the process.
  package func end() {
    process?.stop(kill: true)
    process = nil
  }

  private func ask(_ path: String) async throws -> Answer {
    let answer = CancellableWait<Answer>()
    self.answer = answer
    if let process {
      process.reply(.script(path))
    } else {
      try start(path)
    }
    count += 1
    let started = process
    let limit = HostLoop.shared.schedule(after: Self.longest) { started?.stop(kill: true) }
    defer { HostLoop.shared.cancel(limit) }
    return try await answer.value()
  }

  private func start(_ path: String) throws {
    count = 0
    // The end of an earlier process says nothing about this one.
    var own: ScriptProcess?
    let started = try launcher.declare(
      path,
      onMessage: { [weak self] message in
        guard let self, process === own else { return }
        answer?.finish(Result { .told(try DeclarationMessage(message)) })
      },
      onEnd: { [weak self] end in
        defer { own = nil }
        guard let self, process === own else { return }
        process = nil
        answer?.finish(.success(.ended(end)))
      })
    own = started
    process = started
    started.go()
  }
}

extension JobError {
  private static let undeclared = "undeclared"

  /// True if a script ended and has declared nothing.
  package var isUndeclared: Bool { code == Self.undeclared }

  /// A script that declares no job.
  /// - Parameter place: the script, with the line if it is known.
  fileprivate static func declaration(at place: String?, _ problem: String, hint: String? = nil) -> JobError {
    problemOf(place, problem, hint, code: "bad_job")
  }

  /// A script that ended and has declared nothing.
  fileprivate static func undeclared(_ path: String) -> JobError {
    problemOf(
      path, "the script ended without a call of b2c.job", "call b2c.job first; keep modules in a folder below",
      code: undeclared)
  }

  private static func problemOf(_ place: String?, _ problem: String, _ hint: String?, code: String) -> JobError {
    var error = JobError(code, "\(place.map { "\($0): " } ?? "")\(problem)", hint: hint)
    error.place = place
    return error
  }
}
