import FoundationEssentials
import HostLoop
import Lua
import LuaBindings

/// A script host as the command line makes one, with a local tenant of its own.
@HostActor
struct TestHost {
  nonisolated static let project = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  let host: ScriptHost

  init() throws {
    var configuration = ScriptHost.Configuration(scriptsFolder: Self.project.appending(path: "scripts").path)
    configuration.settingsOverrides = []
    host = try ScriptHost(configuration, console: Console(isQuiet: true))
  }

  func run(path: String) async throws {
    try await host.run(Array(try Data(contentsOf: URL(filePath: path))), path: path)
  }

  func run(_ source: String) async throws {
    try await host.run(Array(source.utf8), path: "test.lua", hasAPI: true)
  }

  /// The error a script ends with.
  func error(_ source: String) async -> LuaError {
    do {
      try await run(source)
      return LuaError(code: "no_error", message: "the script did not fail")
    } catch { return LuaError(error) }
  }
}
