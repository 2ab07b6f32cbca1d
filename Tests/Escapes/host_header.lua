-- Sends the token to the allowed address, with the name of another host at the same address.
-- From: domain fronting: a shared front end selects the site by the Host field.
local e = require "support"
local b2c = require "b2c"
local account = b2c.tenant.sign_in()
for _, name in ipairs { "Host", "host", "HOST" } do
  e.fails(b2c.http.get, b2c.tenant.url .. "/api/tasks", { account = account, headers = { [name] = "evil.example" } })
  e.fails(account.request, account, { url = b2c.tenant.url .. "/api/tasks", headers = { [name] = "evil.example" } })
end
e.held()
