-- Opens files with the functions other than io.open that take a name.
-- From: sandboxes that guard only io.open.
local e = require "support"
local path = e.outside .. "/canary.txt"
e.denied(io.lines, path)
e.denied(io.lines, path, "a")
e.denied(io.input, path)
e.denied(io.output, path)
e.denied(io.output, "new.txt")
e.denied(function() for line in io.lines "link.txt" do return line end end)
e.denied(io.tmpfile)
e.denied(os.tmpname)
e.fails(function() return io.input():read(1) end)
e.held()
