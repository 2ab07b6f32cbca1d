import HostLoop
package import Lua
import LuaKit

/// A script that `test.run` has run.
package struct TestedRun: Sendable {
  /// The path as the test gave it.
  package let path: String
  package let status: Int32
  /// The error that ended the script.
  package let error: LuaError?
  /// The line of the script where the error was raised.
  package let sourceLine: String?
  package let output: String
  package let log: String

  package init(
    path: String, status: Int32, error: LuaError?, sourceLine: String?, output: String, log: String
  ) {
    self.path = path
    self.status = status
    self.error = error
    self.sourceLine = sourceLine
    self.output = output
    self.log = log
  }

  /// The result of `test.run`.
  @HostActor func value(_ state: LuaState) -> LuaValue {
    .record([
      ("status", .integer(Int64(status))), ("output", .string(output)), ("log", .string(log)),
      ("error", error.map { state.errorObject($0) } ?? .nil),
    ])
  }
}

extension LuaRecord {
  static let scriptRun = LuaRecord(
    "script run", "The result of a script that test.run has run.",
    Parameter("status", .integer, "The exit status: 0 for success; also the status of os.exit."),
    Parameter("output", .string, "The printed text."),
    Parameter("log", .string, "The log lines."),
    .optional("error", .record(.error), "The error that ended the script."))
}
