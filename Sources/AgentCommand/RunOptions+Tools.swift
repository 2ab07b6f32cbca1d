import AgentTools
import Automation
import CommandLine
import Commands
import Files

extension RunOptions {
  /// The program that tools run in, with the options that each of their processes gets.
  func toolProgram(service: String?) throws -> ToolProgram {
    var arguments = passedOptions
    if let local = session.localTenant {
      // Each call is a process, and the tenant of one must have the tasks of the one before.
      guard let data = local.data else {
        throw UsageError(
          "mcp: --local keeps its tasks in memory, and each call runs in a separate process",
          hint: "--local=DATA keeps them in a file")
      }
      arguments.append("--local=\(FileSystem.realPath(data) ?? JobsPlace.absolute(data))")
    }
    return ToolProgram(
      path: Self.programFile, arguments: arguments, environment: Self.passedEnvironment,
      scripts: session.scriptsFolder, service: service)
  }
}
