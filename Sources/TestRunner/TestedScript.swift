import Accounts
import Automation
import CommandLine
import Core
import Files
import HostLoop
import Lua
import LuaJobs
import LuaKit
import Permissions
import ScriptHost
import Terminal

/// A script that `test.run` runs as the command line would: with arguments, in a separate Lua state. It has the
/// tenant, the settings and the accounts of the test, and none of the test's variables.
@HostActor
struct TestedScript {
  /// The most that a script may print, in bytes.
  private static let outputLimit = 1 << 20
  private static let longestSource = 64 << 20
  private static let exitCode = "exit"

  private let name: String
  private let path: String
  private let source: [UInt8]
  private let arguments: [String]
  private let stopSignal: Int32
  private let host: ScriptHost

  init(_ call: Arguments, folder: String, stopSignal: Int32, of host: ScriptHost) throws {
    name = call.path(0)
    path = name.hasPrefix("/") ? name : "\(folder)/\(name)"
    source = GivenFiles.withoutInterpreterLine(
      try host.permissions.contents(
        of: path, for: .streaming, most: Self.longestSource, "the most that a tested script may have", call))
    arguments = (try call[1].table?.elements ?? []).compactMap(\.path)
    self.stopSignal = stopSignal
    self.host = host
  }

  func run() async throws -> TestedRun {
    var configuration = host.configuration
    // The trace of the run is the test's.
    configuration.session.events = nil
    configuration.mayAsk = false
    let log = Lines()
    let ((status, error), output) = try await StandardOutput.captured(limit: Self.outputLimit) { [configuration] in
      let console = Console(level: host.console.level, isQuiet: false, isForScript: true) { log.text += $0 }
      let script = try ScriptHost(configuration, console: console, tenant: host.tenant)
      defer { script.close() }
      script.state.obey(signal: stopSignal)
      script.watching.coverage = host.watching.coverage
      try script.beginCoverage()
      defer { script.endCoverage(of: path) }
      try await script.session.accounts.share(host.session.accounts)
      script.state.replaceExit { arguments in
        let status = arguments[0].boolean.map { $0 ? 0 : 1 } ?? arguments[0].integer.map { Int(truncatingIfNeeded: $0) }
        return LuaError(code: Self.exitCode, message: "os.exit was called", status: status ?? 0)
      }
      return try await end(of: script)
    }
    return TestedRun(
      path: name, status: status, error: error, sourceLine: error.flatMap(sourceLine), output: output, log: log.text)
  }

  /// The line of the script where the error was raised, if it is a line of this file.
  private func sourceLine(of error: LuaError) -> String? {
    guard let place = error.location, let colon = place.lastIndex(of: ":"),
      let line = Int(place[place.index(after: colon)...]),
      place[..<colon] == path.split(separator: "/").last ?? ""
    else { return nil }
    let lines = source.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    guard lines.indices.contains(line - 1) else { return nil }
    return String(decoding: lines[line - 1].drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }, as: UTF8.self)
  }

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

  @HostActor private final class Lines { var text = "" }
}
