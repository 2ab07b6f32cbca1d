-- The checks before a sign-in find scopes that give no access token, and clocks that differ.

local b2c = require "b2c"
local oauth = b2c.oauth
local support = require "support"
local equal, failure = support.equal, support.failure

oauth.check_scopes()
oauth.check_scopes { "openid", b2c.settings.clientID }
oauth.check_scopes "openid https://contoso.onmicrosoft.com/tasks/Tasks.ReadWrite"
local e = failure(oauth.check_scopes, { "openid", "profile", "offline_access" })
equal(e.code, "no_access_token_scopes")
equal(failure(oauth.check_scopes, "").code, "no_access_token_scopes")
equal(support.message(oauth.check_scopes, { 1 }),
  "oauth.check_scopes: argument 1: expected a list of strings, got a number in it")

equal(oauth.clock_difference(), nil)
oauth.metadata()
assert(math.abs(oauth.clock_difference()) < 60)
