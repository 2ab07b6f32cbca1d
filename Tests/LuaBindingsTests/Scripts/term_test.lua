local term = require "b2c.term"

assert(type(term.is_tty()) == "boolean")
do
  local bar <close> = term.progress { total = 10, label = "work" }
  bar:update(3)
  bar:advance()
  bar:advance(2)
end
local bar = term.progress {}
bar:finish()
bar:finish()

local function message(f, ...) return select(2, pcall(f, ...)).message end
assert(message(term.progress, { total = -1 }) == "term.progress: option 'total': expected zero or more, got -1")
assert(message(term.table, { 5 }) == "term.table: row 1: expected a table, got number")
assert(message(bar.update, bar, "x") == "progress:update: argument 1: expected an integer, got string")
