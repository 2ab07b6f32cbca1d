-- Signs in without a page (prompt=none; OpenID Connect Core, 3.1.2.1) while the session at the provider lasts.
--
-- The session is in the system's browser, or in a named session of the headless agent or of the window:
--
--   accounts.sign_in { agent = "headless", session = "work", username = …, password = … }
--   accounts.sign_in { flow = "silent", agent = "headless", session = "work", policy = "edit" }
--
-- Without a session, the provider responds with login_required, interaction_required or AADB2C90077. Then sign in with a
-- page:
--
--   accounts.on_failed(function(failure)
--     if failure.error.details.error:find "_required$" then return { flow = "authorization_code" } end
--   end)

local b2c = require "b2c"
local oauth, browser = b2c.oauth, b2c.browser

return function(ctx)
  local options = ctx.options
  if ctx.agent.kind == "terminal" then
    error {
      code = "no_session",
      message = "a silent sign-in needs the session of a browser",
      hint = 'use agent = "system", or "headless" or "webview" with session = "NAME"',
    }
  end

  local pkce, state = oauth.pkce(), oauth.random()
  local url = oauth.authorize_url {
    policy = ctx.policy,
    redirect_uri = ctx.redirect_uri,
    scopes = options.scopes,
    state = state,
    nonce = oauth.random(),
    pkce = pkce,
    response_mode = options.response_mode,
    prompt = "none",
    -- The hint names the user whose session it must be. Without a hint, any user's session will do.
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
