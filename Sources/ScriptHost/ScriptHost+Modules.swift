import Automation
import Core
package import Documentation
import Files
import HostLoop
import JobCode
package import Lua
import LuaJobs
import LuaKit
import LuaMCP
import LuaNet
import LuaSignIn
import LuaTasks
import Permissions

extension ScriptHost {
  /// Every module, in the order of the documentation.
  package var modules: [HostModule] { Self.makers.map { $0.make(self) } }

  /// Makes each module, by its name. A script gets a module when it first names the module.
  private static let makers: [(name: String, make: @HostActor @Sendable (ScriptHost) -> HostModule)] = [
    ("settings", { $0.runSettings.module }), ("accounts", { AccountsModule($0.signIns).module }),
    ("oauth", { OAuthModule($0.signIns).module }), ("jose", { JOSEModule($0.context).module }),
    ("browser", { BrowserModule($0.signIns).module }), ("secrets", { SecretsModule($0.context).module }),
    ("tasks", { TasksModule($0.tasks).module }), ("imports", { ImportsModule($0.tasks).module }),
    ("http", { HTTPModule($0.accounts).module }), ("mcp", { MCPModule($0.signIns).module }),
    ("async", { AsyncModule(leftovers: $0.scriptRun.leftovers).module }), ("json", { JSONModule($0.context).module }),
    ("csv", { CSVModule($0.context).module }), ("xml", { XMLModule($0.context).module }),
    ("log", { LogModule(console: $0.session.console).module }), ("term", { $0.term.module }),
    ("tenant", { TenantModule(tenant: $0.tenant, host: $0).module }),
  ]

  private var job: JobModule { JobModule(context) { [unowned self] in jobSession } }

  private var debug: HostFunction {
    .suspending(
      "debug",
      "Halts the script here. Under `b2c-run debug`, it is a breakpoint. Otherwise, a session with the variables of this place "
        + "begins on the terminal. Without a terminal, the script continues.",
      example: """
        local total = 0
        for _, amount in ipairs { 3, 4 } do
          total = total + amount
          if total > 100 then b2c.debug() end
        end
        """
    ) { [unowned self] _ in
      guard let onDebug = watching.onDebug, let call = HostCall.current else {
        console.log(.warn, "b2c.debug: there is no terminal and no debugger, so the script continues")
        return []
      }
      try await onDebug(call)
      return []
    }
  }

  private var runSettings: LuaSettings { LuaSettings(context.json) { [session] in try session.settings() } }

  /// Everything scripts can call and hold, by name.
  package var reference: Reference {
    Reference(
      modules: modules, types: Self.types, functions: [job.function, debug],
      globals: TestPlan().functions, records: [.plugin])
  }

  /// The objects that functions of the modules return or hand to callbacks.
  package static var types: [HostType] {
    [
      LuaAccount.luaType, LuaSubscription.luaType, LuaPage.luaType, LuaResponse.luaType, LuaSecret.luaType,
      LuaSettings.luaType, Progress.luaType, LuaScreen.luaType, LuaEditor.luaType, LuaAgent.luaType,
      LuaFlowContext.luaType, LuaSource.luaType, SealedSecret.luaType, JSONNull.luaType, LuaExpectation.luaType,
      LuaKey.luaType, LuaTimer.luaType, LuaSemaphore.luaType, LuaPermit.luaType, LuaRun.luaType, LuaSimulation.luaType,
      LuaConnection.luaType,
    ]
  }

  /// Makes the `b2c` table, and makes it and its modules known to `require`; returns the table.
  func install() async throws -> LuaTable {
    if let tape = CurrentTape.value { try await KeptLibraries(state: state, tape: tape).install() }
    let modules = Self.makers.map(\.name)
    let api = state.readOnlyTable(
      "b2c", [("args", .table(commandLine.args))], fieldNames: modules + ["job", "debug"], keepsFields: true
    ) { [self] name, _ in member(name) }
    let package = state.globals["package"].table
    package?["loaded"].table?["b2c"] = .table(api)
    package?["cpath"] = .string("")
    package?["loadlib"] = .nil
    let names = (modules + ["args"]).map { (name: "b2c.\($0)", value: LuaValue.string($0)) }
    let chunk = try state.load(Array(Require.source.utf8), name: LuaState.hostChunk)
    let (kept, noted) = keptModules
    _ = try await chunk.call([.table(api), .record(names), .function(kept), .function(noted), .function(nearest)])
    return api
  }

  /// The name that is probably meant, of a list; nil if no name is near.
  private var nearest: LuaFunction {
    state.function(
      HostFunction("require", "", [Parameter("name", .string, ""), Parameter("names", .table, "")]) { arguments in
        [.string(nearestName(to: arguments.string(0), in: try arguments[1].table?.texts ?? []))]
      })
  }

  /// The functions by which `require` knows the modules that a run of a job keeps, and by which the run gets to know them.
  private var keptModules: (kept: LuaFunction, noted: LuaFunction) {
    let name = Parameter("name", .string, "The name of the module.")
    let kept = HostFunction("require", "", [name]) { [unowned self] arguments in
      guard let file = jobSession.module(arguments.string(0)) else { return [] }
      return [.function(try state.load(file.source, name: file.path)), .path(file.path)]
    }
    let noted = HostFunction("require", "", [name, Parameter("path", .string, "The file.")]) {
      [unowned self] arguments in
      try jobSession.loaded(arguments.string(0), arguments.path(1)) {
        try permissions.check(arguments.path(1).pathBytes, .read, by: "require").open(.reading).contents(
          limit: 16 << 20)
      }
      return []
    }
    return (state.function(kept), state.function(noted))
  }

  /// The member of `b2c` that a script names for the first time; nil for a name that `b2c` does not have.
  private func member(_ name: String) -> LuaValue {
    switch name {
    case "settings": .object(runSettings)
    case "job": .function(state.function(job.function))
    case "debug": .function(state.function(debug))
    default: Self.makers.first { $0.name == name }.map { .table(state.table(of: $0.make(self))) } ?? .nil
    }
  }
}
