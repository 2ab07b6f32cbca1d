-- Has the host write the rows that failed beside their source: through links that lie there, and in no folder at all.
-- From: a planted link under a name that a program is known to use (CWE-59, CWE-377).
-- status: 5
local e = require "support"
local b2c = require "b2c"
b2c.tenant.sign_in()
for _, name in ipairs { "bad.csv", "dangling.csv", "worse.csv" } do
  b2c.tasks.import(name, { journal = false, progress = false })
end
e.gone(io.open "worse.csv.failed.ndjson", "rows that failed, without a permission to write")
e.held()
