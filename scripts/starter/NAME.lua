-- Adds three tasks, and lists all tasks.
--
--   b2c-run --local PATH.lua     with a tenant on this machine
--   b2c-run PATH.lua             with the tenant of settings.plist
--
-- The script needs only the provider and the task API of the settings. A script that needs more permissions lists them
-- here, one per line: "needs: --allow-net=hooks.example.com  posts the summary there". The user grants them, or does not.

local b2c = require "b2c"
local accounts, tasks, tenant = b2c.accounts, b2c.tasks, b2c.tenant

-- An account stays signed in for the next run. Without an account, the user signs in: at the local tenant as its first
-- user, or else in the browser.
local account = accounts.current()
if not account then
  account = tenant.is_running() and tenant.sign_in() or accounts.sign_in()
end
print("signed in as " .. account.name)

-- An import reads a file, such as tasks.import "tasks.csv", or calls a function until it returns nil.
local texts = { "Buy milk", "Water the plants", "Call Alice" }
local position = 0
local report = tasks.import(function()
  position = position + 1
  return texts[position] and { text = texts[position] }
end)
print(report.added .. " added, " .. report.failed .. " failed")

for task in tasks.each() do
  print(task.id, task.text)
end

-- For the test, and for scripts that require this one.
return report
