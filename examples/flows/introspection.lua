-- Introspection (RFC 7662, RFC 9701): a token before and after its revocation, also with a signed answer; and userinfo.
--
--   b2c-run --local examples/flows/introspection.lua

local b2c = require "b2c"
local oauth, settings = b2c.oauth, b2c.settings

local tokens = oauth.token {
  grant_type = "password", policy = "ropc", username = "alice", password = "Wonderland-1", scopes = settings.scopes,
}
local user, compared = oauth.userinfo(tokens)
print(("userinfo: %s, %s"):format(user.name, compared and "the user of the ID token" or "not compared"))

local function look(when)
  local answer = oauth.introspect(tokens.access_token)
  local signed = oauth.introspect(tokens.access_token, { jwt = true })
  assert(answer.active == signed.active)
  print(("%s: active = %s, user = %s"):format(when, answer.active, answer.username))
end

look "fresh"
oauth.revoke(tokens.refresh_token)
look "revoked"
