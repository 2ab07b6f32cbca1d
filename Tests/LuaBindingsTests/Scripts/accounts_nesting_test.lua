-- A handler that starts what calls it comes to an end, wherever the host calls it.
local b2c = require "b2c"
local account = b2c.tenant.sign_in()

local depth, deepest = 0, 0
local problem
local subscription = b2c.accounts.on_changed(function()
  depth = depth + 1
  if depth > deepest then deepest = depth end
  account.data.depth = depth
  local ok, raised = pcall(account.save, account)
  if not ok and not problem then problem = raised end
  depth = depth - 1
end)
account.data.depth = 0
account:save()
assert(deepest == 200, deepest)
assert(
  tostring(problem):find "account:save does not call the function at .*accounts_nesting_test.lua:7: 200 calls of script functions lie within each other already",
  tostring(problem))
subscription:close()

-- A map that imports.
local maps = 0
local function rows()
  local given = false
  return function()
    if not given then
      given = true
      return { text = "a task" }
    end
  end
end
local function map()
  maps = maps + 1
  b2c.tasks.import(rows(), { map = map, journal = false })
end
local ok = pcall(b2c.tasks.import, rows(), { map = map, journal = false })
assert(not ok or maps <= 201, maps)
assert(maps <= 201, maps)

-- Progress of a request that makes one.
local requests = 0
local function progress()
  requests = requests + 1
  b2c.http.get(b2c.tenant.url .. "/", { on_progress = progress, raise = false })
end
pcall(b2c.http.get, b2c.tenant.url .. "/", { on_progress = progress, raise = false })
assert(requests <= 1000, requests)
