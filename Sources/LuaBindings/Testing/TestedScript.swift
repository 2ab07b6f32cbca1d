import Accounts
import Automation
import HostLoop
import Lua

/// A script that a test runs as the command line would: with arguments, in a Lua state of its own.
///
/// It has the tenant, the settings and the accounts of the test, and none of the test's variables.
@HostActor
struct TestedScript {
  /// What a script may print, in bytes.
  private static let outputLimit = 1 << 20

  let path: String
  let source: [UInt8]
  let arguments: [String]
  /// The signal that stops the script.
  let stopSignal: Int32

  /// How it ended.
  struct Outcome {
    var status: Int32 = 0
    var output = ""
    var log = ""
    var error: LuaError?
  }

  /// Runs the script for a test of `host`.
  func run(in host: ScriptHost) async throws -> Outcome {
    var configuration = host.configuration
    // The trace of the run is the test's.
    configuration.events = nil
    configuration.mayAsk = false
    let log = Lines()
    let (ended, output) = try await StandardOutput.captured(limit: Self.outputLimit) { [configuration] in
      let console = Console(level: host.console.level, isQuiet: false, isForScript: true) { log.text += $0 }
      let script = try ScriptHost(configuration, console: console, tenant: host.tenant)
      defer { script.close() }
      script.state.obey(signal: stopSignal)
      try script.share(host)
      script.refuseExit()
      return try await outcome(script)
    }
    return Outcome(status: ended.status, output: output, log: log.text, error: ended.error)
  }

  private func outcome(_ script: ScriptHost) async throws -> Outcome {
    do {
      try await script.run(source, path: path, arguments: arguments)
      return Outcome(status: script.failedRows > 0 ? 5 : 0)
    } catch var error as LuaError {
      // The value went with its state.
      error.value = nil
      if error.code == ScriptHost.exitCode {
        return Outcome(status: Int32(truncatingIfNeeded: error.status ?? 0) & 0xFF)
      }
      return Outcome(status: error.exitStatus(memoryLimit: script.configuration.memoryLimit), error: error)
    } catch let error where !(error is CancellationError) {
      let told = LuaError(error)
      return Outcome(status: told.exitStatus(memoryLimit: script.configuration.memoryLimit), error: told)
    }
  }

  /// What the script logs.
  @HostActor private final class Lines { var text = "" }
}

extension TestedScript.Outcome {
  @HostActor
  func value(in state: LuaState) -> LuaValue {
    .record([
      ("status", .integer(Int64(status))), ("output", .string(output)), ("log", .string(log)),
      ("error", error.map { state.errorObject($0) } ?? .nil),
    ])
  }
}

extension LuaRecord {
  /// What `test.run` returns.
  static let scriptRun = LuaRecord(
    "script run", "How a script ended that test.run has run.",
    [
      Parameter("status", .integer, "The exit status: 0 where all went well, also that of os.exit."),
      Parameter("output", .string, "What it printed."),
      Parameter("log", .string, "Its log lines."),
      Parameter("error", .record(.error), optional: true, "The error that ended it."),
    ])
}

extension ScriptHost {
  static let exitCode = "exit"

  /// Uses the accounts that another host of the same tenant has.
  fileprivate func share(_ other: ScriptHost) throws {
    let store = try other.accounts().store
    openAccounts = AccountManager(store: store, events: events) { [unowned self] account in
      OAuthTokenRefresher(clients.client(for: try await self.settings(of: account), isOfAccount: true))
    }
  }

  /// `os.exit` ends the script, and not the process.
  fileprivate func refuseExit() {
    let exit = HostFunction("os.exit", "", [.any("status"), .any("close")]) { arguments in
      let status = arguments[0].boolean.map { $0 ? 0 : 1 } ?? arguments[0].integer.map { Int(truncatingIfNeeded: $0) }
      throw LuaError(code: Self.exitCode, message: "os.exit was called", status: status ?? 0)
    }
    state.globals["os"].table?["exit"] = .function(state.function(exit))
  }
}
