-- Keeps the source object that a plugin's format received, and reads it after its path leads elsewhere.
-- From: time of check, time of use (CWE-367), with an object that was kept.
-- flags: --allow-write=. --plugin keeper.lua
local e = require "support"
local b2c = require "b2c"
b2c.tenant.sign_in()
b2c.tasks.import("mine.kept", { journal = false, progress = false })
os.rename("link.csv", "mine.kept")
for _, method in ipairs { "lines", "rows" } do
  e.denied(function() for line in kept[method](kept) do e.escaped(type(line) == "table" and line.text or line) end end)
end
e.held()
