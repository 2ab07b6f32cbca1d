import Automation
import CommandLine
import Commands
import Core
import Files
import Glibc
import HostLoop
import JobProcesses
import LocalTenant
import Lua
import LuaKit
import Permissions
import REPL
import ScriptHost
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
  /// The arguments of the script or the command.
  var words: [String] { invocation.words }

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
      if purpose == .tool, let sources = try RunLink.sealedSources() { SealedSources.current.withLock { $0 = sources } }
      if options.isWatching { return try await watch(console) }
      if let profile = options.record.profile {
        try check("--profile", profile)
        if let trace = options.trace?.path, trace == profile || ResolvedPath.areOneFile(trace, profile) {
          throw UsageError("--profile and --trace name one file, \(profile)", hint: "name another file for one of them")
        }
      }
      try ReplayedRun.check(options)
      if let trace = options.trace { return try await record(in: trace, console) }
      switch invocation.subject {
      case .version: StandardOutput.write("b2c-run \(Version.text) (Lua \(LuaState.version))\n")
      case .command(let command): return try await command.run(words, options, console)
      case .session: return try await runSession(console)
      case .script(let name) where purpose == .declare: try await declareJobs(name, console)
      case .script(let name) where purpose == .options: try await declareOptions(name, console)
      case .script("-"):
        let source = try standardInput()
        return try await options.withHost(console) { host in
          try await host.run(source, path: "(standard input)", arguments: words)
        }
      case .chunk(let chunk):
        return try await options.withHost(console) { host in
          try await host.run(chunk.pathBytes, path: "(command line)", arguments: words, hasAPI: true)
        }
      case .script(let name):
        let file = try ScriptFile.path(of: name).map { (path: $0, source: try ScriptFile.read($0)) }
        return try await options.withHost(console) { host in
          if let file { return try await runFile(file.path, file.source, on: host) }
          try await host.makeReady()
          switch host.registry.commands[name] {
          case .stock(let script)?:
            try await host.run(ScriptFile.read(script.path), path: script.path, arguments: words)
          case .plugin(let command)?: try await host.run(command, arguments: words)
          case nil: throw ScriptFile.notFound(name, among: host.registry.commands.names + Main.commands.names)
          }
        }
      }
      return .done
    } catch { return options.report(error, console) }
  }

  private func standardInput() throws -> [UInt8] {
    guard !options.isInputTaken else {
      throw UsageError(
        "standard input cannot be both the client secret and the script",
        hint: "give one of them as a file: --set \(SecretSource.key)=@FILE")
    }
    return try ScriptFile.readStandardInput()
  }

  private func runSession(_ console: Console) async throws -> ExitStatus {
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
