-- Changes the API for other scripts and plugins of the run.
-- From: Redis 7's read-only globals (CVE-2022-24735); World of Warcraft's taint of secure functions.
local e = require "support"
local b2c = require "b2c"
for _, name in ipairs { "accounts", "http", "tasks", "oauth", "tenant", "json", "async" } do
  local module = b2c[name]
  local key, value = next(getmetatable(module) or {})
  e.gone(key, "the metatable of b2c." .. name)
  e.fails(function() module.evil = true end)
  e.fails(function() module.get = print end)
  e.fails(setmetatable, module, {})
  e.fails(rawset, module, "evil", print)
  if require("b2c." .. name) ~= module then print "ODD" end
end
e.fails(function() b2c.http = nil end)
e.held()
