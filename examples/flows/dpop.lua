-- DPoP (RFC 9449): shows what a thief can do with a stolen token, with and without a key.
--
--   b2c-run --local examples/flows/dpop.lua

local b2c = require "b2c"
local accounts, http, tenant = b2c.accounts, b2c.http, b2c.tenant
local api = b2c.settings.taskAPI .. "/api/tasks"

--- Signs in, adds a task, and sends the account's token once more, as somebody who has only the token.
local function try(dpop)
  local account = accounts.sign_in {
    dpop = dpop, agent = "headless", username = "alice", password = "Wonderland-1", account_type = tostring(dpop),
  }
  b2c.tasks.add("Buy milk", { account = account })
  local kind, stolen = account:token_type(), account:token():reveal()
  local answer = http.get(api, { headers = { Authorization = kind .. " " .. stolen }, raise = false })
  print(("%-6s the account adds a task; the stolen token alone is answered %d"):format(kind, answer.status))
  return answer.status
end

assert(try(false) == 200)
assert(try(true) == 401)

-- Only the key of the sign-in redeems the refresh token, and the tenant may demand all that of everyone.
tenant.require { "dpop", "dpop_nonce" }
local account = accounts.sign_in { dpop = true, agent = "headless", username = "bob", password = "Skyscraper-2" }
account:refresh()
print("bob    signs in and refreshes with proofs that have the tenant's nonce")
