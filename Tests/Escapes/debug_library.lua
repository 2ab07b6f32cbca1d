-- Changes functions of the host with the debug library: upvalues, locals, the registry, hooks, metatables.
-- From: Factorio, Garry's Mod and HAProxy, whose manuals warn of it; debug.getregistry gives the metatable of every
-- userdata.
local e = require "support"
for _, name in ipairs {
  "debug", "gethook", "getlocal", "getmetatable", "getregistry", "getupvalue", "getuservalue", "sethook", "setlocal",
  "setmetatable", "setupvalue", "setuservalue", "upvalueid", "upvaluejoin", "setcstacklimit",
} do
  e.gone(debug[name], "debug." .. name)
  e.gone(package.loaded.debug[name], "debug." .. name .. " by package.loaded")
end
e.held()
