-- Replaces a function of the host with rawset, so that later callers such as the stock flows use the script's function.
-- From: attacks on read-only proxies, which rawset bypasses.
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
