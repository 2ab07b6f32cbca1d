-- Learns where things are in memory, which any exploit of memory needs first.
-- From: string.format("%p"), and tostring of functions, in every published exploit of Lua.
local e = require "support"
e.fails(string.format, "%p", print)
e.fails(string.format, "%p", {})
e.fails(string.format, "%-20p", coroutine.running())
e.fails(("%p").format, "%p", io.stdout)
e.held()
