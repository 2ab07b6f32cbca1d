-- Finds out which files exist outside, without reading them.
-- From: package.searchpath, which opens each file; it reveals files in sandboxes that guard only io.
local e = require "support"
e.denied(package.searchpath, "canary", e.outside .. "/?.txt")
e.denied(package.searchpath, "x", "/etc/passwd")
e.denied(package.searchpath, "outside/canary", "../?.txt")
e.denied(package.searchpath, "x", "/nowhere/at/all")
e.held()
