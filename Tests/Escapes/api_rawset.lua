-- Puts a function of one's own before the host's with rawset, for whoever calls it next: the stock flows.
-- From: the same, around read-only proxies, which rawset passes by.
local e = require "support"
local b2c = require "b2c"
local seen = {}
for _, module in ipairs { b2c.oauth, b2c.browser, b2c.http, b2c.settings } do
  for _, name in ipairs { "token", "open", "authorize_url", "get" } do
    pcall(rawset, module, name, function(...) seen[#seen + 1] = ... return nil end)
  end
end
local ok, account = pcall(b2c.tenant.sign_in)
for _, value in ipairs(seen) do
  if type(value) == "table" and type(value.client_secret) == "string" then e.escaped "the client secret" end
end
e.held()
