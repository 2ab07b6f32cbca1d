-- Loads native code with the library of modules.
-- From: CVE-2022-0543, where Debian's Redis left package.loadlib in; Garry's Mod modules.
local e = require "support"
e.gone(package.loadlib, "package.loadlib")
for _, library in ipairs { "liblua5.4.so.0", "/usr/lib/x86_64-linux-gnu/liblua5.4.so.0", "*" } do
  e.fails(function() return package.loadlib(library, "luaopen_os") end)
end
e.held()
