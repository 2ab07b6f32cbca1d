-- Runs compiled code, which Lua does not check, to read and write memory.
-- From: Redis CVE-2015-4335 and CVE-2015-8080; Factorio and World of Warcraft before they removed bytecode.
local e = require "support"
local header = "\27Lua\x54\x00\x19\x93\r\n\x1a\n\x04\x08\x08\x78\x56\0\0\0\0\0\0\0\0\0\0\0\x28\x77\x40"
for _, mode in ipairs { "b", "bt", "t", "tb" } do e.fails(load, header .. "\1\0", "x", mode) end
e.fails(load, header)
e.held()
