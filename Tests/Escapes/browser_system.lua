-- Makes the user's browser send a token in an address, or starts another program instead of a browser.
-- From: xdg-open with file:, with options, with schemes of other programs.
local e = require "support"
local b2c = require "b2c"
local account = b2c.tenant.sign_in()
local token = account:token():reveal()
e.denied(b2c.browser.show, e.listener .. "/?" .. token, { agent = "system" })
e.denied(b2c.browser.open, e.listener .. "/?" .. token, { agent = "system", redirect_uri = "http://localhost:0/", timeout = 1 })
for _, url in ipairs { "file://" .. e.outside .. "/canary.txt", "--version", "-x", "ssh://127.0.0.1", "mailto:a@b.example?body=" .. token, "javascript:alert(1)", e.outside .. "/canary.txt", "" } do
  e.fails(b2c.browser.show, url, { agent = "system" })
  e.fails(b2c.browser.open, url, { agent = "system", redirect_uri = "http://localhost:0/", timeout = 1 })
end
e.held()
