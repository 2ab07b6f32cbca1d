-- Two accounts of two policies side by side. Each account keeps its policy, because Azure AD B2C refuses a refresh
-- token at any other policy (AADB2C90088).
--
--   b2c-run --local examples/flows/two_accounts.lua

local b2c = require "b2c"
local accounts, tasks, tenant = b2c.accounts, b2c.tasks, b2c.tenant

local home = accounts.sign_in {
  account_type = "home", policy = "b2c_1_signin",
  agent = "headless", username = "alice", password = "Wonderland-1",
}
local work = accounts.sign_in {
  account_type = "work", policy = "mfa",
  agent = "headless", username = "bob", password = "Skyscraper-2",
  otp = function() return tenant.outbox()[#tenant.outbox()].code end,
}

tasks.add("Feed the white rabbit", { account = home })
tasks.add("Water the plants on the 21st floor", { account = work })

for _, account in ipairs(accounts.all()) do
  account:refresh() -- each at its own policy
  print(("%-5s %-15s %-12s %s"):format(
    account.account_type, account.name, account.policy, tasks.list({ account = account })[1].text))
end

-- The account that signed in last is the current account, until another one is selected.
print("current: " .. accounts.current().name)
accounts.use(assert(accounts.find { account_type = "home" }))
print("current: " .. accounts.current().name)
