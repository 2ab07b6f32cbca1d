-- Loads a file of compiled code with loadfile, dofile and require: the plain code, after a # line, and after a byte
-- order mark.
-- From: Lua's loadfile, which accepts the signature of compiled code after both.
-- flags: --allow-write=.
local e = require "support"
for number, text in ipairs { "\27Lua\x54\0", "#!/usr/bin/lua\n\27Lua\x54\0", "\xef\xbb\xbf\27Lua\x54\0" } do
  local name = ("compiled%d.lua"):format(number)
  local file <close> = assert(io.open(name, "wb"))
  file:write(text)
  file:close()
  for _, mode in ipairs { "b", "bt", "t" } do e.fails(loadfile, name, mode) end
  e.fails(loadfile, name)
  e.fails(dofile, name)
  e.fails(require, "compiled" .. number)
end
e.held()
