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

-- Times in words, in the largest unit of which there are enough
for _, case in ipairs {
  { 0, "now" }, { 0.5, "now" }, { 1, "in 1 s" }, { 59, "in 59 s" }, { -59, "59 s ago" }, { 60, "in 1 min" },
  { 3599, "in 60 min" }, { 5399, "in 90 min" }, { 5400, "in 2 h" }, { -10800, "3 h ago" }, { 86400, "in 24 h" },
  { 172800, "in 2 days" }, { -31536000, "365 days ago" }, { 1e300, "in ages" },
} do
  assert(term.when(1000 + case[1], 1000) == case[2], ("%s: %s"):format(case[1], term.when(1000 + case[1], 1000)))
end
assert(term.when(os.time() + 3600):find "^in %d+ min$")
assert(message(term.when, "soon") == "term.when: argument 1: expected a number, got string")

-- Texts as a terminal shows them
assert(term.width "日本 e\u{301}" == 6 and term.width "" == 0)
assert(term.fit("Buy milk", 5) == "Buy …" and term.fit("日本", 6) == "日本  ")
assert(term.fit("7", 3, { align = "right" }) == "  7" and term.fit("\27[31m", 8) == "␛[31m   ")
assert(message(term.fit, "x", -1) == "term.fit: argument 2: expected columns from 0 to 100000, got -1")
local styled = term.style("done", "bold green")
assert(styled[1] == "done" and styled.style == "bold green")
assert(message(term.style, "x", "bold gren") == "term.style: argument 2: there is no style 'gren'")
assert(select(2, pcall(term.style, "x", "gren")).hint == "did you mean 'green'?")
assert(message(term.table, { { id = 1 } }, { shorten = "text" }) == "term.table: option 'shorten': there is no column 'text'")

-- A line that is typed
local editor = term.editor "Buy milk"
assert(editor.text == "Buy milk")
assert(editor:press("backspace") and editor:press("x", "x") and not editor:press "enter")
assert(editor.text == "Buy milx")
local view, column = editor:view(4)
assert(view == "ilx" and column == 4)
