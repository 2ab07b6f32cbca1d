-- Moves a file from a place that may not be read to a place that may be read.
-- From: rename used as a copy; Deno requires permission to read and write the moved file.
-- flags: --allow-write
local e = require "support"
e.denied(os.rename, e.outside .. "/canary.txt", "moved.txt")
e.denied(os.rename, e.outside, "moved")
e.denied(os.rename, "../outside", "moved")
e.held()
