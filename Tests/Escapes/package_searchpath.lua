-- Finds out which files exist outside, without reading them.
-- From: package.searchpath, which opens each file to see; an oracle in sandboxes that guard io alone.
local e = require "support"
e.denied(package.searchpath, "canary", e.outside .. "/?.txt")
e.denied(package.searchpath, "x", "/etc/passwd")
e.denied(package.searchpath, "outside/canary", "../?.txt")
e.denied(package.searchpath, "x", "/nowhere/at/all")
e.held()
