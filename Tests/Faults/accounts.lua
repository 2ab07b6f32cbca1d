-- Changes an account store in which Alice is signed in. Prints what was done and what failed.
local b2c = require "b2c"
local accounts = b2c.accounts

local function step(name, work)
  local ok, problem = pcall(work)
  print(ok and "done" or "failed", name, ok and "" or tostring(problem))
end

step("refresh", function() accounts.current():refresh() end)
step("sign in", function() accounts.sign_in { agent = "headless", username = "bob", password = "Skyscraper-2" } end)
step("refresh", function() accounts.current():refresh() end)
step("sign out", function()
  for _, account in ipairs(accounts.all()) do
    if account.name:find "Alice" then accounts.sign_out(account) end
  end
end)
