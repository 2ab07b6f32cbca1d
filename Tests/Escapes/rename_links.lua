-- Moves symbolic links in a writable folder, to replace a file that was just allowed.
-- From: races between the check and the use of a path (CWE-367).
-- flags: --allow-write=.
local e = require "support"
os.rename("link.txt", "moved.txt")
os.rename("linked", "moved")
e.denied(io.open, "moved.txt")
e.denied(io.open, "moved/canary.txt")
e.denied(io.open, "moved/new.txt", "w")
-- A link with ".." leads to another folder when it is moved one folder up.
os.rename("folder/up", "up")
e.denied(io.open, "up/outside/canary.txt")
e.denied(io.open, "up/canary.txt", "w")
e.held()
