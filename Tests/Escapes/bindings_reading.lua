-- Reads files with functions of the host that take a path.
-- From: the confused deputy: a host that guards io but opens every path that a script names.
local e = require "support"
local b2c = require "b2c"
b2c.tenant.sign_in()
local path = e.outside .. "/canary.txt"
for _, name in ipairs { path, "link.txt", "../outside/canary.txt", "linked/canary.txt" } do
  e.denied(b2c.csv.rows, name)
  e.denied(b2c.csv.count, name)
  e.denied(b2c.tasks.import, name, { format = "text" })
  e.denied(b2c.tasks.import, name, { dry_run = true })
  e.denied(b2c.http.post, b2c.tenant.url, { file = name })
  e.denied(b2c.http.post, b2c.tenant.url, { multipart = { x = { file = name } } })
  e.denied(b2c.http.put, b2c.tenant.url, { file = name })
  e.denied(b2c.accounts.current().request, b2c.accounts.current(), { url = b2c.tenant.url, file = name })
end
e.held()
