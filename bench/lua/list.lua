-- Asks for the list of tasks so many times, and prints how many tasks it had. The account is of the tenant in this process,
-- the task API another server's.
local b2c = require "b2c"

b2c.accounts.sign_in { agent = "headless", username = "alice", password = "Wonderland-1" }
for _ = 1, tonumber(b2c.args[1]) do
  local tasks = b2c.tasks.list()
  assert(tasks[#tasks].text:find("^Task"), "the list is not what the server has")
  print(#tasks)
end
