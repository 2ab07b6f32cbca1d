-- Imports a file with a journal, and prints the number of added rows, the seconds and the peak memory of the process in
-- KiB. The account belongs to the tenant in this process. The task API is another server, which gets a request at the
-- start.
local b2c = require "b2c"
local path, in_flight, journal = table.unpack(b2c.args)

b2c.accounts.sign_in { agent = "headless", username = "alice", password = "Wonderland-1" }
b2c.http.get(b2c.settings.taskAPI .. "/begin", { raise = false })
local report = b2c.tasks.import(path, { concurrency = tonumber(in_flight), journal = journal, progress = false })
assert(report.failed == 0, "rows failed")
local status <close> = assert(io.open "/proc/self/status")
print(report.added, report.seconds, status:read("a"):match "VmHWM:%s+(%d+)")
