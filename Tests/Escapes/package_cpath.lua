-- Makes require load luaopen_os from the Lua library itself, with a changed cpath and a name with a hyphen.
-- From: the searchers of Lua 5.4: "os-fresh" calls luaopen_os.
local e = require "support"
package.cpath = "/usr/lib/x86_64-linux-gnu/liblua5.4.so.0;/usr/lib/?.so"
for _, name in ipairs { "os-fresh", "v1-os", "io", "posix" } do
  package.loaded[name] = nil
  e.fails(require, name)
end
e.held()
