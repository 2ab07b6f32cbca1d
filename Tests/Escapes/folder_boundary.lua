-- Reads in a folder whose name begins with the name of an allowed folder.
-- From: prefix comparisons of paths; Node's CVE-2023-32003 and its relatives.
-- flags: --allow-read=../in --allow-write=../in/folder
local e = require "support"
e.denied(io.open, "../in-secret/canary.txt")
e.denied(io.open, "../in../canary.txt")
e.denied(io.open, "folder2.txt", "w")
e.denied(io.open, "folder-secret/canary.txt", "w")
e.denied(io.open, "../IN/canary.txt")
e.held()
