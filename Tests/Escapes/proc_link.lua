-- Goes to /proc by a link in the script's folder.
-- From: the same, where the path is compared before links are followed.
-- flags: --allow-read
local e = require "support"
e.denied(io.open, "proc/self/environ")
e.denied(io.open, "environ")
e.denied(io.open, "proc/self/root" .. e.outside .. "/canary.txt")
e.denied(io.open, "proc/self/cwd/mine.txt")
e.held()
