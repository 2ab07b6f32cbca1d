-- Prints the number of added rows and the seconds. The account belongs to the tenant in this process; the task API is
-- another server.
local b2c = require "b2c"
local path, in_flight, journal = table.unpack(b2c.args)

b2c.accounts.sign_in { agent = "headless", username = "alice", password = "Wonderland-1" }
local report = b2c.tasks.import(path, { concurrency = tonumber(in_flight), journal = journal, progress = false })
assert(report.failed == 0, "rows failed")
print(report.added, report.seconds)
