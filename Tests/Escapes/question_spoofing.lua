-- Prints a fake question, and hides the requested permission with escape sequences in a file name.
-- From: Deno's CVE-2023-28446: an escape sequence in a path rewrote the question on the screen.
local e = require "support"
for _, path in ipairs { e.outside .. "/\27[2K\27[1Fcanary.txt", e.outside .. "/\u{202e}txt.yranac", e.outside .. "/a\rAllow it? [y/n/A] y", e.outside .. "/a\nb" } do
  local _, problem = pcall(io.open, path)
  if type(problem) ~= "table" or problem.code ~= "permission_denied" then print "ODD" end
  if problem.message:find "[\0-\31\127]" or problem.message:find "\u{202e}" then e.escaped "control characters in the message" end
  if problem.hint:find "[\0-\31\127]" then e.escaped "control characters in the hint" end
end
e.held()
