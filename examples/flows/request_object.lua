-- Request objects (RFC 9101): the parameters of the sign-in as a JWT that the application signs, so that nobody on the way
-- through the browser can change them.
--
--   b2c-run --local examples/flows/request_object.lua

local b2c = require "b2c"
local accounts, jose, tenant = b2c.accounts, b2c.jose, b2c.tenant

-- The application keeps the key; the provider knows its public half.
local key = jose.key.generate { alg = "ES256" }
jose.key.save(key, "my client")
local app = tenant.add_application {
  client_name = "Tasks app with signed requests", token_endpoint_auth_method = "private_key_jwt",
  jwks = jose.key.public(key),
}
local settings = b2c.settings.with {
  clientID = app.client_id, clientKey = "stored:my client",
  scopes = { "openid", "offline_access", "https://contoso.onmicrosoft.com/tasks/read" },
}

-- The tenant refuses plain parameters, and clients that do not use a key, from now on.
tenant.require { "request_object", "private_key_jwt" }

local function sign_in(options)
  options.settings, options.agent = settings, "headless"
  options.username, options.password = "alice", "Wonderland-1"
  return pcall(accounts.sign_in, options)
end

local opened
local ok, account = sign_in {
  request_object = true,
  on_navigate = function(url, kind)
    if kind == "authorize" then opened = url end
  end,
}
assert(ok, account)
local request = opened:match "[?&]request=([^&]+)"
local header, claims = b2c.oauth.decode(request)
assert(header.kid == key.kid)
print(("signed by %s, for %s, with %s"):format(header.alg, claims.aud:match "b2c_1_%w+", claims.scope:match "%S+$"))
print(account.name .. " is in")

-- The same, encrypted for the provider: the browser sees nothing of the request.
assert(sign_in { request_object = "encrypted" })
print "signed in with an encrypted request"

local _, plain = sign_in { request_object = false }
print("with plain parameters: " .. plain.code)
