package import Documentation
import HostLoop
package import Lua

extension ScriptHost {
  /// Every module, in the order of the documentation.
  package var modules: [HostModule] {
    [
      settingsModule, accountsModule, oauthModule, browserModule, tasksModule, importsModule, httpModule, asyncModule,
      jsonModule, csvModule, logModule, termModule, tenantModule,
    ]
  }

  /// Everything scripts can call and hold, by name.
  package var reference: Reference { Reference(modules: modules, types: Self.types, globals: TestFunctions.all) }

  /// The objects that functions of the modules return or hand to callbacks.
  package static var types: [HostType] {
    [
      LuaAccount.luaType, LuaSubscription.luaType, LuaPage.luaType, LuaResponse.luaType, LuaSecret.luaType,
      LuaSettings.luaType, Progress.luaType, LuaAgent.luaType, LuaFlowContext.luaType, JSONNull.luaType,
      LuaExpectation.luaType,
    ]
  }

  /// Makes the `b2c` table and its parts known to `require`; returns the table.
  func install(arguments: [String], script: String) async throws -> LuaTable {
    let args = makeArgs(arguments, script: script)
    let folder = script.lastIndex(of: "/").map { String(script[..<$0]) } ?? "."
    let tables = modules.filter { $0.name != "settings" }.map {
      (name: $0.name, value: LuaValue.table(state.table(of: $0)))
    }
    let members = tables + [("settings", .object(luaSettings)), ("args", .table(args))]
    let api = state.readOnlyTable("b2c", members)
    let package = state.globals["package"].table
    let loaded = package?["loaded"].table
    loaded?["b2c"] = .table(api)
    for member in members { loaded?["b2c.\(member.name)"] = member.value }
    package?["path"] = .string("\(folder)/?.lua;\(folder)/?/init.lua")
    package?["cpath"] = .string("")
    package?["loadlib"] = .nil
    _ = try await state.load(Array(require.utf8), name: "require.lua").call([.table(api)])
    return api
  }
}

/// `require` written in Lua: the standard one is C, through which a module that waits while it loads could not pause.
private let require = """
  local api = ...
  local loaded, preload, searchpath = package.loaded, package.preload, package.searchpath

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
      place, missing = searchpath(name, package.path)
      if not place then error(("module '%s' not found:\\n\\t%s"):format(name, missing), 2) end
      local problem
      loader, problem = loadfile(place, "t")
      if not loader then error(("error loading module '%s':\\n\\t%s"):format(name, problem), 2) end
    end
    value = loader(name, place)
    if value ~= nil then loaded[name] = value elseif loaded[name] == nil then loaded[name] = true end
    return loaded[name], place
  end
  """
