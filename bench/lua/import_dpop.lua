-- Prints the rows per second of an import without DPoP, and of one with DPoP. The account belongs to the tenant in this process;
-- the task API is another server, which checks nothing.
local b2c = require "b2c"
local path, in_flight, journal = table.unpack(b2c.args)

for _, dpop in ipairs { false, true } do
  local account = b2c.accounts.sign_in {
    dpop = dpop, agent = "headless", username = "alice", password = "Wonderland-1", account_type = tostring(dpop),
  }
  local report = b2c.tasks.import(path, {
    account = account, concurrency = tonumber(in_flight), progress = false,
    journal = journal .. tostring(dpop),
  })
  assert(report.failed == 0, "rows failed")
  print(report.added / report.seconds)
end
