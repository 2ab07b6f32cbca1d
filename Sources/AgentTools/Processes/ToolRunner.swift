import HostLoop
import JSON
import Permissions

/// Runs the programs of tools within their limits.
@HostActor
final class ToolRunner {
  let program: ToolProgram
  let limits: ToolLimits
  let gate: ToolGate

  init(_ program: ToolProgram, _ limits: ToolLimits) {
    self.program = program
    self.limits = limits
    gate = ToolGate(limits)
  }

  /// Throws for too many calls in the last minute.
  func count() throws { try gate.count() }

  /// Runs a script or a command.
  /// - Parameters:
  ///   - permissions: the flags of this run alone.
  ///   - sources: the code that the run may load; nil for any.
  ///   - level: the lowest level of log lines in the output.
  func run(
    _ subject: String, _ words: [String], permissions: [String] = [], in folder: String, sources: SealedSources? = nil,
    level: String = "error"
  ) async throws -> ToolProcess.Output {
    try await gate.pass {
      let arguments = ["--log-level", level] + permissions + [subject] + words
      return try await ToolProcess(program, arguments, in: folder, limits, sources: sources).run()
    }
  }

  /// Runs a script of the program, and returns the JSON that it prints. Throws its message if it fails.
  /// - Parameter mayLeaveRows: true for a script that succeeds although some rows were not carried out.
  func json(
    _ script: String, _ words: [String], permissions: [String] = [], in folder: String, mayLeaveRows: Bool = false
  ) async throws -> JSON {
    var output = try await run(program.script(script), words, permissions: permissions, in: folder)
    if mayLeaveRows, output.status == ToolProcess.leftRows { output.status = 0 }
    return try Self.json(output)
  }

  /// Runs a command of the program that prints JSON.
  func json(command: String, _ words: [String], in folder: String) async throws -> JSON {
    try Self.json(try await run(program.command(command), words, in: folder))
  }

  /// Runs a script of the program that prints nothing. Throws its message if it fails.
  func silent(_ script: String, _ words: [String], permissions: [String] = [], in folder: String) async throws {
    _ = try Self.checked(
      try await run(program.script(script), words, permissions: permissions, in: folder))
  }

  private static func json(_ output: ToolProcess.Output) throws -> JSON {
    try JSON(parsing: checked(output).text)
  }

  static func checked(_ output: ToolProcess.Output) throws -> ToolProcess.Output {
    guard output.status == 0 else {
      // The message may quote files and tasks.
      let isSilent = ToolText.plain(output.text).isEmpty
      throw ToolError("failed", isSilent ? "it failed" : "it failed\n\n\(ToolText.data(output.text))")
    }
    return output
  }
}
