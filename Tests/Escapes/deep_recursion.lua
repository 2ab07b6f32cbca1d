-- Recurses in C functions, which Lua does not count: metamethods, coroutines, gsub, pcall, the parser.
-- From: stack overflows of embedders; the host must end with an error, not with SIGSEGV.
local e = require "support"
local function nest(f) return coroutine.wrap(function() return nest(f) end)() end
e.fails(nest)
local chain = {}
for _ = 1, 3000 do chain = setmetatable({}, { __index = chain }) end
e.fails(function() return chain.x end)
local function deep(text) return (text:gsub(".", deep)) end
e.fails(deep, "x")
local function protected() return select(2, pcall(protected)) end
pcall(protected)
local described = setmetatable({}, { __tostring = function(self) return tostring(self) end })
e.fails(tostring, described)
e.fails(load, ("a."):rep(100) .. "b = " .. ("{"):rep(5000))
e.held()
