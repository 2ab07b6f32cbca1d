import Accounts
import Automation
import Core
import Files
import HostLoop
import Lua
import Permissions

/// A script that `test.run` runs as the command line would: with arguments, in a Lua state of its own.
///
/// It has the tenant, the settings and the accounts of the test, and none of the test's variables.
@HostActor
struct TestedScript {
  /// The most that a script may print, in bytes.
  private static let outputLimit = 1 << 20
  private static let longestSource = 64 << 20
  private static let exitCode = "exit"

  private let path: String
  private let source: [UInt8]
  private let arguments: [String]
  private let stopSignal: Int32
  /// The host of the test.
  private let host: ScriptHost

  /// - Parameters:
  ///   - call: the call of `test.run`.
  ///   - folder: the folder of the test.
  ///   - stopSignal: the signal that stops the script.
  init(_ call: Arguments, folder: String, stopSignal: Int32, of host: ScriptHost) throws {
    let name = call.string(0)
    path = name.hasPrefix("/") ? name : "\(folder)/\(name)"
    source = ScriptFiles.withoutInterpreterLine(
      try host.permissions.contents(
        of: path, for: .streaming, most: Self.longestSource, "the most that a tested script may have", call))
    arguments = (call[1].table?.elements ?? []).compactMap(\.string)
    self.stopSignal = stopSignal
    self.host = host
  }

  /// Runs the script. Returns the record for the test.
  func run() async throws -> LuaValue {
    var configuration = host.configuration
    // The trace of the run is the test's.
    configuration.events = nil
    configuration.mayAsk = false
    let log = Lines()
    let ((status, error), output) = try await StandardOutput.captured(limit: Self.outputLimit) { [configuration] in
      let console = Console(level: host.console.level, isQuiet: false, isForScript: true) { log.text += $0 }
      let script = try ScriptHost(configuration, console: console, tenant: host.tenant)
      defer { script.close() }
      script.state.obey(signal: stopSignal)
      try script.automation.accounts.share(host.automation.accounts)
      script.state.replaceExit { arguments in
        let status = arguments[0].boolean.map { $0 ? 0 : 1 } ?? arguments[0].integer.map { Int(truncatingIfNeeded: $0) }
        return LuaError(code: Self.exitCode, message: "os.exit was called", status: status ?? 0)
      }
      return try await end(of: script)
    }
    return .record([
      ("status", .integer(Int64(status))), ("output", .string(output)), ("log", .string(log.text)),
      ("error", error.map { host.state.errorObject($0) } ?? .nil),
    ])
  }

  /// Runs the script to its end. Returns its exit status, and the error that ended it.
  private func end(of script: ScriptHost) async throws -> (status: Int32, error: LuaError?) {
    do {
      try await script.run(source, path: path, arguments: arguments)
      return (script.failedRows > 0 ? 5 : 0, nil)
    } catch let failure where !(failure is CancellationError) {
      var error = LuaError(failure)
      // The value went with its state.
      error.value = nil
      if error.code == Self.exitCode { return (Int32(truncatingIfNeeded: error.status ?? 0) & 0xFF, nil) }
      return (error.exitStatus(memoryLimit: script.configuration.memoryLimit), error)
    }
  }

  /// The log lines of the script.
  @HostActor private final class Lines { var text = "" }
}

extension LuaRecord {
  /// The result of `test.run`.
  static let scriptRun = LuaRecord(
    "script run", "The result of a script that test.run has run.",
    Parameter("status", .integer, "The exit status: 0 for success; also the status of os.exit."),
    Parameter("output", .string, "The printed text."),
    Parameter("log", .string, "The log lines."),
    Parameter("error", .record(.error), optional: true, "The error that ended the script."))
}
