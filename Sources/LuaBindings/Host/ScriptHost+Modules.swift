import Automation
package import Documentation
import HostLoop
package import Lua
import Permissions

extension ScriptHost {
  /// Every module, in the order of the documentation.
  package var modules: [HostModule] {
    [
      runSettings.module, AccountsModule(host: self).module, OAuthModule(host: self).module,
      JOSEModule(automation: automation, json: json).module, BrowserModule(host: self).module,
      TasksModule(json: json, host: self).module,
      ImportsModule(automation: automation, json: json).module, httpModule.module,
      AsyncModule(leftovers: automation.leftovers).module, JSONModule(json: json).module,
      CSVModule(permissions: automation.permissions).module, LogModule(console: automation.console).module, term.module,
      TenantModule(tenant: automation.tenant, host: self).module,
    ]
  }

  var httpModule: HTTPModule { HTTPModule(automation: automation, json: json, host: self) }

  private var runSettings: LuaSettings { LuaSettings(json) { [automation] in try automation.settings() } }

  /// Everything scripts can call and hold, by name.
  package var reference: Reference {
    Reference(modules: modules, types: Self.types, globals: TestPlan().functions, records: [.plugin])
  }

  /// The objects that functions of the modules return or hand to callbacks.
  package static var types: [HostType] {
    [
      LuaAccount.luaType, LuaSubscription.luaType, LuaPage.luaType, LuaResponse.luaType, LuaSecret.luaType,
      LuaSettings.luaType, Progress.luaType, LuaScreen.luaType, LuaEditor.luaType, LuaAgent.luaType,
      LuaFlowContext.luaType, LuaSource.luaType, SealedSecret.luaType, JSONNull.luaType, LuaExpectation.luaType,
      LuaKey.luaType, LuaTimer.luaType, LuaSemaphore.luaType, LuaPermit.luaType,
    ]
  }

  func list(_ names: [String]) -> LuaValue { .list(names.map { .string($0) }, metatable: json.arrayMetatable) }

  /// Makes the `b2c` table and its parts known to `require`; returns the table.
  func install() async throws -> LuaTable {
    let tables = modules.filter { $0.name != "settings" }.map {
      (name: $0.name, value: LuaValue.table(state.table(of: $0)))
    }
    let members = tables + [("settings", .object(runSettings)), ("args", .table(commandLine.args))]
    let api = state.readOnlyTable("b2c", members)
    let package = state.globals["package"].table
    let loaded = package?["loaded"].table
    loaded?["b2c"] = .table(api)
    for member in members { loaded?["b2c.\(member.name)"] = member.value }
    package?["cpath"] = .string("")
    package?["loadlib"] = .nil
    _ = try await state.load(Array(Require.source.utf8), name: LuaState.hostChunk).call([.table(api)])
    return api
  }
}

/// `require` written in Lua: the standard one is C, through which a module that waits while it loads could not pause.
enum Require {
  /// A chunk that takes the `b2c` table. What it looks for files with and reads them by asks for permission.
  static let source = """
    local api = ...
    local loaded, preload = package.loaded, package.preload
    local search, load = package.require_search, package.require_load
    package.require_search, package.require_load = nil, nil

    function require(name)
      local value = loaded[name]
      if value ~= nil then return value end
      local loader, place = preload[name], ":preload:"
      if not loader then
        local part = name:match("^b2c%.(.+)$")
        if part then
          local known = {}
          for module in pairs(api) do known[#known + 1] = module end
          table.sort(known)
          error(("module '%s' not found: b2c has %s"):format(name, table.concat(known, ", ")), 2)
        end
        local missing
        place, missing = search(name, package.path)
        if not place then error(("module '%s' not found:\\n\\t%s"):format(name, missing), 2) end
        local problem
        loader, problem = load(place)
        if not loader then error(("error loading module '%s':\\n\\t%s"):format(name, problem), 2) end
      end
      value = loader(name, place)
      if value ~= nil then loaded[name] = value elseif loaded[name] == nil then loaded[name] = true end
      return loaded[name], place
    end
    """
}
