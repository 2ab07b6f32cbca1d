-- Resource owner password credentials (RFC 6749, 4.3; "ROPC"): the program sends the user name and the password to the
-- token endpoint, without a page. Azure AD B2C needs a separate policy for this flow (policies.ropc in the settings) and
-- asks for no second factor.
--
--   accounts.sign_in { flow = "password", username = "alice", password = b2c.term.password "Password" }
--
-- Use the flow for tests and for the migration of old programs. The program sees the password, so other sign-ins should
-- use a page.

local b2c = require "b2c"
local oauth = b2c.oauth

return function(ctx)
  local options = ctx.options
  local username = options.username or options.login_hint
  local missing = not username and "username" or not options.password and "password"
  if missing then error { code = "missing_credentials", message = "the flow password needs the option " .. missing } end

  return oauth.token {
    grant_type = "password",
    policy = ctx.policy,
    scopes = options.scopes,
    resource = options.resource,
    authorization_details = options.authorization_details,
    username = username,
    password = options.password,
    response_type = "token id_token", -- B2C requires this value here, and other providers ignore it
  }
end
