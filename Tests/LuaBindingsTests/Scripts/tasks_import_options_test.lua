-- The options of tasks.import.

local b2c = require "b2c"
local tasks, tenant = b2c.tasks, b2c.tenant
local support = require "support"
local equal, failure, message = support.equal, support.failure, support.message
local import, take = support.import, support.take_tasks

tenant.sign_in()

-- Formats, by the name or as said
equal(import('["a", {"text": "b"}]', nil, ".json").added, 2)
equal(import('"c"\n{"text": "d"}\n', nil, ".ndjson").added, 2)
equal(import("e\n\nf\n", nil, ".txt").added, 2)
equal(import("x g\nh\n", { format = "todotxt" }, ".list").added, 2)
equal(take(), "a|b|c|d|e|f|g|h")
local e = failure(import, "some words\nand more\n", nil, ".list")
equal(e.code, "unknown_format")
assert(e.message:find("cannot tell the format of .*%.list by its name or its beginning"), e.message)

-- account: also a function, which is called for what can be imported
local calls = 0
local function account()
  calls = calls + 1
  return tenant.sign_in()
end
equal(message(tasks.import, "no such file.csv", { account = account }), "no such file.csv does not exist")
equal(calls, 0)
equal(import("i\n", { account = account }, ".txt").added, 1)
equal(calls, 1)
equal(take(), "i")
equal(message(import, "j\n", { account = function() end }, ".txt"),
  "tasks.import: option 'account': expected the function to return an account, got nil")

-- map: a table, or its text
equal(import("what,when\nmilk,2027-01-31\n", { map = { text = "what", Due = "when" } }).added, 1)
equal(import("what,when\nbread,2027-01-31\n", { map = "text=what,due=when" }).added, 1)
equal(take(), "bread|milk")
equal(message(import, "what,when\nmilk,today\n", { map = "Due=when" }),
  'the map "Due=when" does not say which column has the text')
equal(message(import, "what\nmilk\n", { map = { text = 1 } }),
  "tasks.import: option 'map': expected names of columns by the names of fields, got a number for text")
equal(failure(import, "what\nmilk\n", { map = { text = "whta" } }).hint, 'did you mean "what"?')
equal(message(tasks.import, function() end, { map = { text = "x" } }),
  "tasks.import: option 'map': expected a function, because rows of an iterator have no columns")

