-- Leaves code behind that later runs of anybody's scripts would load.
-- From: persistence by plugin folders: editors, shells, git hooks.
-- flags: --allow-read --allow-write
local e = require "support"
for _, name in ipairs { "evil.lua", "../plugins/evil.lua", "evil/init.lua" } do
  e.denied(io.open, e.home .. "/.local/share/b2c-run/plugins/" .. name, "w")
end
e.denied(io.open, e.home .. "/.config/b2c-run/settings.plist", "a")
e.held()
