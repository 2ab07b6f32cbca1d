-- Reads the host's environment, memory, open files and command line from /proc. Reading is allowed everywhere, but only
-- -A allows /proc.
-- From: Deno's CVE-2024-34346; container escapes often begin there.
-- flags: --allow-read
local e = require "support"
for _, name in ipairs {
  "environ", "mem", "maps", "cmdline", "fd/0", "fd/1", "fd/3", "fd", "root", "root/etc/passwd", "cwd", "cwd/script.lua",
  "exe", "auxv", "status", "task/self/environ", "ns/net", "map_files",
} do
  e.denied(io.open, "/proc/self/" .. name)
  e.denied(io.open, "/proc/thread-self/" .. name)
end
for _, path in ipairs { "/proc/1/environ", "/proc/version", "/proc", "/proc/", "//proc//self/environ", "/proc/../proc/self/environ" } do
  e.denied(io.open, path)
end
e.held()
