-- Mutual TLS (RFC 8705): the application shows a certificate in place of a secret, and its tokens are of no use without it.
--
--   openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj /CN=tasks -keyout client.key -out client.crt
--   b2c-run --local --tls --allow-read=client.crt --set clientCertificate=client.crt --set clientCertificateKey=client.key \
--     examples/flows/mutual_tls.lua

local b2c = require "b2c"
local accounts, http, jose, tenant = b2c.accounts, b2c.http, b2c.jose, b2c.tenant

if not b2c.settings.clientCertificate then
  print "this example needs a certificate: its first lines show how to make one"
  return
end

-- The tenant registers the certificate itself, by its hash (x5t#S256).
local app = tenant.add_application {
  client_name = "Local tasks app with a certificate", token_endpoint_auth_method = "self_signed_tls_client_auth",
  jwks = jose.key.public { file = b2c.settings.clientCertificate },
}
tenant.require { "mtls" }

local settings = b2c.settings.with {
  clientID = app.client_id, clientAuthentication = "self_signed_tls_client_auth",
  scopes = { "openid", "offline_access", "https://contoso.onmicrosoft.com/tasks/read", "https://contoso.onmicrosoft.com/tasks/write" },
}
local account = accounts.sign_in {
  settings = settings, agent = "headless", username = "alice", password = "Wonderland-1",
}
b2c.tasks.add("Buy milk", { account = account })
account:refresh()
print(("%s signed in, added a task and refreshed, with the certificate"):format(account.name))

-- A thief has the token, and not the certificate.
local stolen = account:token():reveal()
local answer = http.get(b2c.settings.taskAPI .. "/api/tasks", {
  headers = { Authorization = "Bearer " .. stolen }, raise = false,
})
print(("the stolen token alone is answered %d"):format(answer.status))
assert(answer.status == 401)
