import Automation
package import Documentation
import HostLoop
package import Lua
import Permissions

extension ScriptHost {
  /// Every module, in the order of the documentation.
  package var modules: [HostModule] { Self.makers.map { $0.make(self) } }

  /// Makes each module, by its name. A script gets a module when it first names the module.
  private static let makers: [(name: String, make: @HostActor @Sendable (ScriptHost) -> HostModule)] = [
    ("settings", { $0.runSettings.module }), ("accounts", { AccountsModule(host: $0).module }),
    ("oauth", { OAuthModule(host: $0).module }),
    ("jose", { JOSEModule(session: $0.session, json: $0.json).module }),
    ("browser", { BrowserModule(host: $0).module }), ("secrets", { SecretsModule(session: $0.session).module }),
    ("tasks", { TasksModule(json: $0.json, host: $0).module }),
    ("imports", { ImportsModule(imports: $0.imports, json: $0.json).module }), ("http", { $0.httpModule.module }),
    ("async", { AsyncModule(leftovers: $0.scriptRun.leftovers).module }),
    ("json", { JSONModule(json: $0.json).module }),
    ("csv", { CSVModule(permissions: $0.session.permissions).module }),
    ("xml", { XMLModule(json: $0.json, state: $0.state).module }),
    ("log", { LogModule(console: $0.session.console).module }), ("term", { $0.term.module }),
    ("tenant", { TenantModule(tenant: $0.tenant, host: $0).module }),
  ]

  var httpModule: HTTPModule { HTTPModule(session: session, json: json, host: self) }

  private var runSettings: LuaSettings { LuaSettings(json) { [session] in try session.settings() } }

  /// Everything scripts can call and hold, by name.
  package var reference: Reference {
    Reference(
      modules: modules, types: Self.types, functions: [JobModule(json: json, host: self).function],
      globals: TestPlan().functions, records: [.plugin])
  }

  /// The objects that functions of the modules return or hand to callbacks.
  package static var types: [HostType] {
    [
      LuaAccount.luaType, LuaSubscription.luaType, LuaPage.luaType, LuaResponse.luaType, LuaSecret.luaType,
      LuaSettings.luaType, Progress.luaType, LuaScreen.luaType, LuaEditor.luaType, LuaAgent.luaType,
      LuaFlowContext.luaType, LuaSource.luaType, SealedSecret.luaType, JSONNull.luaType, LuaExpectation.luaType,
      LuaKey.luaType, LuaTimer.luaType, LuaSemaphore.luaType, LuaPermit.luaType, LuaRun.luaType, LuaSimulation.luaType,
    ]
  }

  func list(_ names: [String]) -> LuaValue { .list(names.map { .string($0) }, metatable: json.arrayMetatable) }

  /// Makes the `b2c` table, and makes it and its modules known to `require`; returns the table.
  func install() async throws -> LuaTable {
    let modules = Self.makers.map(\.name)
    let api = state.readOnlyTable(
      "b2c", [("args", .table(commandLine.args))], fieldNames: modules + ["job"], keepsFields: true
    ) { [self] name, _ in member(name) }
    let package = state.globals["package"].table
    package?["loaded"].table?["b2c"] = .table(api)
    package?["cpath"] = .string("")
    package?["loadlib"] = .nil
    let names = (modules + ["args"]).map { (name: "b2c.\($0)", value: LuaValue.string($0)) }
    let chunk = try state.load(Array(Require.source.utf8), name: LuaState.hostChunk)
    _ = try await chunk.call([.table(api), .record(names)])
    return api
  }

  /// The member of `b2c` that a script names for the first time; nil for a name that `b2c` does not have.
  private func member(_ name: String) -> LuaValue {
    switch name {
    case "settings": .object(runSettings)
    case "job": .function(state.function(JobModule(json: json, host: self).function))
    default: Self.makers.first { $0.name == name }.map { .table(state.table(of: $0.make(self))) } ?? .nil
    }
  }
}
