-- Resource owner password credentials (RFC 6749, 4.3; "ROPC"): user name and password go to the token endpoint, without
-- a page. Azure AD B2C has a policy of its own for it, policies.ropc in the settings, and no second factor.
--
--   accounts.sign_in { flow = "password", username = "alice", password = b2c.term.password "Password" }
--
-- It is for tests and for moving old programs. The program sees the password, so people had better type it into a page.

local b2c = require "b2c"
local oauth = b2c.oauth

return function(ctx)
  local options = ctx.options
  for _, name in ipairs { "username", "password" } do
    if not options[name] then
      error { code = "missing_credentials", message = "the flow password needs the option " .. name }
    end
  end

  return oauth.token {
    grant_type = "password",
    policy = ctx.policy,
    scopes = options.scopes,
    username = options.username,
    password = options.password,
    response_type = "token id_token", -- B2C requires this value here, and other providers ignore it
  }
end
