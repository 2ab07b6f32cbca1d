-- Sorts with an inconsistent order, and changes the table during the sort.
-- From: Lua's table.sort, which read outside the array in versions before 5.3.
local e = require "support"
for size = 2, 200, 11 do
  local list = {}
  for i = 1, size do list[i] = i * 7919 % 101 end
  pcall(table.sort, list, function() return true end)
  pcall(table.sort, list, function() return math.random() < 0.5 end)
  pcall(table.sort, list, function(a, b) list[#list] = nil return tostring(a) < tostring(b) end)
  pcall(table.sort, setmetatable(list, { __index = function() return 1 end, __len = function() return 1 << 10 end }))
end
e.held()
