-- Prints the number of added rows and the seconds. The journal is where --store says: a file, or a database.
local b2c = require "b2c"
local path, in_flight = table.unpack(b2c.args)

b2c.accounts.sign_in { agent = "headless", username = "alice", password = "Wonderland-1" }
local report = b2c.tasks.import(path, { concurrency = tonumber(in_flight), resume = false, progress = false })
assert(report.failed == 0, "rows failed")
print(report.added, report.seconds)
