-- Writes files with functions of the host that take a path.
-- From: the confused deputy, for writing.
local e = require "support"
local b2c = require "b2c"
b2c.tenant.sign_in()
b2c.tasks.add "Buy milk"
for _, name in ipairs { e.outside .. "/new.txt", "new.txt", "linked/new.txt", "dangling.txt", e.outside .. "/canary.txt" } do
  e.denied(b2c.tasks.export, name, { format = "text" })
  e.denied(b2c.tasks.import, "rows.csv", { journal = name })
  e.denied(b2c.tasks.import, "rows.csv", { report = name, journal = false })
  e.denied(b2c.tasks.import, "rows.csv", { failed_rows = name, journal = false })
end
e.held()
