-- A flow that renews the tokens of its accounts itself: for providers whose refresh is not the one of RFC 6749. Here the
-- provider issues neither an ID token nor a refresh token, so the script says who signed in, and the refresh is a new grant.
--
--   b2c-run --local examples/flows/own_refresh.lua

local b2c = require "b2c"
local accounts, oauth = b2c.accounts, b2c.oauth

local function grant(username)
  return oauth.token {
    grant_type = "password", policy = "ropc", username = username, password = "Wonderland-1",
    scopes = { b2c.settings.clientID },
  }
end

-- The name is what an account remembers. A run without this flow cannot renew the tokens, and says so.
accounts.add_flow("grant_again", {
  sign_in = function(ctx) return grant(ctx.options.username) end,
  refresh = function(ctx)
    print("  the flow renews the tokens of " .. ctx.options.subject)
    return grant(ctx.options.subject)
  end,
})

local _, nobody = pcall(accounts.sign_in, { flow = "grant_again", policy = "ropc", username = "alice" })
print("without a subject: " .. nobody.code)

local account = accounts.sign_in { flow = "grant_again", policy = "ropc", username = "alice", subject = "alice" }
print(("%s is in, %s"):format(account.name, account.proven and "proven" or "as given"))

account:refresh()
b2c.tasks.add("Water the plants", { account = account })
print(("%d task"):format(#b2c.tasks.list { account = account }))
