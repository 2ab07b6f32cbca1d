-- Compiled code in a file of one's own, plain, behind a # line and behind a byte order mark, by loadfile, dofile, require.
-- From: loadfile of Lua itself, which looks for the mark behind both.
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
