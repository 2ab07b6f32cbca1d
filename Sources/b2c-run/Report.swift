import Automation
import Core
import HostLoop
import Lua
import LuaBindings
import Trace

extension Invocation {
  /// The code of a command line that cannot be understood, this program's or a script's.
  private static let usageCode = "usage"

  /// Tells the person what went wrong, and which exit status that is.
  @HostActor
  func report(_ error: any Error, _ console: Console) -> ExitStatus {
    if error is CancellationError { return .interrupted }
    let told = LuaError(error)
    configuration.events?.emit(RunEvent.failed(told, line: told.location, traceback: told.traceback))
    console.finish(progress: "")
    let name = console.paint("b2c-run:", "1")
    if console.write(denial: told, behind: name) { return status(of: told) }
    if let error = error as? LuaError {
      // Whoever typed the command looks for the mistake there, not in the script.
      console.write("\(name) \((error.code == Self.usageCode ? error.message : "\(error)").displayableLines)")
      if isOutOfMemory(error) {
        console.write("  \(console.paint("hint:", "36")) --memory gives the script \(configuration.memoryLimit) bytes")
      }
      if let hint = error.hint { console.write("  \(console.paint("hint:", "36")) \(hint.displayableLines)") }
      if error.code != "syntax_error", let traceback = error.traceback, logLevel == .debug || isUnexpected(error) {
        console.write(console.paint(traceback.displayableLines, "2"))
      }
      return status(of: error)
    }
    let failure = LuaError(error)
    console.write("\(name) \(failure.message.displayableLines)")
    if let hint = failure.hint { console.write("  \(console.paint("hint:", "36")) \(hint.displayableLines)") }
    return status(of: failure)
  }

  /// An error of the script itself, where the way to it matters; what the host says is clear without.
  private func isUnexpected(_ error: LuaError) -> Bool {
    (error.code == "script_error" || error.code == "host_error") && !isOutOfMemory(error)
  }

  private func isOutOfMemory(_ error: LuaError) -> Bool { error.isOutOfMemory(limit: configuration.memoryLimit) }

  private func status(of error: LuaError) -> ExitStatus {
    ExitStatus(rawValue: error.exitStatus(memoryLimit: configuration.memoryLimit)) ?? .failed
  }
}
