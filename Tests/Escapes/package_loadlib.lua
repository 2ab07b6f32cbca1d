-- Loads native code with the package library.
-- From: CVE-2022-0543, where Debian's Redis kept package.loadlib; modules of Garry's Mod.
local e = require "support"
e.gone(package.loadlib, "package.loadlib")
for _, library in ipairs { "liblua5.4.so.0", "/usr/lib/x86_64-linux-gnu/liblua5.4.so.0", "*" } do
  e.fails(function() return package.loadlib(library, "luaopen_os") end)
end
e.held()
