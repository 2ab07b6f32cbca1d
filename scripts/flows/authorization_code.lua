-- Authorization code with PKCE (RFC 6749, 4.1; RFC 7636), state and nonce: the flow for people at a browser.
--
-- A flow gets a context and returns a token response. The context has
--   settings   where to sign in
--   policy     the policy's name, or nil
--   options    those of accounts.sign_in: scopes, prompt, login_hint, ui_locales, parameters
--   agent      for browser.open: a terminal, a page filler, …
-- The host validates the ID token of what is returned, with the nonce sent here, before there is an account.

local b2c = require "b2c"
local oauth, browser = b2c.oauth, b2c.browser

return function(ctx)
  local options = ctx.options
  local pkce, state = oauth.pkce(), oauth.random()

  local url = oauth.authorize_url {
    policy = ctx.policy,
    scopes = options.scopes,
    state = state,
    nonce = oauth.random(),
    pkce = pkce,
    prompt = options.prompt,
    login_hint = options.login_hint,
    ui_locales = options.ui_locales,
    parameters = options.parameters,
  }

  local answer = oauth.redirect(browser.open(url, { agent = ctx.agent }), { state = state })

  return oauth.token {
    grant_type = "authorization_code",
    policy = ctx.policy,
    scopes = options.scopes,
    code = answer.code,
    redirect_uri = ctx.settings.redirectURL,
    code_verifier = pkce.verifier,
  }
end
