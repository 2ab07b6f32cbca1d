-- Many tasks at once.

local b2c = require "b2c"
local async, tasks = b2c.async, b2c.tasks
local support = require "support"
local equal, failure = support.equal, support.failure
local import, take = support.import, support.take_tasks

local alice = support.sign_in()

-- A CSV file with a column that looks like the text
local report = import("\xEF\xBB\xBFId,Text\r\n1,Buy milk\r\n2,\"Bread, \"\"fresh\"\"\r\nand butter\"\r\n3,Ä\r\n")
equal(report.total, 3)
equal(report.added, 3)
equal(report.skipped, 0)
equal(report.failed, 0)
equal(#report.failures, 0)
assert(report.seconds >= 0)
equal(take(), "Bread, \"fresh\"\r\nand butter|Buy milk|Ä")

-- Separators
import("a;text\n1;x, y\n", { separator = ";" })
import("a\ttext\n1\tz\n", nil, ".tsv")
import("text\nw\n", { format = "csv" }, ".list")
equal(take(), "w|x, y|z")

-- map: by column name, with the number; nil skips; it may wait
local numbers = {}
report = import("what,when\nmilk,today\nbread,never\ntea,\n", { map = function(row, number)
  async.sleep(0)
  numbers[number] = row.what
  if row.when == "never" then return nil end
  return { text = row.what .. ":" .. row["when"], Completed = row.when == "" }
end })
equal(report.total, 3)
equal(report.added, 2)
equal(report.skipped, 1)
equal(table.concat(numbers, " "), "milk bread tea")
equal(take(), "milk:today|tea:")
report = import("what\nmilk\n", { map = function(row) return row.what end })
equal(take(), "milk")

-- From a function
local n = 0
report = tasks.import(function()
  n = n + 1
  async.sleep(0)
  if n <= 3 then return n % 2 == 0 and "even" or { text = "odd " .. n } end
end, { concurrency = 2, account = alice })
equal(report.added, 3)
equal(take(), "even|odd 1|odd 3")
local rows = { { name = "a" }, { name = "b" } }
report = tasks.import(coroutine.wrap(function()
  for _, row in ipairs(rows) do coroutine.yield(row) end
end), { map = function(row, number) return number == 2 and row.name or nil end })
equal(report.skipped, 1)
equal(take(), "b")
local e = failure(tasks.import, function() return 5 end)
equal(e.message, "tasks.import: row 1: expected a text, or a table with a text, got number")

-- One refresh for a whole import whose token has expired
b2c.tenant.advance(3700)
local before = support.count("POST", "/token")
local long = { "text" }
for i = 1, 200 do long[#long + 1] = "task " .. i end
equal(import(table.concat(long, "\n")).added, 200)
equal(support.count("POST", "/token"), before + 1)
equal(#b2c.tenant.tasks("alice"), 200)

-- Several at once, each with a report of its own
local reports = async.map({ 1, 2, 3 }, function(number)
  return import("text\n" .. ("row\n"):rep(number), { concurrency = 2 })
end)
for number, its in ipairs(reports) do equal(its.added, number) end
