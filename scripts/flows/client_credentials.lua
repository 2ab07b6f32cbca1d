-- Client credentials (RFC 6749, 4.4): an application signs in as itself, for work without a user. The flow needs a
-- confidential client (a secret, key or certificate in the settings) and the application permissions of an API.
--
--   accounts.sign_in { flow = "client_credentials", scopes = { "https://contoso.onmicrosoft.com/tasks/.default" } }
--
-- There is no user, so there is no ID token and no refresh token. The name of the account is the client ID. The program
-- requests a new access token when the old token expires.

local b2c = require "b2c"
local oauth = b2c.oauth

return function(ctx)
  local settings = ctx.settings
  if not (settings.clientSecret or settings.clientKey or settings.clientCertificate) then
    error {
      code = "missing_credentials",
      message = "the flow client_credentials needs clientSecret, clientKey or clientCertificate in the settings",
      hint = "a public client cannot prove who it is: use an application that is registered with one of them",
    }
  end

  return oauth.token {
    grant_type = "client_credentials",
    policy = ctx.policy,
    scopes = ctx.options.scopes,
    resource = ctx.options.resource,
    authorization_details = ctx.options.authorization_details,
  }
end
