-- Names files by "~" and by ".." after symbolic links, in all functions that take a path.
-- From: CWE-22; a path read twice, once by the system and once as text.
-- flags: --allow-write=.
local e = require "support"
local b2c = require "b2c"
b2c.tenant.sign_in()
local paths = {
  "~/.local/share/b2c-run/key", "~/.config/b2c-run/settings.plist", "~root/../etc/hosts", "linked/../outside/canary.txt",
  "folder/up/../outside/canary.csv", "missing/../link.txt",
}
local quiet = { progress = false, journal = false, failed_rows = false }
local calls = {
  function(path) return io.open(path) end,
  function(path) return io.lines(path) end,
  function(path) return io.input(path) end,
  function(path) return loadfile(path) end,
  function(path) return dofile(path) end,
  function(path) return b2c.csv.rows(path) end,
  function(path) return b2c.csv.count(path) end,
  function(path) return b2c.tasks.import(path, quiet) end,
  function(path) return b2c.tasks.import("rows.csv", { progress = false, journal = path, failed_rows = false }) end,
  function(path) return b2c.tasks.export(path .. "/x.csv") end,
  function(path) return os.remove(path) end,
  function(path) return os.rename(path, "mine.new") end,
  function(path) return os.rename("mine.txt", path) end,
  function(path) return b2c.settings.read(path) end,
  function(path) return package.searchpath("x", path) end,
}
for _, call in ipairs(calls) do
  for _, path in ipairs(paths) do e.fails(call, path) end
end
e.held()
