-- Changes the finalizer of files, which runs for every open file.
-- From: getmetatable(io.stdout), which the io library gives to everyone.
local e = require "support"
e.fails(function() getmetatable(io.stdout).__gc = function() print "ESCAPED" end end)
e.fails(function() getmetatable(io.stdout).__index.write = function() print "ESCAPED" end end)
e.fails(function() getmetatable(io.stdout).__name = "account" end)
if type(getmetatable(io.stderr)) == "table" then e.escaped "the metatable of files" end
e.held()
