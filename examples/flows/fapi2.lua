-- The FAPI 2.0 Security Profile: the tenant enforces it, the sign-in keeps to it, and other sign-ins are refused before a
-- request is sent.
--
--   b2c-run --local examples/flows/fapi2.lua

local b2c = require "b2c"
local accounts, jose, tenant = b2c.accounts, b2c.jose, b2c.tenant

tenant.configure { profile = "fapi2" }

-- A registration of your own in place of the tenant's application with a key: the provider gets the public half.
local key = jose.key.generate { alg = "PS256" }
jose.key.save(key, "fapi2")
local app = b2c.oauth.register {
  client_name = "An application for FAPI 2.0", token_endpoint_auth_method = "private_key_jwt",
  jwks = jose.key.public(key), redirect_uris = { b2c.settings.redirectURL },
}
local settings = b2c.settings.with {
  profile = "fapi2", clientID = app.client_id, clientKey = "stored:fapi2",
  scopes = { "openid", "offline_access", app.client_id },
}

local function try(options)
  options.settings, options.agent = settings, "headless"
  options.username, options.password = "alice", "Wonderland-1"
  return pcall(accounts.sign_in, options)
end

-- The profile sets what it demands: PAR, PKCE with S256, DPoP, an assertion for the issuer.
local ok, account = try {}
assert(ok, account)
print(("%s is in, with tokens of the type %s"):format(account.name, account:token_type()))
account:refresh()
b2c.tasks.add("Read the profile", { account = account })

-- The profile refuses what it forbids, and names the section.
for _, options in ipairs { { par = false }, { dpop = false }, { flow = "password" } } do
  local _, refusal = try(options)
  print(("%s: %s"):format(refusal.code, refusal.message))
end
