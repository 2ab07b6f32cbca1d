import CLinuxShims
import Core
import Glibc
package import HostLoop
import JSON
import JobProcesses
import Jobs
import Lua

/// The side of a `WorkerBench` that runs the tests: the process that it has started.
@HostActor
package final class TestDesk {
  nonisolated static let variable = "B2C_RUN_TEST"
  private nonisolated static let channel: Int32 = 3

  private let bench: LocalBench
  private var pipe: MessagePipe?
  private let ended = CancellableWait<Void>()

  /// True if another process of the program has started this one to run its tests. That one decides about Ctrl-C, and
  /// its end is the end of this one. Read first before a second thread starts.
  package nonisolated static let isWanted: Bool = {
    guard getenv(variable) != nil else { return false }
    unsetenv(variable)
    signal(SIGINT, SIG_IGN)
    cprocess_end_with_parent(SIGTERM)
    _ = fcntl(channel, F_SETFD, FD_CLOEXEC)
    return true
  }()

  package init(_ bench: LocalBench) { self.bench = bench }

  /// Answers requests, one after the other, until the other process has ended.
  package func serve() async throws {
    pipe = MessagePipe(
      Self.channel, onMessage: { [unowned self] in answer($0) },
      onEnd: { [unowned self] in ended.finish(.success(())) })
    try await ended.value()
  }

  private func answer(_ request: JSON) {
    HostActor.task { [self] in
      do { pipe?.send(try await result(of: request)) } catch let error where !(error is CancellationError) {
        pipe?.send(["error": LuaError(error).json])
      }
    }
  }

  private func result(of request: JSON) async throws -> JSON {
    switch try WorkerRequest(request) {
    case .load(let file):
      let loaded = try await bench.load(file)
      return ["cases": .array(loaded.cases.map(\.json)), "outcome": loaded.failure?.json ?? .null]
    case .run(let test): return ["outcome": try await bench.run(test).json]
    }
  }
}
