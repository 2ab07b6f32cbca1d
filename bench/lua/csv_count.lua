-- Counts the rows of a CSV file a given number of times.
local b2c = require "b2c"
for _ = 1, tonumber(b2c.args[2]) do print(b2c.csv.count(b2c.args[1])) end
