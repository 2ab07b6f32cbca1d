-- Authorization code with PKCE (RFC 6749, 4.1; RFC 7636), state and nonce: the flow for users with a browser.
--
-- A flow receives a context and returns a token response. The context has these fields:
--   settings      the settings of the provider
--   policy        the policy's name, or nil
--   options       the options of accounts.sign_in: scopes, prompt, login_hint, max_age, parameters, …
--   agent         the agent, for browser.open
--   redirect_uri  the redirect URI
-- The host validates the ID token of the returned response, with the nonce sent here, before it makes an account.

local b2c = require "b2c"
local oauth, browser = b2c.oauth, b2c.browser

return function(ctx)
  local options = ctx.options
  local pkce, state = oauth.pkce(), oauth.random()

  local url = oauth.authorize_url {
    policy = ctx.policy,
    redirect_uri = ctx.redirect_uri,
    scopes = options.scopes,
    state = state,
    nonce = oauth.random(),
    pkce = pkce,
    response_mode = options.response_mode,
    prompt = options.prompt,
    login_hint = options.login_hint,
    domain_hint = options.domain_hint,
    id_token_hint = options.id_token_hint,
    ui_locales = options.ui_locales,
    max_age = options.max_age,
    acr_values = options.acr_values,
    resource = options.resource,
    authorization_details = options.authorization_details,
    parameters = options.parameters,
    par = options.par,
    request_object = options.request_object,
  }

  local answer = oauth.redirect(browser.open(url, { agent = ctx.agent }), {
    policy = ctx.policy,
    redirect_uri = ctx.redirect_uri,
    state = state,
  })

  return oauth.token {
    grant_type = "authorization_code",
    policy = ctx.policy,
    scopes = options.scopes,
    resource = options.resource,
    code = answer.code,
    redirect_uri = ctx.redirect_uri,
    code_verifier = pkce.verifier,
  }
end
