-- Imports a list each night. The job failures.lua reports a failure.
--
-- needs: --allow-read=data  the list to import

local b2c = require "b2c"

local run = b2c.job {
  summary = "Imports the list of the day",
  on = { calendar = { time = "02:30" } },
  retry = { attempts = 3, first = "5m", most = "1h" },
  timeout = "2h",
}

if not b2c.accounts.current() then
  -- At the local tenant. Elsewhere, sign in once: b2c-run sign-in
  b2c.accounts.sign_in { agent = "headless", username = "alice", password = "Wonderland-1" }
end
if run.event.kind == "hand" then
  print "by hand there is nothing to import"
else
  local report = b2c.tasks.import("data/today.csv", { resume = "match" })
  print(report.added .. " added, " .. report.failed .. " failed")
  if report.failed > 0 then error { code = "failed_rows", message = report.failed .. " rows failed" } end
end
