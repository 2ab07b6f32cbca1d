-- Makes the host write the failed rows beside their source: through existing symbolic links, and into a missing folder.
-- From: a planted link with a name that a program is known to use (CWE-59, CWE-377).
-- status: 5
local e = require "support"
local b2c = require "b2c"
b2c.tenant.sign_in()
for _, name in ipairs { "bad.csv", "dangling.csv", "worse.csv" } do
  b2c.tasks.import(name, { journal = false, progress = false })
end
e.gone(io.open "worse.csv.failed.ndjson", "rows that failed, without a permission to write")
e.held()
