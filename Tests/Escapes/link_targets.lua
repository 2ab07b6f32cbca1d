-- Learns the targets of symbolic links from refusal messages: of the program's own links, open files, terminals, and
-- other programs' links.
-- From: readlink(2) by an error message; CWE-209, CWE-59.
local e = require "support"
local places = { "/proc/self/cwd", "/proc/self/exe", "/proc/self/root", "/etc/localtime", "/dev/stdin", "/dev/fd/2" }
for number = 0, 20 do places[#places + 1] = "/proc/self/fd/" .. number end
for _, path in ipairs(places) do
  for _, f in ipairs { io.open, io.lines, loadfile, os.remove } do
    local ok, problem = pcall(f, path)
    if ok or problem.code ~= "permission_denied" then e.escaped(path) end
    if problem.message:match "needs permission to %a+ (.*)" ~= path then e.escaped(problem.message) end
  end
end
-- Names that are not links get the same message.
for _, path in ipairs { "/proc/./self/cwd", "/proc/./none/cwd", "/etc/../etc/localtime", "/etc/../etc/none" } do
  local plain = path:gsub("/%./", "/"):gsub("^/etc/%.%.", "")
  local _, problem = pcall(io.open, path)
  if not problem.message:find(" " .. plain .. "$") then e.escaped(problem.message) end
end
e.held()
