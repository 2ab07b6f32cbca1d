-- Runs code from the garbage collector, where no limit and no check of the host reaches.
-- From: Redis CVE-2024-46981: finalizers and collectgarbage gave a use after free.
local e = require "support"
local function finalizer() print "ESCAPED: a finalizer ran" end
e.fails(setmetatable, {}, { __gc = finalizer })
e.fails(setmetatable, {}, { __gc = true })
e.fails(setmetatable, {}, { __gc = false })
-- Marked first, and the function put in later.
local metatable = {}
pcall(setmetatable, {}, metatable)
metatable.__gc = finalizer
local early = { __gc = false }
pcall(setmetatable, {}, early)
early.__gc = finalizer
for _ = 1, 3 do collectgarbage() end
e.held()
