import AgentCommand
import Automation
import CLinuxShims
import CommandLine
import Commands
import ConformCommand
import Core
import Databases
import Files
import Glibc
import HostLoop
import JobProcesses
import Jobs
import Lua
import LuaKit
import Terminal
import TestRunner

@main
struct Main {
  /// The command runs on the host's thread; this one waits for signals and for the time limit.
  static func main() {
    StandardDescriptors.occupy()
    meetLimits()
    forgetVariables()
    keepMemoryPrivate()
    var invocation: Invocation
    do {
      invocation = try Invocation(parsing: Self.arguments, commands, configuration)
      try invocation.holdByKernel()
    } catch {
      let failure = LuaError(error)
      say("b2c-run: \(failure.message)\n" + (failure.hint.map { "  hint: \($0)\n" } ?? ""))
      exit(ExitStatus.usage.rawValue)
    }
    let purpose = RunLink.purpose()
    if TestDesk.isWanted { invocation.options.isWatching = false }
    // The output of a script takes the place of the progress line.
    StandardOutput.open { Console.clearProgress() }
    let options = invocation.options
    let interrupts = Interrupts(timeout: invocation.processTimeout, memoryLimit: options.configuration.memoryLimit)
    let run = HostActor.task { [invocation] in
      let status = await ProgramRun(invocation, purpose) { interrupts.reason }.run()
      if interrupts.reason == .limit, let seconds = options.timeout {
        say("b2c-run: stopped after \(Int64(exactly: seconds).map(String.init) ?? "\(seconds)") s (--timeout)\n")
      }
      let end = interrupts.reason ?? finish(status)
      PostgresConnection.endAll()
      exit(end.rawValue)
    }
    interrupts.wait { run.cancel() }
  }

  /// The commands of the program. The others are scripts, in `scripts/`.
  static let commands = CommandList([
    InitCommand.self, MigrateCommand.self, TestCommand.self, DebugCommand.self, ReplayCommand.self, NewCommand.self,
    CheckCommand.self,
    ServeCommand.self, JobsCommand.self, SecretsCommand.self,
    StoreCommand.self, TraceCommand.self, ExperimentCommand.self, ConformCommand.self, PluginsCommand.self,
    TenantCommand.self, MCPCommand.self,
    StubsCommand.self, CompletionsCommand.self, ManCommand.self, HelpCommand.self,
  ])

  private static var configuration: ScriptConfiguration {
    var configuration = ScriptConfiguration(scriptsFolder: ProgramFolder.scripts)
    configuration.session.version = Version.text
    configuration.plugins = .usual()
    configuration.reservedCommands = { Set(commands.names) }
    configuration.options = { Set(RunOptions.flags.map(\.option.longName)) }
    return configuration
  }

  private static func meetLimits() {
    let text =
      "b2c-run: the limit of the address space (ulimit -v) is too small for this run, or the program has crashed\n"
    // Never freed: the text is for a crash.
    if let text = strdup(text) { cprocess_meet_limits(text) }
  }

  /// Variables that make libraries write down the keys of connections or parts of them, load code, or take weaker TLS: libcurl,
  /// OpenSSL, GnuTLS, libpq, GSSAPI and the C library read them. They may have been set for other programs. `--tls-keys` sets
  /// the first one again.
  private static func forgetVariables() {
    for name in [
      RunOptions.tlsKeysVariable, "GNUTLS_DEBUG_LEVEL", "GNUTLS_NO_EXPLICIT_INIT", "OPENSSL_ENGINES", "OPENSSL_MODULES",
      "OPENSSL_CONF", "OPENSSL_CONF_INCLUDE", "GNUTLS_SYSTEM_PRIORITY_FILE", "GSS_MECH_CONFIG", "GCONV_PATH",
      "CURL_SSL_BACKEND", "PGTRACE", "XML_CATALOG_FILES", "XML_DEBUG_CATALOG",
    ] { unsetenv(name) }
  }

  /// The words of the command line, whose bytes need not be UTF-8.
  private static var arguments: [String] {
    (1..<max(1, Int(CommandLine.argc))).compactMap { CommandLine.unsafeArgv[$0].map { String(path: $0) } }
  }

  /// Keeps tokens and keys out of core dumps and away from other processes of the same user: only root may trace the
  /// process. A debugger that has started the program has its memory already, and would see nothing any more.
  private static func keepMemoryPrivate() {
    guard !isTraced else { return }
    cprocess_forbid_dumps()
  }

  private static var isTraced: Bool {
    guard let text = try? FileSystem.contents(of: "/proc/self/status") else { return false }
    let tracer = text.split(separator: UInt8(ascii: "\n")).first { $0.starts(with: "TracerPid:".utf8) }
    return tracer?.last != UInt8(ascii: "0")
  }

  /// The status to end with: not `done` when results or messages got lost on their way out.
  private static func finish(_ status: ExitStatus) -> ExitStatus {
    let problems = [
      ("standard output", StandardOutput.flush()), ("standard error", StandardDescriptors.problem(of: STDERR_FILENO)),
    ]
    var end = status
    for (name, problem) in problems where problem != 0 {
      // Without a reader, and with a closed descriptor, nobody wants to see it.
      if name == "standard error", problem == EPIPE || problem == EBADF { continue }
      if problem != EPIPE { say("b2c-run: \(name) could not be written: \(String(cString: strerror(problem)))\n") }
      if end == .done { end = problem == EPIPE ? .outputClosed : .failed }
    }
    return end
  }

  private static func say(_ text: String) {
    try? OpenFile.write(Array(OutputText(text).text.displayableLines.utf8), to: STDERR_FILENO)
  }
}
