-- Imports a list that needs some work: rows to leave out, rows to mend, and tasks that a script makes itself.
--
--   b2c-run --local examples/import.lua
--
-- A list that needs none is imported by b2c-run import FILE.

local b2c = require "b2c"
local accounts, tasks, args = b2c.accounts, b2c.tasks, b2c.args

accounts.sign_in { agent = "headless", username = "alice", password = "Wonderland-1" }
local folder = args[0]:match "^(.*)/" or "."

local report = tasks.import(folder .. "/data/inbox.csv", {
  -- Gets each row by the names of its columns. Returns a task or a text, or nil to leave the row out.
  map = function(row, number)
    if row.Done == "yes" then return nil end
    local due = row.Due ~= "" and (" (until %s)"):format(row.Due) or ""
    return { text = row.Subject .. due }
  end,
  -- Hears of each row that failed: its number, its line, why, and what stood there. What it returns is sent instead;
  -- "skip" leaves the row out, "stop" ends the import, and nothing leaves it to the file of failed rows.
  on_row_failed = function(failure)
    print(("row %d failed: %s"):format(failure.row, failure.reason))
    local note = failure.original.Note
    return note ~= "" and note or "skip"
  end,
})
print(("%d of %d rows added, %d left out, %d failed"):format(report.added, report.total, report.skipped, report.failed))

-- A source may also be a function that returns one row after the other, here a generator.
local function weeks()
  for week = 1, 4 do coroutine.yield { text = ("Water the plants, week %d"):format(week) } end
end
report = tasks.import(coroutine.wrap(weeks))
print(report.added .. " more by a function")

local texts = {}
for task in tasks.each() do texts[#texts + 1] = task.text end
table.sort(texts)
print(table.concat(texts, "\n"))
