-- Imports of many tasks at once that fail.

local b2c = require "b2c"
local async, tasks, tenant = b2c.async, b2c.tasks, b2c.tenant
local support = require "support"
local equal, failure, message = support.equal, support.failure, support.message
local import, take = support.import, support.take_tasks

support.sign_in()

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

-- An error in map fails its row alone, with row and line.
local failing = import("what\nmilk\nbread\ntea\n", { map = function(row)
  if row.what == "bread" then error("mine") end
  if row.what == "tea" then error { code = "no_tea", message = "no tea" } end
  return row.what
end })
equal(failing.added, 1)
equal(failing.failed, 2)
equal(failing.failures[1].row, 2)
equal(failing.failures[1].line, 3)
equal(failing.failures[1].code, "script_error")
assert(failing.failures[1].reason:find("^map: .*tasks_import_trouble_test.lua:%d+: mine"), failing.failures[1].reason)
equal(failing.failures[2].code, "no_tea")
equal(failing.failures[2].reason, "map: no tea")
equal(take(), "milk")
local position = 0
failing = tasks.import(function()
  position = position + 1
  return position <= 2 and position or nil
end, { map = function(number) return number == 2 and "two" or nil + 1 end })
equal(failing.failed, 1)
equal(take(), "two")

-- Rows that fail do not stop the rest; each is told once, and the report has them.
local told = {}
local report = import("text\ngood\n \nbetter\n" .. ("x"):rep(4001) .. "\n", { on_row_failed = function(failed)
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
report = tasks.import(coroutine.wrap(function()
  coroutine.yield(" ")
  coroutine.yield("x")
end))
equal(report.failures[1].code, "empty_text")
equal(take(), "x")

-- A server that is busy is waited for; of a row whose answer got lost, the list says whether it was added.
tenant.fault { method = "POST", path = "/api/tasks", status = 503, times = 2 }
equal(import("text\na\nb\n", { concurrency = 1 }).added, 2)
equal(take(), "a|b")
tenant.fault { method = "POST", path = "/api/tasks", drop = true }
equal(import("text\na\nb\n", { concurrency = 1 }).added, 2)
equal(take(), "a|b")

-- No token can be had: the import stops, and says how far it came.
tenant.fault { path = "*/token", status = 400, body = '{"error":"invalid_client","error_description":"nope"}' }
tenant.advance(3700)
e = failure(import, "text\na\nb\n", { concurrency = 1 })
equal(e.code, "stopped")
assert(e.message:find("the import stopped because the list of tasks could not be read: ", 1, true), e.message)
assert(e.message:find("until then: 0 added", 1, true), e.message)

-- An error in on_row_failed ends the import.
e = failure(import, "text\n \n", { on_row_failed = function() error("enough") end })
assert(tostring(e):find("tasks_import_trouble_test.lua:%d+: enough"), tostring(e))

-- Files that cannot be read
equal(failure(tasks.import, "nowhere.csv").code, "file_not_found")
assert(message(tasks.import, "nowhere.csv"):find("nowhere.csv", 1, true))
e = failure(import, "a,b\n1,2,3\n")
equal(e.code, "doubtful_file")
report = import("text,b\n1,2,3\nx,y\n")
equal(report.failures[1].code, "ragged_row")
equal(report.failures[1].line, 2)
equal(report.failures[1].original._import.fields[3], "3")
equal(take(), "x")
e = failure(import, "x;text\n1;2\n", { separator = "," })
equal(e.hint, "is the separator ';'?")

-- Wrong use
equal(message(tasks.import), "tasks.import: argument 1: expected a string or function, got nothing")
equal(message(tasks.import, { "a" }), "tasks.import: argument 1: expected a string or function, got table")
equal(failure(tasks.import, "a.csv", { on_row_faild = print }).hint, "did you mean 'on_row_failed'?")
