-- Overflows the sizes of the table library and the stack.
-- From: unpack with a huge range, CVE-2018-11219 and CVE-2014-5461 (a call with too many arguments).
local e = require "support"
e.fails(table.unpack, {}, 1, 1 << 40)
e.fails(table.unpack, {}, math.mininteger, math.maxinteger)
e.fails(table.unpack, {}, 0, 1e7)
e.fails(table.concat, {}, "", 1, 10)
e.fails(select, -1)
e.fails(string.char, table.unpack({}, 1, 250))
e.fails(load, "return " .. ("("):rep(10000) .. "1" .. (")"):rep(10000))
e.fails(load, ("local a "):rep(300))
e.fails(function() return select("#", table.unpack({}, 1, 1e8)) end)
e.held()
