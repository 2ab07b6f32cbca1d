-- Backchannel authentication (CIBA): the provider asks the user on another device, and the program waits for the answer.
-- Here the script answers in place of the user. Without tenant.approve, the answer comes from the tenant's status page.
--
--   b2c-run --local examples/flows/backchannel.lua

local b2c = require "b2c"
local accounts, tenant = b2c.accounts, b2c.tenant

-- The application must prove who it is: this one of the local tenant has a secret.
local application = b2c.settings.with {
  clientID = "b7d2e8c1-93f4-4a6d-8e05-27c9f1a4d36b", clientSecret = "local-secret-of-the-web-app",
}

local function ask(username)
  return accounts.sign_in {
    flow = "backchannel", settings = application, login_hint = username, binding_message = "Order 7",
  }
end

tenant.approve "alice"
print(ask("alice").name .. " agrees")

tenant.deny "bob"
local done, problem = pcall(ask, "bob")
assert(not done)
print("bob refuses: " .. problem.code)
