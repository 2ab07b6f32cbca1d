-- Token exchange (RFC 8693): a token for another API, a token with fewer scopes, and a token that says who acts for the user.
--
--   b2c-run --local examples/flows/token_exchange.lua

local b2c = require "b2c"
local oauth, settings = b2c.oauth, b2c.settings
local read = "https://contoso.onmicrosoft.com/tasks/read"

--- Returns the access token of a user for the application itself.
local function sign_in(username, password)
  return oauth.token {
    grant_type = "password", policy = "ropc", username = username, password = password,
    scopes = { "openid", settings.clientID },
  }.access_token
end

local function show(title, token)
  local _, claims = oauth.decode(token)
  local api = claims.aud == settings.clientID and "the application" or "the tasks"
  print(("%-13s  %s at %s%s"):format(title, claims.name, api, claims.act and ", and somebody acts for her" or ""))
  return claims
end

local alice, bob = sign_in("alice", "Wonderland-1"), sign_in("bob", "Skyscraper-2")
show("before", alice)

-- Impersonation: the API sees only the user.
show("impersonation", oauth.exchange { subject_token = alice, scope = read }.access_token)

-- Delegation: the claim act names the user who acts for her.
local claims = show("delegation", oauth.exchange { subject_token = alice, actor_token = bob, scope = read }.access_token)
local _, actor = oauth.decode(bob)
assert(claims.act.sub == actor.sub)
print("the actor is " .. actor.name)
