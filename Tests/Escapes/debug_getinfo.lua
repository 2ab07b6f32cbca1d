-- Gets a function of the host or of the calling code from the stack.
-- From: debug.info of Factorio and Roblox, which returned functions before it was restricted.
local e = require "support"
for level = 0, 20 do
  local info = debug.getinfo(level)
  if not info then break end
  e.gone(info.func, "a function off the stack")
end
e.fails(debug.getinfo, 1, "f")
e.fails(debug.getinfo, 1, "Sf")
e.fails(debug.getinfo, coroutine.running(), 1, "f")
e.fails(debug.getinfo, 1, ">f")
e.fails(debug.getinfo, print, ">f")
e.held()
