-- Rich authorization requests (RFC 9396): the application says in detail what it wants to do. The user sees it, the token
-- has it, and the API obeys it.
--
--   b2c-run --local examples/flows/rich_authorization.lua

local b2c = require "b2c"
local oauth, tasks = b2c.oauth, b2c.tasks

local function sign_in(actions)
  return b2c.accounts.sign_in {
    authorization_details = { { type = "task_list", actions = actions } },
    agent = "headless", username = "alice", password = "Wonderland-1", account_type = table.concat(actions, " and "),
  }
end

local writer, reader = sign_in { "read", "write" }, sign_in { "read" }
for _, account in ipairs { writer, reader } do
  local _, claims = oauth.decode(account:token())
  local granted = claims.authorization_details[1]
  print(("granted: %s of %s at %s"):format(
    table.concat(granted.actions, " and "), granted.lists[1], granted.locations[1]:match "/api/.*"))
end

tasks.add("Buy milk", { account = writer })
print(("the reader sees %d task"):format(#tasks.list { account = reader }))

-- A refresh keeps the details.
reader:refresh()
local ok, problem = pcall(tasks.add, "Buy honey", { account = reader })
print(ok and "the reader added a task" or "the reader may not add a task: " .. problem.code)
assert(not ok)
