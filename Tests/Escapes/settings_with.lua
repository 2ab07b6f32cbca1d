-- Signs in with changed settings, so that the password, the client secret and the code would go to another server.
-- From: attacks by configuration: a script's own settings must not select where secrets go.
local e = require "support"
local b2c = require "b2c"
local sign_in = { agent = "headless", username = "alice", password = "Wonderland-1" }
for _, name in ipairs { "tokenURL", "authURL", "authority", "taskAPI", "logoutURL", "loginURL" } do
  local settings = b2c.settings.with { [name] = e.listener .. "/contoso/b2c_1_susi/oauth2/v2.0/token" }
  sign_in.settings = settings
  for _, flow in ipairs { "authorization_code", "password", "device_code" } do
    sign_in.flow = flow
    e.denied(b2c.accounts.sign_in, sign_in)
  end
end
e.held()
