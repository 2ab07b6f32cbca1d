-- Gets a function of the host, or of the code above, from the stack.
-- From: Factorio's and Roblox's debug.info, which gave out functions before it was restricted.
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
