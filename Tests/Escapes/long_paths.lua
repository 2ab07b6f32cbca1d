-- Names files by paths longer than the system's limit, so that resolving them takes long or ends at another file.
-- From: CVE-2023-4911 and others, where long input was checked in pieces; ENAMETOOLONG of path_resolution(7).
-- flags: --allow-write=.
local e = require "support"
local csv, tasks, http = require "b2c.csv", require "b2c.tasks", require "b2c.http"
for _, path in ipairs {
  ("a/"):rep(200000) .. "x", ("a/../"):rep(100000) .. "mine.txt", ("./"):rep(5000) .. e.outside .. "/canary.txt",
  ("/"):rep(5000) .. e.outside .. "/canary.txt", ("a"):rep(1 << 20),
} do
  e.denied(io.open, path)
  e.denied(io.open, path, "w")
  e.denied(os.remove, path)
  e.denied(os.rename, "mine.txt", path)
  e.denied(os.rename, path, "mine.txt")
  e.denied(loadfile, path)
  e.denied(csv.rows, path)
  e.denied(tasks.import, "rows.csv", { journal = path })
  e.denied(http.post, e.listener, { file = path })
end
e.held()
