-- Imports a file with a journal, and prints how many rows were added, the seconds it took and the most memory the process
-- had, in KiB. The account is of the tenant in this process, the task API another server's, which is told of the beginning.
local b2c = require "b2c"
local path, in_flight, journal = table.unpack(b2c.args)

b2c.accounts.sign_in { agent = "headless", username = "alice", password = "Wonderland-1" }
b2c.http.get(b2c.settings.taskAPI .. "/begin", { raise = false })
local report = b2c.tasks.import(path, { concurrency = tonumber(in_flight), journal = journal, progress = false })
assert(report.failed == 0, "rows failed")
local status <close> = assert(io.open "/proc/self/status")
print(report.added, report.seconds, status:read("a"):match "VmHWM:%s+(%d+)")
