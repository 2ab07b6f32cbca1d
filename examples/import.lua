-- Imports a list that needs some work: it skips rows, corrects rows, and adds tasks made by a script.
--
--   b2c-run --local examples/import.lua
--
-- A list that needs no such work can be imported with b2c-run import FILE.

local b2c = require "b2c"
local accounts, tasks, args = b2c.accounts, b2c.tasks, b2c.args

accounts.sign_in { agent = "headless", username = "alice", password = "Wonderland-1" }
local folder = args[0]:match "^(.*)/" or "."

local report = tasks.import(folder .. "/data/inbox.csv", {
  -- Receives each row with its columns by name. Returns a task or a text, or nil to skip the row.
  map = function(row, number)
    if row.Done == "yes" then return nil end
    local due = row.Due ~= "" and (" (until %s)"):format(row.Due) or ""
    return { text = row.Subject .. due }
  end,
  -- Called for each failed row with its number, its line, its text and the reason. The returned text is sent instead;
  -- "skip" skips the row, "stop" ends the import, and nil writes the row to the file of failed rows.
  on_row_failed = function(failure)
    print(("row %d failed: %s"):format(failure.row, failure.reason))
    local note = failure.original.Note
    return note ~= "" and note or "skip"
  end,
})
print(("%d of %d rows added, %d left out, %d failed"):format(report.added, report.total, report.skipped, report.failed))

-- A source may also be a function that returns one row after the other, such as this generator.
local function weeks()
  for week = 1, 4 do coroutine.yield { text = ("Water the plants, week %d"):format(week) } end
end
report = tasks.import(coroutine.wrap(weeks))
print(report.added .. " more by a function")

local texts = {}
for task in tasks.each() do texts[#texts + 1] = task.text end
table.sort(texts)
print(table.concat(texts, "\n"))
