-- Puts a NUL into a path: some functions read the whole path, others stop at the NUL.
-- From: null byte injection (CWE-158), in PHP, Perl and Java; here Swift code and C code could disagree.
local e = require "support"
local csv, tasks, http = require "b2c.csv", require "b2c.tasks", require "b2c.http"
local folder = io.open("script.lua") and "" or ""
local inside = e.outside:gsub("outside$", "in")
local path = e.outside .. "/canary.txt\0/../../" .. "in/mine.txt"
e.denied(io.open, path)
e.denied(io.lines, path)
e.denied(loadfile, path)
for _, text in ipairs { path, e.outside .. "/canary.txt\0/../../../" .. inside .. "/mine.txt", "mine.txt\0" } do
  e.denied(csv.rows, text)
  e.denied(csv.count, text)
  e.denied(http.post, e.listener, { file = text })
end
e.denied(io.open, e.outside .. "/canary.txt\0mine.txt" .. folder)
e.held()
