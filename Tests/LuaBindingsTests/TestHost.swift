import Automation
import FoundationEssentials
import HostLoop
import LocalTenant
import Lua
import Permissions
import ScriptHost

/// A script host as the command line makes one, with a local tenant of its own.
@HostActor
struct TestHost {
  nonisolated static let project = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  let host: ScriptHost

  /// - Parameters:
  ///   - tenant: nil as without --local.
  ///   - store: the folder of the account store; nil for one in memory.
  ///   - settings: as with --set.
  ///   - console: the descriptor that replaces standard error; nil to write only warnings.
  ///   - grants: the permissions of the script; all permissions if not given.
  ///   - imports: the folder of the journals; nil for one that does not exist.
  init(
    tenant: LocalTenant?, store: String? = nil, settings: [(key: String, value: String)] = [], console: CInt? = nil,
    imports: String? = nil, grants: Grants = .everything
  ) throws {
    var configuration = ScriptHost.Configuration(scriptsFolder: Self.project.appending(path: "scripts").path)
    configuration.session.storePath = store
    configuration.session.grants = grants
    configuration.session.settings.overrides = settings
    configuration.session.importsFolder = imports ?? "/nowhere/imports"
    let console = console.map { Console(level: .debug, descriptor: $0) } ?? Console(isQuiet: true)
    host = try ScriptHost(configuration, console: console, tenant: tenant)
    host.state.inspectResults = ResultChecker.check
  }

  init() throws { try self.init(tenant: LocalTenant(TenantConfiguration())) }

  func run(path: String, arguments: [String] = []) async throws {
    try await host.run(Array(try Data(contentsOf: URL(filePath: path))), path: path, arguments: arguments)
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
