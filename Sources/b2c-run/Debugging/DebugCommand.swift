import Automation
import CommandLine
import Core
import Debugger
import Files
import Glibc
import HostLoop
import Lua
import LuaKit
import ScriptHost
import Terminal

/// `b2c-run debug`
struct DebugCommand: Command {
  static let form = CommandForm(
    "debug", "run a script under a debugger, which speaks the Debug Adapter Protocol on standard input and output",
    positions: [
      .init("[SCRIPT]", "the script; the client's request launch names it if it is not given"),
      .init("[ARGUMENT...]", "its arguments"),
    ],
    fileEnding: ".lua", isTraceable: true, runsScript: true)

  static let flags: [Flag<Self>] = [
    Flag("--listen PORT", "wait for the client on 127.0.0.1:PORT, not on standard input and output; 0 for any port") {
      guard let port = UInt16($1 ?? "") else {
        throw UsageError("--listen: expected a port from 0 to 65535, got '\($1 ?? "")'")
      }
      $0.port = port
    }
  ]

  private var port: UInt16?

  func run(_ words: [String], _ run: RunOptions, _ console: Console) async throws -> ExitStatus {
    if port == nil, isatty(STDIN_FILENO) == 1 {
      throw UsageError(
        "debug: standard input is a terminal, expected a client of the Debug Adapter Protocol",
        hint: "start it from an editor, or give --listen PORT; on a terminal, b2c.debug() in the script halts it")
    }
    let streams = try await DebugStreams.open(port: port, console)
    defer { streams.restore() }
    let session = try DebugSession(DebugChannel(input: streams.input, output: streams.output))
    var run = run
    // Standard input and the terminal are the client's.
    run.asksForPermissions = false
    let end = End()
    let task = HostActor.task { [run] in try await debug(words, run, console, session, streams, end) }
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

  @HostActor
  private func debug(
    _ words: [String], _ run: RunOptions, _ console: Console, _ session: DebugSession, _ streams: DebugStreams,
    _ end: End
  ) async throws -> ExitStatus {
    let launch = try await session.begin { end() }
    guard let program = words.first ?? launch.program else {
      throw UsageError("debug: no script", hint: "name it behind debug, or as 'program' in the launch configuration")
    }
    let arguments = words.isEmpty ? launch.arguments : Array(words.dropFirst())
    let channel = session.channel
    try streams.redirect { channel.send(output: $0, $1) }
    var status = ExitStatus.failed
    do {
      guard let path = try ScriptFile.path(of: program) else { throw ScriptFile.notFound(program) }
      let source = try ScriptFile.read(path)
      status = try await run.withHost(console) { host in
        session.attach(host.state, paths: [path.lastName: FileSystem.realPath(path) ?? path])
        host.watching.onDebug = { session.haltNext(in: $0.coroutine) }
        try await host.run(source, path: path, arguments: arguments)
      }
    } catch { status = run.report(error, console) }
    console.finish(progress: "")
    streams.restore()
    session.finish(status: status.rawValue)
    return status
  }
}
