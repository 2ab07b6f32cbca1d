-- Reads a file as source, because the syntax error quotes text that does not parse.
-- From: loadfile and dofile, which can show a line of /etc/passwd or of a file of secrets.
local e = require "support"
e.denied(loadfile, e.outside .. "/canary.txt")
e.denied(loadfile, e.outside .. "/canary.txt", "t", {})
e.denied(dofile, e.outside .. "/canary.txt")
e.denied(dofile, "../outside/module.lua")
e.denied(loadfile, "link.txt")
e.held()
