-- Opens devices: the terminal, to read the typed text; standard streams by number; memory shared with other programs.
-- From: Deno, where /dev needs all permissions.
-- flags: --allow-read --allow-write
local e = require "support"
for _, path in ipairs { "/dev/tty", "/dev/stdin", "/dev/fd/0", "/dev/fd/3", "/dev/mem", "/dev/shm/b2c-run", "/dev/pts/0", "/dev/full", "/dev/zero" } do
  e.denied(io.open, path)
  e.denied(io.open, path, "r+")
end
if not io.open "/dev/null" then print "ODD: /dev/null is nothing to keep from anybody" end
e.denied(os.remove, "/dev/null")
e.denied(os.rename, "mine.txt", "/dev/null")
e.held()
