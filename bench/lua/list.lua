-- Requests the list of tasks a given number of times and prints the number of tasks. The account belongs to the tenant
-- in this process; the task API is another server.
local b2c = require "b2c"

b2c.accounts.sign_in { agent = "headless", username = "alice", password = "Wonderland-1" }
for _ = 1, tonumber(b2c.args[1]) do
  local tasks = b2c.tasks.list()
  assert(tasks[#tasks].text:find("^Task"), "the list is not what the server has")
  print(#tasks)
end
