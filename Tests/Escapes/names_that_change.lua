-- Passes a path whose value changes each time it is read.
-- From: double fetches (CWE-367): __tostring, __index and __name of arguments.
local e = require "support"
local csv, tasks, http = require "b2c.csv", require "b2c.tasks", require "b2c.http"
local function changing()
  local count = 0
  local function next_name()
    count = count + 1
    return count == 1 and "mine.txt" or e.outside .. "/canary.txt"
  end
  return setmetatable({}, {
    __tostring = next_name, __index = next_name, __name = "string", __len = function() return 8 end,
    __concat = next_name, __call = next_name, __eq = function() return true end,
  })
end
for _, call in ipairs { io.open, io.lines, io.input, os.remove, loadfile, dofile, csv.rows, csv.count, tasks.export } do
  e.fails(call, changing())
end
e.fails(http.post, e.listener, { file = changing() })
e.fails(http.post, e.listener, { multipart = { x = { file = changing() } } })
e.fails(http.get, changing())
e.held()
