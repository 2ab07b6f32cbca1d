import Automation
import CommandLine
import Commands
import Core
import Debugger
import Files
import HostLoop
import JobProcesses
import LuaJobs
import LuaKit
import ScriptHost

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
    Flag("--job NAME", "debug a run of the job NAME of the folder jobs, in place of SCRIPT", \.job),
    Flag("--event FILE", "with --job: start it with the event in a JSON file", \.event),
    listen { $0.port = $1 },
  ]

  /// The option of a port for the client.
  static func listen<Owner>(_ set: @escaping @Sendable (inout Owner, UInt16) -> Void) -> Flag<Owner> {
    Flag("--listen PORT", "wait for the client on 127.0.0.1:PORT, not on standard input and output; 0 for any port") {
      guard let port = UInt16($1 ?? "") else {
        throw UsageError("--listen: expected a port from 0 to 65535, got '\($1 ?? "")'")
      }
      set(&$0, port)
    }
  }

  private var port: UInt16?
  private var job: String?
  private var event: String?

  func run(_ words: [String], _ run: RunOptions, _ console: Console) async throws -> ExitStatus {
    try DebuggedRun.check(port: port, "debug")
    guard event == nil || job != nil else {
      throw UsageError("debug: --event has no effect without --job", hint: "--job NAME names the job")
    }
    // Wrong names on the command line are told before the program waits for a client.
    let event = try event.map(EventFile.read)
    let given = try job.map(Self.script) ?? words.first.map(Self.path)
    let arguments = job == nil ? Array(words.dropFirst()) : words
    return try await DebuggedRun(port: port, run: run, console: console).whenLaunched { run, session, launch in
      guard let path = try given ?? launch.program.map(Self.path) else {
        throw UsageError("debug: no script", hint: "name it behind debug, or as 'program' in the launch configuration")
      }
      let source = try ScriptFile.read(path)
      return try await run.withHost(console) { host in
        session.attach(host, script: path)
        // A run of the job, whose steps and state nobody keeps.
        if let job { host.begin(JobSession(nil, script: job, event: event), job: job) }
        try await host.run(source, path: path, arguments: words.isEmpty ? launch.arguments : arguments)
      }
    }
  }

  private static func path(of program: String) throws(UsageError) -> String {
    guard let path = try ScriptFile.path(of: program) else { throw ScriptFile.notFound(program) }
    return path
  }

  /// The path of a job's script.
  private static func script(of job: String) throws(UsageError) -> String {
    let path = "jobs/\(job).lua"
    guard !FileSystem.isFolder(path), FileSystem.exists(path) else {
      throw UsageError(
        "debug: there is no job \(job) in the folder jobs",
        hint: didYouMean(job, among: (try? JobFolder.names(in: "jobs")) ?? [])
          ?? "b2c-run jobs lists the jobs; b2c-run debug FILE debugs a script elsewhere")
    }
    return path
  }
}
