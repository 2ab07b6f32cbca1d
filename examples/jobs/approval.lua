-- Asks a person before it adds a task, and waits for days without a process.
--
--   b2c-run --local serve examples/jobs --hooks 9000
--   curl -d '{"text": "Order a new desk"}' localhost:9000/hooks/request

local b2c = require "b2c"

local run = b2c.job {
  summary = "Adds a task when somebody approves it",
  on = { webhook = "/hooks/request", scheme = "none" },
}

if run.event.kind == "hand" then return print "send a request to the webhook" end

local text = run.event.json().text
-- Nobody can guess the address. A later process of the run gets the same one.
local path = run.step("address", function() return "/approve/" .. b2c.oauth.random() end)
run.step("ask", function() print(("approve '%s' at http://localhost:9000%s"):format(text, path)) end)

if run.wait_for { webhook = path, timeout = "3d" } then
  if not b2c.accounts.current() then
    -- At the local tenant. Elsewhere, sign in once: b2c-run sign-in
    b2c.accounts.sign_in { agent = "headless", username = "alice", password = "Wonderland-1" }
  end
  run.step("add", function() b2c.tasks.add(text) end)
  print("added " .. text)
else
  print("nobody approved " .. text)
end
