-- Writes code that later runs of other scripts would load.
-- From: persistence by plugin folders: editors, shells, git hooks.
-- flags: --allow-read --allow-write
local e = require "support"
for _, name in ipairs { "evil.lua", "../plugins/evil.lua", "evil/init.lua" } do
  e.denied(io.open, e.home .. "/.local/share/b2c-run/plugins/" .. name, "w")
end
-- Plugin folders of the current folder, both existing and missing ones.
io.open("mine.lua", "w"):write("return {}"):close()
for _, name in ipairs { "plugins", "plugins/evil.lua", "./folder/../plugins/evil.lua" } do
  e.denied(io.open, name, "w")
  e.denied(os.rename, "mine.lua", name)
  e.denied(os.rename, "folder", name)
end
e.denied(require "b2c".tasks.export, "plugins/evil.lua", { format = "text" })
e.denied(io.open, e.home .. "/.config/b2c-run/settings.plist", "a")
e.held()
