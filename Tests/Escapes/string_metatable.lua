-- Changes the metatable that all strings share, to see what the host and its scripts do with theirs.
-- From: Redis CVE-2022-24735, code of others run by changed globals; Roblox and Factorio lock it.
local e = require "support"
local metatable = getmetatable ""
if type(metatable) == "table" then e.escaped "the metatable of strings" end
e.fails(setmetatable, "", {})
e.fails(rawset, metatable, "__index", {})
e.fails(function() ("").dump = 1 end)
e.held()
