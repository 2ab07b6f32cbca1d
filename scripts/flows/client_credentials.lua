-- Client credentials (RFC 6749, 4.4): an application signs in as itself, for work without a user. It needs a
-- confidential client, that is clientSecret in the settings, and an API's permissions as application roles.
--
--   accounts.sign_in { flow = "client_credentials", scopes = { "https://contoso.onmicrosoft.com/tasks/.default" } }
--
-- There is no user, hence no ID token and no refresh token: the account's name is the client ID, and its access token
-- is asked for anew when it is due.

local b2c = require "b2c"
local oauth = b2c.oauth

return function(ctx)
  if not ctx.settings.clientSecret then
    error {
      code = "missing_credentials",
      message = "the flow client_credentials needs clientSecret in the settings",
      hint = "a public client cannot prove who it is: use an application that is registered with a secret",
    }
  end

  return oauth.token {
    grant_type = "client_credentials",
    policy = ctx.policy,
    scopes = ctx.options.scopes,
  }
end
