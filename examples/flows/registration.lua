-- Dynamic registration: the script registers an application, signs in with it, and deletes it.
--
--   b2c-run --local examples/flows/registration.lua

local b2c = require "b2c"
local accounts, oauth = b2c.accounts, b2c.oauth

local app = oauth.register {
  client_name = "An application for one experiment", redirect_uris = { b2c.settings.redirectURL },
  token_endpoint_auth_method = "client_secret_jwt",
}
print(("registered, with a secret: %s"):format(app.client_secret))

local settings = b2c.settings.with {
  clientID = app.client_id, clientSecret = app.client_secret, clientAuthentication = app.token_endpoint_auth_method,
  scopes = { "openid", app.client_id },
}
local function sign_in()
  return accounts.sign_in { settings = settings, agent = "headless", username = "bob", password = "Skyscraper-2" }
end
print("signed in as " .. sign_in().name)

oauth.unregister(app)
local ok, problem = pcall(sign_in)
print("afterwards: " .. (ok and "signed in" or problem.code))
