-- Makes the headless browser open an address of the attacker and follow pages there.
-- From: sign-in pages as a way out: links, forms and refreshes to another server.
local e = require "support"
local b2c = require "b2c"
local function page(html)
  b2c.tenant.clear_faults()
  b2c.tenant.fault { path = "/page", status = 200, body = html, headers = { ["Content-Type"] = "text/html" }, times = 5 }
  e.fails(b2c.browser.open, b2c.tenant.url .. "/page", { agent = "headless", redirect_uri = "urn:x", username = "alice", password = "Wonderland-1", timeout = 5 })
end
e.denied(b2c.browser.open, e.listener, { agent = "headless", redirect_uri = "http://localhost:1/", username = "a", password = "b" })
e.denied(b2c.browser.show, e.listener, { agent = "headless" })
page('<meta http-equiv="refresh" content="0;url=' .. e.listener .. '/taken">')
page('<form method="post" action="' .. e.listener .. '/taken"><input name="username"><input type="password" name="password"><button>go</button></form>')
page('<form method="get" action="' .. e.listener .. '/taken"><input type="hidden" name="x" value="1"></form><script>document.forms[0].submit()</script>')
page('<base href="' .. e.listener .. '"><form method="post" action="/taken"><input name="username"><input type="password" name="password"></form>')
b2c.tenant.fault { path = "/sent-on", status = 302, headers = { Location = e.listener .. "/taken" } }
e.denied(b2c.browser.open, b2c.tenant.url .. "/sent-on", { agent = "headless", redirect_uri = "urn:x" })
e.held()
