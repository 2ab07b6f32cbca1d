-- Adds a task for each new entry of a feed, without doubles over restarts and retries.
--
--   b2c-run --local serve examples/jobs
--   b2c-run --local examples/jobs/feed.lua       by hand, once
--
-- needs: --allow-net=feeds.example.com  reads the feed

local b2c = require "b2c"

local run = b2c.job {
  summary = "Adds a task for each new entry of a feed",
  on = { every = "30m" },
  retry = { attempts = 5, first = "10s", most = "10m" },
}

-- By hand the entries are here. As a job they come from the feed (https://www.jsonfeed.org).
local entries
if run.event.kind == "hand" then
  entries = { { id = "1", title = "Read the first entry" }, { id = "2", title = "Read the second entry" } }
else
  entries = b2c.http.get("https://feeds.example.com/feed.json"):json().items
end

if not b2c.accounts.current() then
  -- At the local tenant. Elsewhere, sign in once: b2c-run sign-in
  b2c.accounts.sign_in { agent = "headless", username = "alice", password = "Wonderland-1" }
end
local seen = run.state.seen or {}
for _, entry in ipairs(entries) do
  if not seen[entry.id] then
    -- A retry gets the stored result, and adds no second task.
    run.step("entry " .. entry.id, function()
      b2c.tasks.add(entry.title)
      return true
    end)
    print("added " .. entry.title)
  end
  seen[entry.id] = true
end
run.state.seen = seen
