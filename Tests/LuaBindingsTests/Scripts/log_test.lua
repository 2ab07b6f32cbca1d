local log = require "b2c.log"

for _, level in ipairs { "debug", "info" } do
  assert(select("#", log[level]("quiet here", { number = 1, text = "two words" })) == 0)
end
local ok, e = pcall(log.info, "x", "y")
assert(e.message == "log.info: argument 2: expected a table, got string")
