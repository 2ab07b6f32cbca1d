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

--- The reading of the file. Errors about options name them as they were typed.
local function recognize(file, options)
  local ok, result = pcall(tasks.recognize, file, options)
  if ok then return result end
  if type(result) ~= "table" or type(result.message) ~= "string" then error(result, 0) end
  local problem = result --[[@as b2c.error]]
  local name, rest = problem.message:match "^tasks%.recognize: option '([%w_]+)': (.*)"
  local unknown = problem.message:match "^tasks%.recognize: unknown option '([%w_]+)'"
  if unknown then
    error({ code = "usage", message = ("import: --%s: it has no effect with --look"):format((unknown:gsub("_", "-"))) }, 0)
  end
  if not name then error(problem, 0) end
  local flag = name:gsub("_", "-")
  error({ code = "usage", message = ("import: --%s: %s"):format(flag, rest), hint = problem.hint }, 0)
end

local file = table.remove(options, 1)
local look, as_json = options.look, options.json
options.look, options.json = nil, nil

if look then
  options.width = term.size()
  -- A switch that is not given is false.
  for name, value in pairs(options) do if value == false then options[name] = nil end end
  local reading = recognize(file, options)
  print(as_json and json.encode(reading, { pretty = true }) or tostring(reading))
  if #reading.doubts > 0 then os.exit(2) end
  return
end
if as_json then error({ code = "usage", message = "import: --json: it has no effect without --look" }, 0) end

-- The local tenant has a user who can sign in; otherwise a user must be signed in. The check follows the check of the file.
options.account = tenant.is_running() and tenant.sign_in or accounts.get
print(tasks.import(file, options))
