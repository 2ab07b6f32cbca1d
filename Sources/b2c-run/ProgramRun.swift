import Automation
import CommandLine
import Commands
import Core
import Glibc
import HostLoop
import JobProcesses
import LocalTenant
import Lua
import LuaBindings
import REPL
import Terminal

/// The run of the program for its command line.
@HostActor
struct ProgramRun {
  let invocation: Invocation
  /// The task that a job host gives to this process; nil for a process that a person started.
  let purpose: RunLink.Purpose?
  /// Tells why the process stops the script.
  let stopReason: @Sendable () -> ExitStatus?

  private var options: RunOptions { invocation.options }

  nonisolated init(
    _ invocation: Invocation, _ purpose: RunLink.Purpose?, stopReason: @escaping @Sendable () -> ExitStatus?
  ) {
    self.invocation = invocation
    self.purpose = purpose
    self.stopReason = stopReason
  }

  /// Every failure has been reported when this returns.
  func run() async -> ExitStatus {
    let console = Console(level: options.output.level, isQuiet: options.output.isQuiet, format: options.output.format)
    if options.hasPasswordInStore {
      console.log(
        .warn,
        "--store has a password, which other users of this machine see in the list of processes; "
          + "write it into the file of PGPASSFILE instead (by default ~/.pgpass)")
    }
    do {
      if options.isWatching { return try await watch(console) }
      guard let trace = options.trace else { return try await perform(options, console) }
      try check(trace.path)
      return try await options.traced(trace, of: title, console, stopReason) { try await perform($0, console) }
    } catch { return options.report(error, console) }
  }

  private func perform(_ options: RunOptions, _ console: Console) async throws -> ExitStatus {
    switch invocation.subject {
    case .version: StandardOutput.write("b2c-run \(Version.text) (Lua \(LuaState.version))\n")
    case .command(let command): return try await command.run(invocation.words, options, console)
    case .session: return try await runSession(options, console)
    case .chunk(let chunk):
      return try await options.withHost(console) { host in
        try await host.run(chunk.pathBytes, path: "(command line)", arguments: invocation.words, hasAPI: true)
      }
    case .script("-"):
      guard !options.isInputTaken else {
        throw UsageError(
          "standard input cannot be both the client secret and the script",
          hint: "give one of them as a file: --set \(SecretSource.key)=@FILE")
      }
      let source = try ScriptFile.readStandardInput()
      return try await options.withHost(console) { host in
        try await host.run(source, path: "(standard input)", arguments: invocation.words)
      }
    case .script(let name) where purpose == .declare: try await declareJobs(name, console)
    case .script(let name): return try await runScript(name, options, console)
    }
    return .done
  }

  /// Runs a file, a stock script, or the command of a plugin.
  private func runScript(_ name: String, _ options: RunOptions, _ console: Console) async throws -> ExitStatus {
    let words = invocation.words
    if let path = try ScriptFile.path(of: name) {
      let source = try ScriptFile.read(path)
      return try await options.withHost(console) { host in
        guard purpose == .run else {
          try await host.run(source, path: path, arguments: words)
          return
        }
        try await runAsJob(host, name: name) { try await host.run(source, path: path, arguments: words) }
      }
    }
    return try await options.withHost(console) { host in
      try await host.makeReady()
      switch host.registry.commands[name] {
      case .stock(let script)?:
        try await host.run(ScriptFile.read(script.path), path: script.path, arguments: words)
      case .plugin(let command)?: try await host.run(command, arguments: words)
      case nil: throw ScriptFile.notFound(name, among: host.registry.commands.names + Main.commands.names)
      }
    }
  }

  private func runSession(_ options: RunOptions, _ console: Console) async throws -> ExitStatus {
    try await options.withHost(console) { host in
      if !options.output.isQuiet { greet(host, console) }
      let session = REPL.Session(
        host, console: console, timeout: options.timeout, stopSignal: Interrupts.stopSignal)
      Interrupts.handOver { hasStopped in
        HostActor.task {
          await session.interrupt()
          hasStopped()
        }
      }
      defer { Interrupts.handOver(nil) }
      try await session.run()
    }
  }

  private func greet(_ host: ScriptHost, _ console: Console) {
    console.write("b2c-run \(Version.text), Lua \(LuaState.version). help() explains; Ctrl-D ends.")
    guard let url = host.session.tenant?.url else {
      console.write(
        "Commands of the shell: \(CommandList.daily.joined(separator: ", ")). b2c-run --help explains them.")
      return
    }
    let users = LocalTenant.seededUsers.map(\.username).joined(separator: " and ")
    console.write("Local tenant at \(url), with the users \(users):\ntenant.sign_in() signs the first one in.")
  }
}
