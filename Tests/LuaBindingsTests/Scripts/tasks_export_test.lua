-- All tasks in a file.

local b2c = require "b2c"
local tasks, tenant = b2c.tasks, b2c.tenant
local support = require "support"
local equal, failure, message = support.equal, support.failure, support.message

local alice = tenant.sign_in()
tasks.add "Buy milk"
tasks.add "Call \"Ann\",\nthen Bob"
local bob = tenant.sign_in "bob"
tasks.add "Water the plants"

--- Exports the tasks into a file with this extension, and returns the content of the file.
local function export(extension, options)
  local file <close> = support.file("", extension)
  local report = tasks.export(file.path, options)
  equal(report.path, file.path)
  assert(report.seconds >= 0)
  local exported <close> = assert(io.open(file.path, "rb"))
  local text = exported:read "a"
  equal(report.bytes, #text)
  return text, report
end

local text, report = export(".txt")
equal(text, "Water the plants\n")
equal(report.tasks, 1)
equal(report.format, "text")
equal(export(".tasks", { format = "text" }), "Water the plants\n")
text, report = export(".csv", { account = alice, separator = ";" })
equal(report.tasks, 2)
assert(text:find(";", 1, true) and text:find('"Call ""Ann"",\nthen Bob"', 1, true), text)
for _, format in ipairs { "csv", "tsv", "json", "ndjson", "taskwarrior", "ics" } do
  equal(select(2, export("", { format = format, account = alice })).tasks, 2)
end
equal(message(tasks.export, "a", { format = "trello" }):match "the format trello can be read, not written", "the format trello can be read, not written")

-- Wrong arguments
equal(failure(tasks.export, "tasks.doc").code, "unknown_format")
equal(failure(tasks.export, "/nowhere/tasks.csv").code, "unwritable")
equal(message(tasks.export, "a.csv", { separator = "||" }),
  "tasks.export: option 'separator': expected one ASCII character, got \"||\"")
equal(message(tasks.export, "a.csv", { format = "xlsx" }),
  "tasks.export: option 'format': expected one of \"csv\", \"tsv\", \"json\", \"ndjson\", \"text\", \"todotxt\", "
    .. "\"taskwarrior\", \"ics\", got \"xlsx\"")
equal(message(tasks.export), "tasks.export: argument 1: expected a string, got nothing")
