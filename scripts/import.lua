-- Imports a task list from a file. Run the command again to continue an interrupted import.

local b2c = require "b2c"
local accounts, json, tasks, tenant, term = b2c.accounts, b2c.json, b2c.tasks, b2c.tenant, b2c.term

local options = term.options {
  summary = "Imports a task list from a file. Run the command again to continue an interrupted import.",
  positions = {
    { "FILE", "such as tasks.csv, tasks.json.gz, todo.txt; - is standard input" },
  },
  takes = "tasks.import",
  options = {
    { "--look", "show how FILE is read: format, columns, ten rows as tasks, doubts; sends nothing, needs no settings" },
    { "--json", "with --look: print the reading as JSON, for programs" },
  },
  notes = "Failed rows are written to FILE.failed.ndjson, those of a table also to FILE.failed.csv. Correct the rows in one of "
    .. "these files, and import the file: its rows then count as settled in the first import, too.",
}

local file = table.remove(options, 1)
local look, as_json = options.look, options.json
options.look, options.json = nil, nil

if look then
  options.width = term.size()
  -- A switch that is not given is false.
  for name, value in pairs(options) do if value == false then options[name] = nil end end
  local reading = tasks.recognize(file, options)
  print(as_json and json.encode(reading, { pretty = true }) or tostring(reading))
  if #reading.doubts > 0 then os.exit(2) end
  return
end
if as_json then error({ code = "usage", message = "import: --json: it has no effect without --look" }, 0) end

-- The local tenant has a user who can sign in; otherwise a user must be signed in. The check follows the check of the file.
options.account = tenant.is_running() and tenant.sign_in or accounts.get
print(tasks.import(file, options))
