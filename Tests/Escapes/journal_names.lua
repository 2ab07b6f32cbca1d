-- Names a writable journal whose lock is a symbolic link to outside, or whose name SQLite reads as a URI.
-- From: files that a library makes beside the given file; sqlite.org/uri.html.
-- flags: --allow-write=.
local e = require "support"
local b2c = require "b2c"
b2c.tenant.sign_in()
e.fails(b2c.tasks.import, "rows.csv", { journal = "locked.db", progress = false })
pcall(b2c.tasks.import, "rows.csv", { journal = "file:../outside/uri.db", progress = false })
pcall(b2c.tasks.import, "rows.csv", { journal = "file:../outside/canary.txt?mode=rwc", progress = false })
e.held()
