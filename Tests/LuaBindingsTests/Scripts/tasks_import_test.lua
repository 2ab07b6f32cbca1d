-- Many tasks at once.

local b2c = require "b2c"
local async, tasks, tenant = b2c.async, b2c.tasks, b2c.tenant
local support = require "support"
local equal, failure, message = support.equal, support.failure, support.message

local alice = support.sign_in()

--- The texts of alice's tasks, sorted; they are gone afterwards.
local function take()
  local texts = {}
  for task in tasks.each() do
    table.insert(texts, task.text)
    tasks.remove(task)
  end
  table.sort(texts)
  return table.concat(texts, "|")
end

local function import(content, options, extension)
  local file <close> = support.file(content, extension or ".csv")
  return tasks.import(file.path, options)
end

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

-- A column that is not there is named, and those that are.
local e = failure(import, "what,when\nmilk,today\n", { map = function(row) return { text = row.wat } end })
equal(e.code, "missing_column")
assert(e.message:find('has no column "wat": its columns are "what", "when"', 1, true), e.message)
equal(e.hint, 'did you mean "what"?')
equal(take(), "")

-- map returns rubbish, or fails
e = failure(import, "what\nmilk\n", { map = function() return 5 end })
equal(e.message, "tasks.import: map, row 1: expected a text, or a table with a text, got number")
e = failure(import, "what\nmilk\n", { map = function() return { Text = "x" } end })
equal(e.message, "tasks.import: map, row 1: expected a text, or a table with a text, got a table whose text is nil")
e = failure(import, "what\nmilk\n", { map = function() error("mine") end })
assert(tostring(e):find("tasks_import_test.lua:%d+: mine"), tostring(e))

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
e = failure(tasks.import, function() return 5 end)
equal(e.message, "tasks.import: row 1: expected a text, or a table with a text, got number")

-- Rows that fail do not stop the rest; each is told once, and the report has them.
local told = {}
report = import("text\ngood\n \nbetter\n" .. ("x"):rep(4001) .. "\n", { on_row_failed = function(failed)
  async.sleep(0)
  told[failed.row] = failed
end })
equal(report.total, 4)
equal(report.added, 2)
equal(report.failed, 2)
equal(#report.failures, 2)
equal(told[2].reason, "the text is empty")
equal(told[2].code, "empty_text")
equal(told[2].line, 3)
equal(told[4].status, 400)
equal(told[4].code, "bad_request")
equal(told[4].unsettled, false)
equal(#told[4].text, 4001)
equal(take(), "better|good")

-- An empty text from a function fails in the same way.
report = tasks.import(ipairs({}) and coroutine.wrap(function() coroutine.yield(" ") coroutine.yield("x") end))
equal(report.failures[1].code, "empty_text")
equal(take(), "x")

-- A server that is busy is waited for; one whose answer got lost may have added the row.
tenant.fault { method = "POST", path = "/api/tasks", status = 503, times = 2 }
equal(import("text\na\nb\n", { concurrency = 1 }).added, 2)
equal(take(), "a|b")
tenant.fault { method = "POST", path = "/api/tasks", drop = true }
report = import("text\na\nb\n", { concurrency = 1, retries = 0 })
equal(report.failed, 1)
equal(report.failures[1].unsettled, true)
assert(report.failures[1].reason:find("the task may have been added", 1, true))
take()

-- One refresh for a whole import whose token has expired
tenant.advance(3700)
local before = support.count("POST", "/token")
local long = { "text" }
for i = 1, 200 do long[#long + 1] = "task " .. i end
equal(import(table.concat(long, "\n")).added, 200)
equal(support.count("POST", "/token"), before + 1)
equal(#tenant.tasks("alice"), 200)

-- No token can be had: the import stops, and says how far it came.
tenant.fault { path = "*/token", status = 400, body = '{"error":"server_error","error_description":"nope"}' }
tenant.advance(3700)
e = failure(import, "text\na\nb\n", { concurrency = 1 })
equal(e.code, "stopped")
assert(e.message:find("the import stopped at row 1 (line 2): ", 1, true), e.message)
assert(e.message:find("until then: 0 added", 1, true), e.message)

-- An error in on_row_failed ends the import.
e = failure(import, "text\n \n", { on_row_failed = function() error("enough") end })
assert(tostring(e):find("tasks_import_test.lua:%d+: enough"), tostring(e))

-- Files that cannot be read
equal(failure(tasks.import, "nowhere.csv").code, "file_not_found")
assert(message(tasks.import, "nowhere.csv"):find("nowhere.csv", 1, true))
e = failure(import, "a,b\n1,2,3\n")
equal(e.code, "missing_column")
e = failure(import, "text,b\n1,2,3\n")
equal(e.code, "ragged_row")
equal(e.details.line, "2")
e = failure(import, "x;text\n1;2\n")
equal(e.hint, "is the separator ';'?")

-- Wrong use
equal(message(tasks.import), "tasks.import: argument 1: expected a string or function, got nothing")
equal(message(tasks.import, { "a" }), "tasks.import: argument 1: expected a string or function, got table")
equal(message(tasks.import, "list"), "tasks.import: argument 1: cannot tell the format of list by its extension")
equal(failure(tasks.import, "a.csv", { on_row_faild = print }).hint, "did you mean 'on_row_failed'?")
for option, problem in pairs {
  separator = { ";;", 'expected one ASCII character, got ";;"' },
  concurrency = { 0, "expected 1 to 1024, got 0" },
  retries = { -1, "expected 0 to 1000, got -1" },
  map = { "x", "expected a function, got string" },
  format = { "xlsx", 'expected one of "csv", got "xlsx"' },
} do
  local file <close> = support.file("text\na\n", ".csv")
  equal(message(tasks.import, file.path, { [option] = problem[1] }),
    ("tasks.import: option '%s': %s"):format(option, problem[2]))
end
