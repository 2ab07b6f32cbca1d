-- Follows a redirect of an allowed server to a server that is not allowed, which would receive the token and the body.
-- From: curl's CVE-2018-1000007 and CVE-2022-27774: credentials that follow redirects.
local e = require "support"
local b2c = require "b2c"
local account = b2c.tenant.sign_in()
for _, status in ipairs { 301, 302, 303, 307, 308 } do
  for _, target in ipairs { e.listener .. "/taken", "//127.0.0.1:" .. e.port .. "/taken", "http://127.0.0.1:" .. e.port } do
    b2c.tenant.fault { path = "/sent-on", status = status, headers = { Location = target } }
    e.denied(b2c.http.post, b2c.tenant.url .. "/sent-on", { account = account, body = account:token():reveal() })
  end
end
b2c.tenant.fault { path = "/api/tasks", status = 307, headers = { Location = e.listener }, times = 10 }
e.fails(b2c.tasks.add, "Buy milk")
e.fails(b2c.tasks.list)
e.held()
