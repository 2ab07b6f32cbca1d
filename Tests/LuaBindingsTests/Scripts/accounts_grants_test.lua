-- The host makes an account from the very response that the flow returned, whatever else the flow requested.

local b2c = require "b2c"
local accounts, browser, oauth, settings, tenant = b2c.accounts, b2c.browser, b2c.oauth, b2c.settings, b2c.tenant
local support = require "support"
local equal, failure, message = support.equal, support.failure, support.message

--- The authorization code flow; `after` gets its tokens and returns those of the flow.
local function flow(after)
  return function(ctx)
    local pkce, state = oauth.pkce(), oauth.random()
    local url = oauth.authorize_url { scopes = ctx.options.scopes, state = state, nonce = oauth.random(), pkce = pkce }
    local answer = oauth.redirect(browser.open(url, { agent = ctx.agent }), { state = state })
    return after(oauth.token {
      grant_type = "authorization_code", code = answer.code, redirect_uri = ctx.redirect_uri,
      code_verifier = pkce.verifier,
    }, ctx)
  end
end

-- The flow also gets a token of the application's own: the user stays the user when the tokens are renewed.
local web = tenant.applications.web
local web_settings = settings.with { clientID = web.client_id, clientSecret = web.client_secret }
local application = { grant_type = "client_credentials", scopes = { "https://contoso.onmicrosoft.com/tasks/.default" } }
local alice = support.sign_in {
  settings = web_settings, scopes = { "openid", "offline_access", "https://contoso.onmicrosoft.com/tasks/read" },
  flow = flow(function(tokens)
    oauth.token(application)
    return tokens
  end),
}
local _, claims = oauth.decode(alice:refresh())
equal(claims.sub, alice.claims.sub)
equal(claims.roles, nil)

-- Nor does having asked for such a token make tokens without a user an account.
equal(failure(support.sign_in, { settings = web_settings, flow = function()
  oauth.token(application)
  return { access_token = "of somebody" }
end }).code, "missing_id_token")

-- A provider that says only when the token expires, not in how many seconds.
local expiring = support.sign_in { account_type = "expiring", flow = flow(function(tokens)
  tokens.expires_in, tokens.expires_at = nil, os.time() + 1000
  return tokens
end) }
assert(math.abs(expiring.expires_at - os.time() - 1000) <= 5)

-- The password policy is that of the flow "password" alone: a handler goes on with another flow, by another policy.
do
  local attempts = {}
  local subscription <close> = accounts.on_failed(function(problem)
    attempts[problem.attempt] = problem.policy
    if problem.attempt == 1 then return { flow = "authorization_code", password = "Skyscraper-2" } end
  end)
  equal(support.sign_in({ username = "bob", password = "wrong", flow = "password" }).policy, "b2c_1_susi")
  equal(table.concat(attempts, " "), "b2c_1_ropc")
end

-- A flow's context that is kept after the flow takes no port.
local kept
failure(accounts.sign_in, { agent = "system", flow = function(ctx) kept = ctx error "enough" end })
equal(message(function() return kept.redirect_uri end), "the flow is over, and nothing comes back to it")

-- A one-time code that a function does not give.
tenant.users.add { username = "otto", password = "Authenticator-1", otp = "JBSWY3DPEHPK3PXP" }
equal(message(support.sign_in, { username = "otto", password = "Authenticator-1", otp = function() end }),
  "otp: the function returned a nil, expected the one-time code")

-- Parameters with parts have no place in a URL.
equal(message(support.sign_in, { parameters = { claims = { id_token = { essential = true } } } }),
  "oauth.authorize_url: option 'parameters': claims: expected a string or a list, got a table with names")

-- Scopes are words, even if one text contains several words.
equal(failure(support.sign_in, { scopes = { "openid offline_access", "" } }).code, "no_access_token_scopes")

-- Who was signed out can sign in again, also at another provider's settings.
local other = support.sign_in { account_type = "other", settings = web_settings, scopes = { "openid", web.client_id } }
accounts.sign_out(other)
equal(failure(support.sign_in, { account = other }).details.error, "invalid_client")
equal(support.sign_in({ account = other, settings = web_settings }).account_type, "other")
