-- Plans the import of each list that comes into the folder review, asks a person, and does exactly what the plan says.
--
--   b2c-run jobs allow review --folder examples/jobs
--   b2c-run --local serve examples/jobs --listen 8080
--
-- needs: --allow-read=review  the lists
-- needs: --allow-write=review  the plans, which wait beside their lists

local b2c = require "b2c"

local run = b2c.job {
  summary = "Imports the lists in the folder review when a person has approved their plans",
  on = { files = "review/*.csv" },
  overlap = "queue",
}

local function review(path)
  -- Stored with its digest: if somebody changes the file of the plan during the wait, tasks.apply refuses it.
  local plan = run.step("plan", function()
    local plan = b2c.tasks.plan(path, { key = "Nr", plan = path .. ".plan.json", report = path .. ".plan.html" })
    print(plan)
    return plan
  end)
  if run.event.kind == "hand" then return print "b2c-run serve asks a person at this point" end

  local question = ("Import %s: %d new tasks, %d changes?"):format(path, plan.counts.create, plan.counts.change)
  local answer, why = run.wait_for { approval = question, timeout = "3d" }
  if not answer then return print(("%s: nothing was changed (%s)"):format(path, why)) end
  print(b2c.tasks.apply(plan))
end

if not b2c.accounts.current() then
  -- At the local tenant. Elsewhere, sign in once: b2c-run sign-in
  b2c.accounts.sign_in { agent = "headless", username = "alice", password = "Wonderland-1" }
end
-- By hand: b2c-run --local jobs/review.lua review/list.csv
for _, file in ipairs(run.event.files or { { path = arg[1] } }) do
  if file.path then review(file.path) end
end
