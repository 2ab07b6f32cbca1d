/// `require` written in Lua: the standard one is C, through which a module that waits while it loads could not pause.
///
/// It returns the module alone, and not the path behind it: `print(require "lib")` prints one value.
///
/// `ScriptHost.begin` allows the script's folder, `CLuaShims/permissions.c` checks each file. `ScriptLoader` gives each
/// plugin a separate `require`.
enum Require {
  /// A chunk that takes the `b2c` table, the names of its modules, such as `tasks` for `b2c.tasks`, and two functions. One gives
  /// the modules that a run of a job keeps, and the other gets to know of each loaded file. What it looks for files with and
  /// reads them by asks for permission.
  static let source = """
    local api, modules, kept, noted, near = ...
    local loaded, preload = package.loaded, package.preload
    local search, load = package.require_search, package.require_load
    package.require_search, package.require_load = nil, nil

    function require(name)
      local value = loaded[name]
      if value == nil and modules[name] then
        value = api[modules[name]]
        loaded[name] = value
      end
      if value ~= nil then return value end
      local loader, place = preload[name], ":preload:"
      if not loader then
        local part = name:match("^b2c%.(.+)$")
        if part then
          local known = {}
          for module, value in pairs(api) do
            if type(value) ~= "function" then known[#known + 1] = module end
          end
          table.sort(known)
          error(("module '%s' not found: b2c has %s"):format(name, table.concat(known, ", ")), 2)
        end
        loader, place = kept(name)
      end
      if not loader then
        local missing
        place, missing = search(name, package.path)
        if not place then
          local known = { "b2c" }
          for module in pairs(modules) do known[#known + 1] = module end
          table.sort(known)
          local found = near(name, known)
          local hint = found and ("; did you mean '%s'?"):format(found) or ":"
          error(("module '%s' not found%s\\n\\t%s"):format(name, hint, missing), 2)
        end
        local problem
        loader, problem = load(place)
        if not loader then error(("error loading module '%s':\\n\\t%s"):format(name, problem), 2) end
        noted(name, place)
      end
      value = loader(name, place)
      if value ~= nil then loaded[name] = value elseif loaded[name] == nil then loaded[name] = true end
      return loaded[name]
    end
    """
}
