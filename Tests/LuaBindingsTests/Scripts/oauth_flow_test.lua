-- oauth.flow: a flow by its name, with hooks and options.

local b2c = require "b2c"
local accounts, oauth = b2c.accounts, b2c.oauth
local support = require "support"
local equal, failure, message = support.equal, support.failure, support.message

--- Signs alice in with the stock flow and changes.
local function with(changes, options)
  options = options or {}
  options.flow = function(ctx) return oauth.flow "authorization_code"(ctx, changes) end
  return support.sign_in(options)
end

-- Without changes it is the stock flow.
equal(with().name, "Alice Liddell")
equal(with({}).name, "Alice Liddell")

-- Hooks change the requests in place, or return others; the response, too.
local seen = {}
local account = with({
  prompt = "login",
  before_authorize = function(request)
    seen.prompt, seen.state, seen.method = request.prompt, request.state, request.pkce.method
    request.ui_locales = "de"
    request.parameters = { campaign = "autumn" }
  end,
  before_token = function(request)
    seen.grant, seen.code = request.grant_type, request.code
    local other = { extra = "more" }
    for name, value in pairs(request) do other[name] = value end
    return other
  end,
  after_token = function(response) seen.token = response.access_token end,
}, { login_hint = "alice" })
equal(seen.prompt, "login")
equal(seen.method, "S256")
equal(seen.grant, "authorization_code")
assert(#seen.state > 20 and seen.code and seen.token)
equal(account:token():reveal(), seen.token:reveal())

-- An option in the changes replaces that of the sign-in; the others stay.
local options
with({ before_authorize = function(request) options = request end, login_hint = "bob", scopes = "openid offline_access" },
  { login_hint = "alice", ui_locales = "fr", access_token = false })
equal(options.login_hint, "bob")
equal(options.ui_locales, "fr")
equal(table.concat(options.scopes, " "), "openid offline_access")

-- A refusal of a hook is the failure of the sign-in, and makes no account.
local count = #accounts.all()
equal(message(with, { after_token = function() error("not today", 0) end }, { account_type = "refused" }), "not today")
equal(#accounts.all(), count)

-- The host checks what a hook leaves behind.
equal(failure(with, { before_token = function(request) request.code_verifier = ("x"):rep(43) end }).details.error,
  "invalid_grant")
equal(failure(with, { before_authorize = function(request) request.promt = "none" end }).message,
  "oauth.authorize_url: unknown option 'promt'")
equal(failure(with, { before_token = function() return "x" end }).message,
  "before_token returned a string, expected a table or nothing")
equal(failure(with, { befor_token = print }).hint, "did you mean 'before_token'?")
equal(failure(oauth.flow, "authorisation_code").hint, "did you mean 'authorization_code'?")

-- Calls of a hook have no hooks.
local order = {}
with {
  before_authorize = function()
    order[#order + 1] = "authorize"
    oauth.authorize_url { state = "another" }
  end,
  before_token = function() order[#order + 1] = "token" end,
}
equal(table.concat(order, " "), "authorize token")

-- Another flow works, too; what the script calls besides it has no hooks.
local tokens = 0
local ropc = support.sign_in {
  policy = "ropc",
  flow = function(ctx)
    local response = oauth.flow "password"(ctx, { before_token = function() tokens = tokens + 1 end })
    oauth.token { grant_type = "refresh_token", refresh_token = response.refresh_token, policy = ctx.policy }
    return response
  end,
}
equal(ropc.name, "Alice Liddell")
equal(tokens, 1)
