-- Device authorization (RFC 8628): the user opens a page on another device, types a short code and signs in. The flow is
-- for machines without a browser. Microsoft Entra supports the flow; Azure AD B2C does not.
--
--   accounts.sign_in { flow = "device_code", agent = "terminal" }

local b2c = require "b2c"
local oauth, browser = b2c.oauth, b2c.browser

return function(ctx)
  local device = oauth.device_code {
    policy = ctx.policy,
    scopes = ctx.options.scopes,
    resource = ctx.options.resource,
    authorization_details = ctx.options.authorization_details,
  }
  browser.show(device.verification_uri_complete or device.verification_uri, {
    agent = ctx.agent,
    code = device.user_code,
  })

  -- The provider's response contains the time limit and the polling interval. The provider tells when the user has signed in.
  local done, answer = pcall(oauth.poll, {
    grant_type = "urn:ietf:params:oauth:grant-type:device_code",
    policy = ctx.policy,
    device_code = device.device_code,
    resource = ctx.options.resource,
  }, { expires_in = device.expires_in, interval = device.interval })
  if done then return answer end
  if answer.code == "expired_token" and not (answer.details and answer.details.error) then
    error {
      code = "expired_token",
      message = "nobody signed in with the code " .. device.user_code .. " in time",
      hint = "sign in again, with a new code",
    }
  end
  error(answer, 0)
end
