-- Gets the metatables of host objects, and calls their finalizers on other values.
-- From: Wireshark and Garry's Mod: __gc called twice, or on another userdata, frees memory that is in use.
local e = require "support"
local b2c = require "b2c"
local account = b2c.tenant.sign_in()
for _, object in ipairs { account, account:token(), b2c.settings, b2c.accounts.on_changed(print), io.stdout, b2c.http.get(b2c.tenant.url, { raise = false }) } do
  if type(getmetatable(object)) == "table" then e.escaped("the metatable of " .. tostring(object)) end
  e.fails(setmetatable, object, {})
  e.fails(function() object.__gc = print end)
  e.fails(function() return rawget(object, "__gc") end)
  local ok, value = pcall(function() return object.__gc end)
  if ok then e.gone(value, "__gc") end
  ok, value = pcall(function() return object.__index end)
  if ok and type(value) == "table" then e.escaped "__index" end
end
e.held()
