-- Uses closed files with their methods and with iterators that still refer to them.
-- From: use after free in the io library of embedders with their own handles.
local e = require "support"
local file = assert(io.open "mine.txt")
local lines = file:lines()
file:close()
e.fails(lines)
e.fails(file.read, file)
e.fails(file.close, file)
e.fails(file.lines, file)
for line in io.lines "mine.txt" do
  e.fails(collectgarbage)
end
local next_line, _, _, handle = io.lines "mine.txt"
handle:close()
e.fails(next_line)
e.held()
