-- Makes compiled code from a function, to change it and load it again.
-- From: the published exploits of Redis and of Lua 5.1 to 5.3, which all start with string.dump.
local e = require "support"
e.gone(string.dump, "string.dump")
e.gone(("").dump, "a string's dump")
e.gone(package.loaded.string.dump, "dump by package.loaded")
local metatable = getmetatable ""
if type(metatable) == "table" then e.gone(metatable.__index.dump, "dump by the metatable of strings") end
e.held()
