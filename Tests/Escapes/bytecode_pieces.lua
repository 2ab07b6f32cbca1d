-- Hides the first byte of compiled code with a reader that returns one byte at a time, or an empty string first.
-- From: filters of other embedders that checked only string arguments (Redis before 2.8.21).
local e = require "support"
local function reader(text)
  local at = 0
  return function()
    at = at + 1
    if at <= #text then return text:sub(at, at) end
  end
end
e.fails(load, reader "\27Lua\x54\0\x19\x93\r\n\x1a\n")
local first = true
e.fails(load, function()
  if first then first = false return "\27Lua" end
  return nil
end, "x", "b")
e.held()
