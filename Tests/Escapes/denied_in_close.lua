-- Tries while a coroutine is closed, an error is unwound, or the script ends, when hosts clean up.
-- From: __close and coroutine.close in 5.4, during which other embedders made no checks.
local e = require "support"
local path = e.outside .. "/canary.txt"
local function try() e.denied(io.open, path) end
do
  local _ <close> = setmetatable({}, { __close = try })
end
local thread = coroutine.create(function()
  local _ <close> = setmetatable({}, { __close = try })
  coroutine.yield()
end)
coroutine.resume(thread)
coroutine.close(thread)
pcall(function()
  local _ <close> = setmetatable({}, { __close = try })
  error "x"
end)
local async = require "b2c.async"
pcall(async.timeout, 0.01, function()
  local _ <close> = setmetatable({}, { __close = try })
  async.sleep(10)
end)
e.held()
