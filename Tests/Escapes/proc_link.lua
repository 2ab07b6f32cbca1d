-- Reaches /proc by a symbolic link in the script's folder.
-- From: sandboxes that compare the path before they follow links.
-- flags: --allow-read
local e = require "support"
e.denied(io.open, "proc/self/environ")
e.denied(io.open, "environ")
e.denied(io.open, "proc/self/root" .. e.outside .. "/canary.txt")
e.denied(io.open, "proc/self/cwd/mine.txt")
e.held()
