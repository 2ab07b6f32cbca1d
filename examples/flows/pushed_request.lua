-- Pushed authorization requests (RFC 9126): the provider gets the request from this program before the browser opens. The
-- browser's URL has only the name of the request, so nobody can read or change the request there.
--
--   b2c-run --local examples/flows/pushed_request.lua

local b2c = require "b2c"
local accounts, oauth, tenant = b2c.accounts, b2c.oauth, b2c.tenant

-- The tenant refuses other requests from now on.
tenant.require { "par" }

local opened
local function sign_in(options)
  options.agent, options.username, options.password = "headless", "alice", "Wonderland-1"
  options.on_navigate = function(url, kind)
    if kind == "authorize" then opened = url end
  end
  return pcall(accounts.sign_in, options)
end

local _, account = sign_in { par = true }
local names = {}
for name in opened:gmatch "[?&]([%w_]+)=" do
  if name ~= "p" then table.insert(names, name) end
end
print("the URL has " .. table.concat(names, ", "))
print(account.name .. " is in")

-- The name of a request is good for one sign-in.
local used = opened
local _, reuse = sign_in {
  flow = function(ctx) return { code = oauth.redirect(b2c.browser.open(used, { agent = ctx.agent })).code } end,
}
print("a second use: " .. tostring(reuse):match "The request_uri [^.]*")

local _, plain = sign_in { par = false }
print("without par: " .. plain.code)
