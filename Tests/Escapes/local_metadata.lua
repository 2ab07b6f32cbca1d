-- Makes the run's own metadata document name endpoints on another server, and connects there itself or through the
-- host.
-- From: mix-up attacks (RFC 9207); with --local, scripts may plan faults of the tenant.
local e = require "support"
local b2c = require "b2c"
local path = b2c.settings.authority:match "^%w+://[^/]+(/.*)$" .. "/v2.0/.well-known/openid-configuration"
local document = b2c.json.decode(b2c.http.get(b2c.settings.authority .. "/v2.0/.well-known/openid-configuration").body)
for name in pairs(document) do
  if name:find "_endpoint$" or name == "jwks_uri" then document[name] = e.listener .. "/" .. name end
end
document.revocation_endpoint, document.device_authorization_endpoint = e.listener .. "/r", e.listener .. "/d"
b2c.tenant.fault {
  path = path, status = 200, times = 50, body = b2c.json.encode(document), headers = { ["Content-Type"] = "application/json" },
}
local metadata = b2c.oauth.metadata()
if metadata.token_endpoint ~= document.token_endpoint then print "ODD: another document" end
e.denied(b2c.http.get, e.listener)
for _, agent in ipairs { "headless", "system" } do
  e.fails(b2c.browser.open, e.listener, { agent = agent, redirect_uri = "http://127.0.0.1/" })
  e.fails(b2c.browser.show, e.listener, { agent = agent })
end
e.fails(b2c.oauth.device_code)
e.fails(b2c.oauth.revoke, "token")
e.fails(b2c.accounts.sign_in, { agent = "headless", username = "alice", password = "Wonderland-1" })
e.held()
