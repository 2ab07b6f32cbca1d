-- Request objects (RFC 9101).

local b2c = require "b2c"
local jose, oauth, settings, tenant = b2c.jose, b2c.oauth, b2c.settings, b2c.tenant
local support = require "support"
local equal, failure = support.equal, support.failure

local key = jose.key.generate { alg = "ES256" }
jose.key.save(key, "client")
local app = tenant.add_application { token_endpoint_auth_method = "none", jwks = jose.key.public(key) }
--- Settings of the application, with another key or address.
local function client(changes)
  local all = {
    clientID = app.client_id, clientKey = "stored:client", clientAuthentication = "none",
    scopes = { "openid", "offline_access", "https://contoso.onmicrosoft.com/tasks/read" },
  }
  for name, value in pairs(changes or {}) do all[name] = value end
  return settings.with(all)
end
local mine = client()

local function sign_in(options)
  options.settings = options.settings or mine
  return support.sign_in(options)
end

--- The result of a function in a flow of these settings.
local function in_flow(f, other)
  local result
  local e = failure(sign_in, { settings = other, flow = function(ctx) result = table.pack(pcall(f, ctx)) return nil end })
  equal(e.code, "invalid_flow")
  if not result[1] then error(result[2], 0) end
  return table.unpack(result, 2, result.n)
end

-- The claims and the header
local object = in_flow(function()
  return oauth.request_object {
    state = "s", nonce = "n", max_age = 60, resource = { "urn:a", "urn:b" },
    authorization_details = { { type = "task_list", actions = { "read" } } },
  }
end)
local issuer = oauth.metadata().issuer
local claims, header = jose.verify(object, jose.key.public(key), { iss = app.client_id, aud = issuer, typ = "oauth-authz-req+jwt" })
equal(header.alg, "ES256")
equal(header.kid, key.kid)
equal(claims.client_id, app.client_id)
equal(claims.response_type, "code")
equal(claims.scope, "openid offline_access https://contoso.onmicrosoft.com/tasks/read")
equal(claims.exp - claims.iat, 300)
equal(claims.nbf, claims.iat)
equal(claims.sub, nil)
equal(claims.max_age, 60)
equal(table.concat(claims.resource, " "), "urn:a urn:b")
equal(claims.authorization_details[1].actions[1], "read")
assert(#claims.jti > 10)

-- The URL has what OpenID Connect asks for beside the object, and nothing else.
local url = in_flow(function() return oauth.authorize_url { request_object = true, state = "s" } end)
local names = {}
for name in url:gmatch "[?&]([%w_]+)=" do
  if name ~= "p" then table.insert(names, name) end
end
equal(table.concat(names, " "), "client_id response_type scope request")
assert(url:find "scope=openid&" and url:find "response_type=code", url)

-- Sign-ins: signed, encrypted, and pushed
for i, options in ipairs {
  { request_object = true }, { request_object = "encrypted" }, { request_object = true, par = true },
  { request_object = "encrypted", par = true }, { request_object = true, response_mode = "jwt" },
} do
  options.account_type = "object " .. i
  equal(sign_in(options).name, "Alice Liddell")
end
local sealed = in_flow(function() return oauth.request_object { encrypt = true } end)
equal(select(2, sealed:gsub("%.", "")), 4)

-- The provider requires objects: the metadata document turns them on.
tenant.require { "request_object" }
local e = failure(sign_in, { request_object = false })
equal(e.code, "invalid_request")
assert(e.message:find "must be a signed request object", e.message)
equal(sign_in({ settings = client { authURL = "" }, account_type = "required" }).name, "Alice Liddell")
tenant.require {}

-- Wrong answers and wrong settings
tenant.fault { request_object = "refused" }
e = failure(sign_in, { request_object = true, par = true })
equal(e.code, "invalid_request_object")
equal(e.hint, "check clientKey, the registration of its public half and this machine's clock; request_object = false sends plain parameters")
e = failure(support.sign_in, { request_object = true })
equal(e.code, "missing_key")
assert(e.message:find "a request object needs a key that signs it, and .* has no clientKey", e.message)
assert(e.hint:find "put clientKey into the settings", e.hint)
jose.key.save(jose.key.generate { kty = "oct" }, "secret")
e = failure(sign_in, { request_object = true, settings = client { clientKey = "stored:secret" } })
equal(e.code, "invalid_key")
jose.key.save(jose.key.generate { alg = "ES256" }, "foreign")
e = failure(sign_in, { request_object = true, par = true, settings = client { clientKey = "stored:foreign" } })
assert(e.message:find "no key of the client made its signature", e.message)
equal(failure(oauth.authorize_url, { request_object = "sealed" }).message:find "option 'request_object': expected" ~= nil, true)
