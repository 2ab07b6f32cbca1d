-- Adds a few tasks, and lists them all.
--
--   b2c-run --local PATH.lua     with a tenant on this machine
--   b2c-run PATH.lua             with that of settings.plist
--
-- It needs nothing but the provider and the task API of the settings. A script that needs more says so here, in lines
-- such as "needs: --allow-net=hooks.example.com  posts the summary there"; the user who runs it grants that, or does not.

local b2c = require "b2c"
local accounts, tasks, tenant = b2c.accounts, b2c.tasks, b2c.tenant

-- An account stays signed in, also for the next run. If there is none, the user signs in: in the browser, or with the local
-- tenant as its first user.
local account = accounts.current()
if not account then
  account = tenant.is_running() and tenant.sign_in() or accounts.sign_in()
end
print("signed in as " .. account.name)

-- An import reads a file, such as tasks.import "tasks.csv", or takes what a function returns until that is nil.
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
