-- Resource indicators (RFC 8707).

local b2c = require "b2c"
local http, oauth, tenant = b2c.http, b2c.oauth, b2c.tenant
local support = require "support"
local equal, failure = support.equal, support.failure
local name, address = "https://contoso.onmicrosoft.com/tasks", tenant.url .. "/api/tasks"

--- Signs in with scopes of the API: the client ID among the scopes would ask for a token of another one.
local function sign_in(options)
  options.scopes = options.scopes or { "openid", "offline_access", name .. "/read" }
  return support.sign_in(options)
end

local function audience(account)
  local _, claims = oauth.decode(account:token())
  return type(claims.aud) == "table" and table.concat(claims.aud, " ") or claims.aud
end

-- The URL names each resource.
local url = oauth.authorize_url { resource = { name, address }, par = false }
equal(select(2, url:gsub("[?&]resource=", "")), 2)
assert(url:find("resource=https%3A%2F%2Fcontoso.onmicrosoft.com%2Ftasks&resource=http%3A", 1, true), url)
equal(select(2, oauth.authorize_url { resource = name, par = false }:gsub("[?&]resource=", "")), 1)

-- The account keeps the resource: refreshes name it.
local alice = sign_in { resource = name }
equal(audience(alice), name)
alice:refresh()
equal(audience(alice), name)
equal(audience(sign_in { resource = { name, address }, account_type = "both" }), name .. " " .. address)
equal(audience(sign_in { resource = address, par = true, account_type = "par" }), address)
equal(audience(sign_in { resource = address, flow = "password", account_type = "password" }), address)
equal(audience(sign_in { resource = address, flow = "device_code", account_type = "device" }), address)
-- A resource is an API, also without a scope of an API.
equal(audience(sign_in { resource = name, scopes = { "openid" }, account_type = "openid" }), name)

-- A token for one of them
local both
sign_in {
  account_type = "narrow",
  flow = function(ctx)
    both = oauth.flow "authorization_code"(ctx, { resource = { name, address } })
    return both
  end,
}
local one = oauth.token { grant_type = "refresh_token", refresh_token = both.refresh_token, resource = address }
equal(http.get(address, { headers = { Authorization = "Bearer " .. one.access_token:reveal() } }).status, 200)
equal(one.resource, address)

-- Wrong values
equal(failure(support.sign_in, { resource = name }).code, "invalid_target")
local e = failure(sign_in, { resource = "https://api.example.com/" })
equal(e.code, "invalid_target")
assert(e.message:find "The resource 'https://api.example.com/' is unknown here", e.message)
for wrong, got in pairs { ["tasks"] = '"tasks"', [name .. "#a"] = '"' .. name .. '#a"', ["https://a b"] = '"https://a b"' } do
  for call, f in pairs { ["oauth.authorize_url"] = oauth.authorize_url, ["oauth.par"] = oauth.par } do
    e = failure(f, { resource = { name, wrong } })
    equal(e.message, call .. ": option 'resource': expected absolute URIs without a fragment (RFC 8707, 2), got " .. got)
  end
end
equal(failure(support.sign_in, { resource = "tasks" }).message,
  'accounts.sign_in: option \'resource\': expected absolute URIs without a fragment (RFC 8707, 2), got "tasks"')
equal(failure(oauth.token, { grant_type = "x", resource = { 1 } }).message,
  "oauth.token: option 'resource': expected absolute URIs without a fragment (RFC 8707, 2), got a number")
e = failure(oauth.authorize_url, { resource = name, parameters = { resource = address } })
equal(e.code, "invalid_parameter")
