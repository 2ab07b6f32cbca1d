-- Backchannel authentication (CIBA, poll mode): the provider asks the user on another device, such as a phone. The flow is for
-- call centers and machines that know the user's name. Azure AD B2C and Microsoft Entra do not support it.
--
--   accounts.sign_in { flow = "backchannel", login_hint = "alice", binding_message = "W4SCT" }

local b2c = require "b2c"
local oauth = b2c.oauth

return function(ctx)
  local options = ctx.options
  if not options.login_hint and not options.id_token_hint then
    error {
      code = "missing_credentials",
      message = "the flow backchannel needs the option login_hint or id_token_hint",
      hint = 'for example login_hint = "alice"',
    }
  end
  return oauth.backchannel {
    policy = ctx.policy,
    scope = options.scopes,
    login_hint = not options.id_token_hint and options.login_hint or nil,
    id_token_hint = options.id_token_hint,
    binding_message = options.binding_message,
    acr_values = options.acr_values,
  }
end
