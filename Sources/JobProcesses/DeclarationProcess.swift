import Core
import Files
import Glibc
import HostLoop
import JSON
import Jobs

/// A process that reads the declarations of scripts, one after the other, each in a Lua state of its own which stays where
/// the script has declared its job. To start a process costs much more than to read a declaration.
@HostActor
final class DeclarationProcess {
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
  private var answer: CancellableWait<Answer>?
  /// The scripts that the process has begun to read.
  private var count = 0

  init(_ launcher: ScriptLauncher) { self.launcher = launcher }

  /// Throws `bad_job` if the script declares nothing.
  func declaration(of path: String) async throws -> JSON {
    // The kernel lets a process read what the first script is a link to.
    let name = path.split(separator: "/").last ?? ""
    let isLink = FileSystem.realPath(path) != FileSystem.realPath(path.parentFolder).map { "\($0)/\(name)" }
    if count >= Self.most || isLink { end() }
    defer { if isLink { end() } }
    let isFirst = process == nil
    var result = try await ask(path)
    // Another script may be the reason for the end of a process.
    if case .ended = result, !isFirst { result = try await ask(path) }
    switch result {
    case .told(.declared(let value)): return value
    case .told(.failed(let problem)):
      let isTooLarge = problem.message.hasSuffix("not enough memory")
      throw JobError(
        "bad_job", "\(problem.place.map { "\($0): " } ?? "")\(problem.message)",
        hint: isTooLarge
          ? "a script may take \(Self.memory) up to b2c.job: call b2c.job first" : problem.hint)
    case .ended(.signal(SIGKILL)):
      throw JobError("bad_job", "\(path): b2c.job was not called within \(Int(Self.longest)) s")
    case .told(.none), .ended:
      throw JobError(
        "bad_job", "\(path): the script ended without a call of b2c.job",
        hint: "call b2c.job first; keep modules in a folder below")
    }
  }

  /// Ends the process.
  func end() {
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
