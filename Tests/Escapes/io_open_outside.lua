-- Opens files outside the allowed folders, in every mode.
-- From: the Lua of Wireshark, VLC and nmap, which has all of io.
local e = require "support"
for _, mode in ipairs { "r", "rb", "r+", "w", "wb", "w+", "a", "a+", "a+b" } do
  e.denied(io.open, e.outside .. "/canary.txt", mode)
  e.denied(io.open, e.outside .. "/new.txt", mode)
end
for _, path in ipairs { "/etc/passwd", "/etc/shadow", "/root/.bashrc", "/", "/tmp", e.home, "~/.profile/../../" } do
  if path:sub(1, 1) == "/" then e.denied(io.open, path) else e.fails(io.open, path) end
end
e.held()
