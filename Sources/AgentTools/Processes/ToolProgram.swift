import Core
import HostLoop

/// The program that tools run in. Each call is a separate process.
package struct ToolProgram: Sendable {
  /// The program's own file.
  package var path: String
  /// The options in front of the script or the command, such as `--settings`.
  package var arguments: [String]
  package var environment: [String]
  /// The folder of the stock scripts.
  package var scripts: String
  /// The name of the task service; nil for the task API.
  package var service: String?

  package init(path: String, arguments: [String], environment: [String], scripts: String, service: String?) {
    self.path = path
    self.arguments = arguments
    self.environment = environment
    self.scripts = scripts
    self.service = service
  }

  /// A script of the program for agents, such as `tasks`.
  func script(_ name: String) -> String { "\(scripts)/agent/\(name).lua" }

  /// A command of the program that is a script. By its path: a file in the folder may have the name of the command.
  func command(_ name: String) -> String { "\(scripts)/\(name).lua" }

  var serviceWords: [String] { service.map { ["--service=\($0)"] } ?? [] }
}

/// The limits of the calls of tools.
package struct ToolLimits: Sendable {
  /// The seconds of a call.
  package var seconds = 60.0
  /// The memory of a script, as `--memory` reads it.
  package var memory = "256M"
  /// The bytes of a result. A call that writes more ends.
  package var bytes = 256 << 10
  /// The calls in a minute.
  package var calls = 120
  /// The processes at once.
  package var processes = 4

  package init() {}
}

/// An error of a tool, which its agent reads.
struct ToolError: Failure {
  let code: String
  let message: String
  let hint: String?

  init(_ code: String, _ message: String, hint: String? = nil) {
    self.code = code
    self.message = message
    self.hint = hint
  }
}

/// Lets so many calls a minute begin, and so many processes run at once.
@HostActor
final class ToolGate {
  private let limits: ToolLimits
  private var begun: [Double] = []
  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(_ limits: ToolLimits) {
    self.limits = limits
    free = limits.processes
  }

  /// Throws for too many calls in the last minute.
  func count() throws {
    let now = HostLoop.uptime
    begun.removeAll { $0 < now - 60 }
    guard begun.count < limits.calls else {
      throw ToolError("too_many_calls", "more than \(limits.calls) calls in a minute", hint: "wait a minute")
    }
    begun.append(now)
  }

  func pass<R: Sendable>(_ body: @HostActor () async throws -> R) async rethrows -> R {
    if free > 0 { free -= 1 } else { await withCheckedContinuation { waiting.append($0) } }
    defer { if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() } }
    return try await body()
  }
}
