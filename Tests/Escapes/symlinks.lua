-- Follows symbolic links in the script's folder that lead out of it.
-- From: nginx's disable_symlinks; Node's permission model, which followed them out.
local e = require "support"
for _, path in ipairs {
  "link.txt", "./link.txt", "folder/../link.txt", "linked/canary.txt", "linked/./canary.txt", "linked", "linked/",
  "chain.txt", "folder/up/outside/canary.txt", "folder/up/in/link.txt",
} do
  e.denied(io.open, path)
end
for _, path in ipairs { "link.txt/", "loop", "loop/canary.txt", "dangling.txt" } do e.fails(io.open, path) end
e.held()
