-- Client authentication with a private key (private_key_jwt) instead of a client secret: each request to the provider has a
-- new signed assertion. The key stays in the account store; the provider has only its public half.
--
--   b2c-run --local examples/flows/client_key.lua

local b2c = require "b2c"
local accounts, jose, tenant = b2c.accounts, b2c.jose, b2c.tenant

local key = jose.key.generate { alg = "ES256" }
jose.key.save(key, "my client")
local app = tenant.add_application {
  client_name = "Local tasks app with a key", token_endpoint_auth_method = "private_key_jwt",
  jwks = jose.key.public(key),
}

local settings = b2c.settings.with {
  clientID = app.client_id, clientAuthentication = "private_key_jwt", clientKey = "stored:my client",
  scopes = { "openid", "offline_access", "https://contoso.onmicrosoft.com/tasks/read" },
}
local account = accounts.sign_in {
  settings = settings, agent = "headless", username = "alice", password = "Wonderland-1",
}
print("signed in as " .. account.name)

account:refresh()
print("refreshed with another assertion")

-- A secret proves nothing here: the application has none.
local other = b2c.settings.with { clientID = app.client_id, clientSecret = "guess" }
local ok, problem = pcall(accounts.sign_in, {
  settings = other, agent = "headless", username = "alice", password = "Wonderland-1",
})
print(("with a secret: %s"):format(ok and "signed in" or problem.code))
