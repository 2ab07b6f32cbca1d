import Automation
import CommandLine
import Core
import Debugger
import Files
import Glibc
import HostLoop
import Lua
import ScriptHost

/// A run under a debugger.
@HostActor
struct DebuggedRun {
  /// The port to wait on for the client; nil: it is on standard input and output.
  let port: UInt16?
  let run: RunOptions
  let console: Console

  /// Throws if standard input is a terminal, where no client is.
  nonisolated static func check(port: UInt16?, _ command: String) throws(UsageError) {
    guard port == nil, isatty(STDIN_FILENO) == 1 else { return }
    throw UsageError(
      "\(command): standard input is a terminal, expected a client of the Debug Adapter Protocol",
      hint: "start it from an editor, or give --listen PORT; on a terminal, b2c.debug() in the script halts it")
  }

  /// Runs `body` when the client has launched it. The text on standard output and standard error goes to the client.
  func whenLaunched(
    _ body: @escaping @HostActor @Sendable (RunOptions, DebugSession, DebugSession.Launch) async throws -> ExitStatus
  ) async throws -> ExitStatus {
    let streams = try await DebugStreams.open(port: port, console)
    defer { streams.restore() }
    let session = try DebugSession(DebugChannel(input: streams.input, output: streams.output))
    var run = run
    // Standard input and the terminal are the client's.
    run.asksForPermissions = false
    let end = End()
    let task = HostActor.task { [run, console] in
      let launch = try await session.begin { end() }
      let channel = session.channel
      try streams.redirect { channel.send(output: $0, $1) }
      var status = ExitStatus.failed
      do { status = try await body(run, session, launch) } catch { status = run.report(error, console) }
      console.finish(progress: "")
      streams.restore()
      session.finish(status: status.rawValue)
      return status
    }
    end.task = task
    return try await withTaskCancellationHandler(operation: { try await task.value }, onCancel: { task.cancel() })
  }

  /// Ends the script because the client wants it.
  @HostActor
  private final class End {
    var task: Task<ExitStatus, any Error>?

    func callAsFunction() {
      task?.cancel()
      // A script that computes does not wait for anything that is canceled.
      LuaState.ask(.stop, bySignal: Interrupts.stopSignal)
    }
  }
}

extension DebugSession {
  /// Watches a script from now on. `b2c.debug()` in it halts it.
  func attach(_ host: ScriptHost, script path: String) {
    attach(host.state, paths: [path.lastName: FileSystem.realPath(path) ?? path])
    host.watching.onDebug = { self.haltNext(in: $0.coroutine) }
  }
}
