-- Reads a file as source: what does not parse is quoted by the syntax error.
-- From: loadfile and dofile as a way to see a line of /etc/passwd or of a file of secrets.
local e = require "support"
e.denied(loadfile, e.outside .. "/canary.txt")
e.denied(loadfile, e.outside .. "/canary.txt", "t", {})
e.denied(dofile, e.outside .. "/canary.txt")
e.denied(dofile, "../outside/module.lua")
e.denied(loadfile, "link.txt")
e.held()
