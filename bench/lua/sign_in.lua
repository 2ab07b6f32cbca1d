-- Prints the milliseconds of a sign-in for each of two ways of client authentication: the median of the processor time of
-- client and tenant, which are this process.
local b2c = require "b2c"
local accounts, jose, tenant = b2c.accounts, b2c.jose, b2c.tenant
local rounds = tonumber(b2c.args[1])

local key = jose.key.generate { alg = "ES256" }
jose.key.save(key, "bench")
local by_key = tenant.add_application {
  client_name = "Signs", token_endpoint_auth_method = "private_key_jwt", jwks = jose.key.public(key),
}
local by_secret = tenant.add_application { client_name = "Sends", token_endpoint_auth_method = "client_secret_post" }
local scopes = { "openid", "offline_access", "https://contoso.onmicrosoft.com/tasks/read" }
local ways = {
  b2c.settings.with {
    clientID = by_secret.client_id, clientSecret = by_secret.client_secret, clientAuthentication = "client_secret_post",
    scopes = scopes,
  },
  b2c.settings.with {
    clientID = by_key.client_id, clientAuthentication = "private_key_jwt", clientKey = "stored:bench", scopes = scopes,
  },
}

local times = { {}, {} }
for _ = 1, rounds do
  for way, settings in ipairs(ways) do
    local start = os.clock()
    accounts.sign_in { settings = settings, agent = "headless", username = "alice", password = "Wonderland-1" }
    table.insert(times[way], os.clock() - start)
  end
end
for _, list in ipairs(times) do
  table.sort(list)
  print(list[(#list + 1) // 2] * 1000)
end
