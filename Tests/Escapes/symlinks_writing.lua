-- Writes through symbolic links: one to a file outside, and one to a missing file, which opening would create.
-- From: the classic link in a writable folder (CWE-59).
-- flags: --allow-write=.
local e = require "support"
e.denied(io.open, "dangling.txt", "w")
e.denied(io.open, "dangling.txt", "a+")
e.denied(io.open, "link.txt", "w")
e.denied(io.open, "linked/new.txt", "w")
e.denied(io.output, "link.txt")
e.denied(os.remove, "linked/canary.txt")
e.denied(os.rename, "mine.txt", "linked/mine.txt")
e.denied(os.rename, "linked/canary.txt", "mine.txt")
e.held()