-- map: a function, which gets what the format has
local got = {}
local function keep(row)
  got[#got + 1] = row
  return "task " .. #got
end
import('[{"a": [1, 2]}]', { map = keep }, ".json")
import("a line\n", { map = keep }, ".txt")
import("x done\n", { map = keep, format = "todotxt" }, ".list")
equal(got[1].a[2], 2)
equal(got[2], "a line")
equal(got[3].text, "done")
equal(got[3].completed, true)
equal(take(), "task 1|task 2|task 3")

-- on_row_failed: nothing, "skip", "stop", or another task
local function fail_once(answer)
  return import("text\na\n \nb\n", { concurrency = 1, failed_rows = false, on_row_failed = function(failed)
    equal(failed.row, 2)
    equal(failed.original.text, " ")
    return answer
  end })
end
equal(fail_once(nil).failed, 1)
equal(take(), "a|b")
local report = fail_once("skip")
equal(report.failed, 0)
equal(report.skipped, 1)
equal(take(), "a|b")
equal(fail_once("c").added, 3)
equal(take(), "a|b|c")
equal(fail_once({ text = "d", Completed = true }).added, 3)
equal(take(), "a|b|d")
equal(fail_once({ text = " " }).failed, 1)
take()
e = failure(fail_once, "stop")
equal(e.code, "stopped")
assert(e.message:find("on_row_failed stopped the import at row 2: the text is empty", 1, true), e.message)
take()
e = failure(fail_once, 5)
equal(e.message, "tasks.import: on_row_failed, row 2: expected a text, or a table with a text, got number")
take()

-- dry_run: all is read, nothing sent
local before = support.count("POST", "/api/tasks")
report = import("text\na\n \nb\n", { dry_run = true })
equal(report.total, 3)
equal(report.added, 0)
equal(report.unsent, 2)
equal(report.failed, 1)
equal(report.failed_rows, nil)
equal(support.count("POST", "/api/tasks"), before)

-- dedupe: what is there, or was in the file
tasks.add "a"
report = import("text\na\nb\nb\n", { dedupe = "text" })
equal(report.added, 1)
equal(report.skipped, 2)
equal(take(), "a|b")

-- max_failures
e = failure(import, "text\na\n" .. (" \n"):rep(5) .. "b\n", { max_failures = 2, failed_rows = false })
equal(e.code, "stopped")
assert(e.message:find("because 3 rows have failed, and 2 may: the text is empty", 1, true), e.message)
take()

-- A journal in a file goes on; in memory everything is new.
do
  local file <close> = support.file("text\na\n", ".csv")
  local path = b2c.args.imports .. "/mine.sqlite"
  equal(tasks.import(file.path, { journal = path }).journal, path)
  report = tasks.import(file.path, { journal = path })
  equal(report.added, 1)
  equal(#tasks.list(), 1)
  equal(tasks.import(file.path, { journal = path, resume = false }).added, 1)
  equal(#tasks.list(), 2)
  equal(tasks.import(file.path, { journal = false }).journal, nil)
  equal(take(), "a|a|a")
  -- An iterator is known again by what it gives.
  local function source(...)
    local rows = { ... }
    return function() return table.remove(rows, 1) end
  end
  path = b2c.args.imports .. "/iterator.sqlite"
  tasks.import(source("x", { text = "y" }), { journal = path })
  report = tasks.import(source("x", { text = "y" }, "z"), { journal = path })
  equal(report.added, 3)
  equal(report.resumed_at, 3)
  equal(take(), "x|y|z")
  equal(failure(tasks.import, source("other"), { journal = path }).code, "source_changed")
  e = failure(tasks.import, source("x"), { journal = path, resume = "match" })
  equal(e.message, "tasks.import: option 'resume': expected a file to match, which can be read twice")
end

-- The report in words, and as JSON in a file
do
  local file <close> = support.file("text\na\n", ".csv")
  local json <close> = support.file("", ".json")
  report = tasks.import(file.path, { report = json.path, rate = 1000, concurrency = { min = 2, max = 4 } })
  assert(tostring(report):find("^" .. file.path:gsub("%p", "%%%0") .. ": 1 row in "), tostring(report))
  local written <close> = assert(io.open(json.path))
  local kept = b2c.json.decode(written:read "a")
  equal(kept.rows.added, 1)
  equal(kept.account, "Alice Liddell")
  equal(kept.options.rate, 1000)
  equal(kept.options.concurrency.max, 4)
  take()
end

-- Values that are none
for option, problem in pairs {
  separator = { ";;", 'expected one ASCII character, got ";;"' },
  concurrency = { 0, "expected 1 to 1024, got 0" },
  rate = { 0, "expected 0.001 to 1000000, got 0" },
  retries = { -1, "expected an integer from 0 to 1000, got -1" },
  wait = { -1, "expected a number from 0 to 604800, got -1" },
  timeout = { 0, "expected a number from 0.1 to 3600, got 0" },
  max_failures = { -1, "expected an integer of at least 0, got -1" },
  settle_after = { 4000, "expected a number from 0 to 3600, got 4000" },
  resume = { "maybe", 'expected a boolean or "match", got "maybe"' },
  unsettled = { "forget", 'expected one of "resend", "skip", got "forget"' },
  dedupe = { true, "expected a string, got boolean" },
  journal = { 5, "expected a string or boolean, got number" },
  idempotency_key = { "yes", "expected a boolean, got string" },
  progress = { "bars", 'expected a boolean or one of "bar", "lines", "json", "none", got "bars"' },
  map = { 5, "expected a function, table or string, got number" },
  on_row_failed = { "skip", "expected a function, got string" },
  format = { "xlsx",
    ('expected one of "%s", got "xlsx"'):format(table.concat(tasks.formats, '", "')) },
} do
  local file <close> = support.file("text\na\n", ".csv")
  e = failure(tasks.import, file.path, { [option] = problem[1] })
  equal(e.message, ("tasks.import: option '%s': %s"):format(option, problem[2]))
  equal(e.call, "tasks.import")
  equal(e.option, option)
  equal(e.problem, problem[2])
end
-- Texts as on a command line
report = import("text\na\n", { concurrency = "2..4", rate = "6000/m" })
equal(report.added, 1)
take()
equal(message(import, "text\na\n", { concurrency = "4..2" }),
  "tasks.import: option 'concurrency': expected a number, or MIN..MAX, got '4..2'")
equal(message(import, "text\na\n", { rate = "5/d" }),
  "tasks.import: option 'rate': expected rows per second, or a rate such as 100/m, got '5/d'")
equal(message(import, "text\na\n", { concurrency = { min = 5, max = 4 } }),
  "tasks.import: option 'concurrency': expected { min =, max = } with 1 <= min <= max <= 1024")
equal(message(import, "text\na\n", { concurrency = { least = 5 } }),
  "tasks.import: option 'concurrency': expected { min =, max = } with 1 <= min <= max <= 1024")

-- dedupe: a field that no row has would add every row again.
e = failure(import, "text,due\na,2027-01-31\n", { dedupe = "nonsense" })
equal(e.message, "tasks.import: option 'dedupe': the import has no field 'nonsense', so that every row would be added again; "
  .. "its fields are text, due")
equal(failure(import, "text,due\na,2027-01-31\n", { dedupe = "text ", map = "text=text" }).option, "dedupe")
e = failure(import, "text\na\nb\n", { dedupe = "due", map = function(row) return row.text end })
equal(e.code, "missing_field")
assert(e.message:find("none of the first 2 rows has the field 'due'", 1, true), e.message)
equal(take(), "")
report = import("text,Deadline\na,2027-01-31\nb,2027-01-31\nc,\n", { dedupe = "Due" })
equal(report.added, 2)
equal(report.skipped, 1)
report = import("text,due\nd,2027-01-31\ne,2027-02-01\n", { dedupe = "due", concurrency = 1 })
equal(report.skipped, 1)
take()
