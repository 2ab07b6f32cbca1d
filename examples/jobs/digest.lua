-- Counts the open tasks each Monday morning, and compares with the week before.
--
--   b2c-run jobs next digest --folder examples/jobs

local b2c = require "b2c"

local run = b2c.job {
  summary = "Counts the open tasks of the week",
  on = { calendar = { weekday = "mon", time = "08:00" }, zone = "Europe/Athens" },
  catch_up = "one",
}

if not b2c.accounts.current() then
  -- At the local tenant. Elsewhere, sign in once: b2c-run sign-in
  b2c.accounts.sign_in { agent = "headless", username = "alice", password = "Wonderland-1" }
end
local open, done = 0, 0
for task in b2c.tasks.each() do
  if task.completed then done = done + 1 else open = open + 1 end
end
local before = run.state.open
print(("%d open, %d done%s"):format(open, done, before and (", %+d since last week"):format(open - before) or ""))
run.state.open = open
