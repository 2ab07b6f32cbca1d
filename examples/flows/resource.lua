-- Resource indicators (RFC 8707): a token for one API, which another API refuses. The token stays that of the API in each
-- refresh.
--
--   b2c-run --local examples/flows/resource.lua

local b2c = require "b2c"
local oauth = b2c.oauth
local api = "https://contoso.onmicrosoft.com/tasks"

local function sign_in(resource)
  return pcall(b2c.accounts.sign_in, {
    resource = resource, scopes = { "openid", "offline_access", api .. "/read" }, account_type = resource,
    agent = "headless", username = "alice", password = "Wonderland-1",
  })
end

local function audience(account)
  local _, claims = oauth.decode(account:token())
  return claims.aud
end

local ok, account = sign_in(api)
assert(ok, account)
print("the token is for " .. audience(account))
account:refresh()
print("after a refresh for " .. audience(account))
assert(audience(account) == api)
print(("the API has %d tasks"):format(#b2c.tasks.list { account = account }))

local _, unknown = sign_in "https://api.example.com/"
print(("another API: %s"):format(unknown.code))
local _, wrong = sign_in "tasks"
print(wrong.message)
