-- Names the chunk that asks so that the question or the error is hidden or seems to come from elsewhere.
-- From: the escape sequences of Deno's CVE-2023-28446, in the place instead of the path.
local e = require "support"
for _, name in ipairs { "@\27[2J\27[Himport.lua", "=\r", "@a\nb2c-run: done", "=(b2c-run)", "@(b2c-run)", "\0" } do
  local chunk = load("local f = ... return f('/etc/hostname')", name, "t")
  local ok, problem = pcall(chunk, io.open)
  if ok then e.escaped(name) end
  if problem.code ~= "permission_denied" then print("ODD", problem) end
end
e.held()
