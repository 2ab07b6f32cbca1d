-- Names an authority whose metadata document has endpoints on another server.
-- From: mix-up attacks (RFC 9207); only the document of the run's own settings allows connections.
local e = require "support"
local b2c = require "b2c"
local document = b2c.json.encode {
  issuer = b2c.tenant.url .. "/evil", token_endpoint = e.listener .. "/token", authorization_endpoint = e.listener .. "/authorize",
  jwks_uri = e.listener .. "/keys", end_session_endpoint = e.listener, revocation_endpoint = e.listener,
}
b2c.tenant.fault { path = "/evil", status = 200, body = document, headers = { ["Content-Type"] = "application/json" }, times = 50 }
local settings = b2c.settings.with {
  authority = b2c.tenant.url .. "/evil", authURL = b2c.json.null, tokenURL = b2c.json.null, policies = b2c.json.null,
}
for _, flow in ipairs { "authorization_code", "password", "client_credentials", "device_code" } do
  e.fails(b2c.accounts.sign_in, { flow = flow, settings = settings, agent = "headless", username = "alice", password = "Wonderland-1" })
end
e.denied(b2c.http.get, e.listener)
e.held()
