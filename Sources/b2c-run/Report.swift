import Accounts
import Automation
import CommandLine
import Core
import HostLoop
import Lua
import ScriptHost

extension RunOptions {
  /// The code of a command line that cannot be understood, this program's or a script's.
  private static let usageCode = "usage"

  @HostActor
  func report(_ error: any Error, _ console: Console) -> ExitStatus {
    if error is CancellationError || (error as? AccountError)?.kind == .canceled { return .interrupted }
    let told = LuaError(error)
    session.events?.emit(RunEvent.failed(told, line: told.location, traceback: told.traceback))
    console.finish(progress: "")
    if output.format == .json {
      let facts = [("code", told.code), ("where", told.location), ("hint", told.hint), ("traceback", told.traceback)]
      console.log(.error, told.message, fields: facts.compactMap { name, value in value.map { (name, $0) } })
      return status(of: told)
    }
    let name = console.paint("b2c-run:", "1")
    if console.write(denial: told, behind: name) { return status(of: told) }
    // The person who typed the command looks for the mistake there, not in the script.
    console.write("\(name) \((told.code == Self.usageCode ? told.message : "\(told)").displayableLines)")
    let limit = isOutOfMemory(told) ? "--memory gives the script \(configuration.memoryLimit) bytes" : nil
    for hint in [limit, told.hint].compactMap(\.self) {
      console.write("  \(console.paint("hint:", "36")) \(hint.displayableLines)")
    }
    if told.code != "syntax_error", let traceback = told.traceback, output.level == .debug || isUnexpected(told) {
      console.write(console.paint(traceback.displayableLines, "2"))
    }
    return status(of: told)
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
