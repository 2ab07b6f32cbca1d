-- The response modes (OAuth 2.0 Multiple Response Types; Form Post Response Mode): the response in the query, in the
-- fragment, or in a posted form. With jwt or .jwt, the provider signs the response (JARM). In all modes, the flow receives
-- the response as a URL.
--
--   b2c-run --local examples/flows/response_modes.lua

local b2c = require "b2c"
local accounts, browser, oauth = b2c.accounts, b2c.browser, b2c.oauth

for _, mode in ipairs { "query", "fragment", "form_post", "jwt", "form_post.jwt" } do
  local account = accounts.sign_in {
    agent = "headless",
    username = "alice",
    password = "Wonderland-1",
    response_mode = mode, -- the stock flow sends it
  }
  print(("%-13s %s is in"):format(mode, account.name))
end

-- The hybrid flow (OpenID Connect Core §3.3): an ID token comes with the code, before the code is redeemed. It must not
-- be in the query, because queries are written to logs.
local account = accounts.sign_in {
  agent = "headless",
  username = "bob",
  password = "Skyscraper-2",
  flow = function(ctx)
    local state, nonce, pkce = oauth.random(), oauth.random(), oauth.pkce()
    local url = oauth.authorize_url {
      policy = ctx.policy, scopes = ctx.options.scopes, state = state, nonce = nonce, pkce = pkce,
      response_type = "code id_token", response_mode = "fragment",
    }
    local answer = oauth.redirect(browser.open(url, { agent = ctx.agent }), { state = state })
    local claims = oauth.verify(answer.id_token, { policy = ctx.policy, nonce = nonce, code = answer.code })
    print("code id_token  " .. claims.name .. " is known before the code is redeemed")
    return oauth.token {
      grant_type = "authorization_code", policy = ctx.policy, code = answer.code,
      redirect_uri = ctx.redirect_uri, code_verifier = pkce.verifier,
    }
  end,
}
print("code id_token  " .. account.name .. " is in")
