-- Makes an account from a refresh token (RFC 6749, 6) of another program of the same application, or of a backup.
--
--   accounts.sign_in { flow = "refresh", refresh_token = b2c.term.password "Refresh token" }
--
-- The program refreshes the tokens of accounts by itself. account:refresh() refreshes them at once.

local b2c = require "b2c"
local oauth = b2c.oauth

return function(ctx)
  local token = ctx.options.refresh_token
  if not token then
    error {
      code = "missing_credentials",
      message = "the flow refresh needs the option refresh_token",
      hint = "an account that is signed in refreshes its tokens by itself; account:refresh() does it at once",
    }
  end

  return oauth.token {
    grant_type = "refresh_token",
    -- Azure AD B2C accepts the refresh token only at the policy that issued it.
    policy = ctx.policy,
    scopes = ctx.options.scopes,
    resource = ctx.options.resource,
    authorization_details = ctx.options.authorization_details,
    refresh_token = token,
  }
end
