-- Makes the host write the failed rows in a writable folder, where a symbolic link leads out.
-- From: a planted link (CWE-59), with the permission for the folder only.
-- flags: --allow-write=.
-- status: 5
local e = require "support"
local b2c = require "b2c"
b2c.tenant.sign_in()
for _, name in ipairs { "bad.csv", "dangling.csv" } do
  e.fails(b2c.tasks.import, name, { journal = false, progress = false })
end
e.held()
