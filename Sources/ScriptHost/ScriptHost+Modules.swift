import Automation
package import Documentation
import HostLoop
package import Lua
import LuaJobs
import LuaKit
import LuaNet
import LuaSignIn
import LuaTasks
import Permissions

extension ScriptHost {
  /// Every module, in the order of the documentation.
  package var modules: [HostModule] {
    [
      runSettings.module, AccountsModule(signIns).module, OAuthModule(signIns).module, JOSEModule(context).module,
      BrowserModule(signIns).module, SecretsModule(context).module, TasksModule(tasks).module,
      ImportsModule(tasks).module, HTTPModule(accounts).module,
      AsyncModule(leftovers: scriptRun.leftovers).module, JSONModule(context).module, CSVModule(context).module,
      XMLModule(context).module, LogModule(console: session.console).module, term.module,
      TenantModule(tenant: tenant, host: self).module,
    ]
  }

  private var job: JobModule { JobModule(context) { [unowned self] in jobSession } }

  private var runSettings: LuaSettings { LuaSettings(context.json) { [session] in try session.settings() } }

  /// Everything scripts can call and hold, by name.
  package var reference: Reference {
    Reference(
      modules: modules, types: Self.types, functions: [job.function],
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

  /// Makes the `b2c` table and its parts known to `require`; returns the table.
  func install() async throws -> LuaTable {
    let tables = modules.filter { $0.name != "settings" }.map {
      (name: $0.name, value: LuaValue.table(state.table(of: $0)))
    }
    let required = tables + [("settings", .object(runSettings)), ("args", .table(commandLine.args))]
    let job = LuaValue.function(state.function(job.function))
    let api = state.readOnlyTable("b2c", required + [("job", job)])
    let package = state.globals["package"].table
    let loaded = package?["loaded"].table
    loaded?["b2c"] = .table(api)
    for member in required { loaded?["b2c.\(member.name)"] = member.value }
    package?["cpath"] = .string("")
    package?["loadlib"] = .nil
    _ = try await state.load(Array(Require.source.utf8), name: LuaState.hostChunk).call([.table(api)])
    return api
  }
}
