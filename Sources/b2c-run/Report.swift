import Diagnostics
import HostLoop
import Lua
import LuaBindings

extension Invocation {
  /// Tells the person what went wrong, and which exit status that is.
  @HostActor
  func report(_ error: any Error, _ console: Console) -> ExitStatus {
    if error is CancellationError { return .interrupted }
    console.finish(progress: "")
    let name = console.paint("b2c-run:", "1")
    if let error = error as? LuaError {
      console.write("\(name) \(error)")
      if let hint = error.hint { console.write("  \(console.paint("hint:", "36")) \(hint)") }
      if error.code != "syntax_error", let traceback = error.traceback, logLevel == .debug || isUnexpected(error) {
        console.write(console.paint(traceback, "2"))
      }
      return status(of: error)
    }
    let failure = LuaError(error)
    console.write("\(name) \(failure.message)")
    if let hint = failure.hint { console.write("  \(console.paint("hint:", "36")) \(hint)") }
    return error is UsageError ? .usage : status(of: failure)
  }

  /// An error of the script itself, where the way to it matters; what the host says is clear without.
  private func isUnexpected(_ error: LuaError) -> Bool { error.code == "script_error" || error.code == "host_error" }

  private func status(of error: LuaError) -> ExitStatus {
    if error.message.hasSuffix("not enough memory"), configuration.memoryLimit > 0 { return .limit }
    return error.code.hasPrefix("settings_") ? .settings : .failed
  }
}
