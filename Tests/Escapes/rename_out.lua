-- Moves a file from where nothing may be read to where everything may.
-- From: rename as a copy; Deno asks for reading and writing of what is moved.
-- flags: --allow-write
local e = require "support"
e.denied(os.rename, e.outside .. "/canary.txt", "moved.txt")
e.denied(os.rename, e.outside, "moved")
e.denied(os.rename, "../outside", "moved")
e.held()
