-- Imports a task list from a file. Run the command again to continue an interrupted import.

local b2c = require "b2c"
local accounts, json, tasks, tenant, term = b2c.accounts, b2c.json, b2c.tasks, b2c.tenant, b2c.term

local options = term.options {
  summary = "Imports a task list from a file. Run the command again to continue an interrupted import.",
  positions = {
    { "[FILE]", "such as tasks.csv, tasks.json.gz, todo.txt; - is standard input" },
  },
  usage = { "[options] FILE", "--apply PLAN [--receipt FILE] [--report FILE]" },
  takes = "tasks.import",
  options = {
    { "--plan PLAN", "write a plan to the file PLAN: what becomes of each row; changes no task" },
    { "--apply PLAN", "do what PLAN says, and nothing else; tasks that somebody has changed since stay as they are" },
    { "--receipt RECEIPT", "with --apply or --key: write a CSV file with each row of the source and what became of it" },
    { "--key COLUMN", "the column that tells the rows apart: a row whose key a task has changes this task" },
    { "--key-field FIELD", "with --key: the field of the task that keeps the key: text, notes, url or key" },
    { "--delete-missing", "with --key: also remove the tasks whose keys FILE does not have" },
    { "--many", "with --delete-missing: also remove more than half of the tasks with keys" },
    { "--look", "show how FILE is read: format, columns, ten rows as tasks, doubts; sends nothing, needs no settings" },
    { "--json", "with --look: print the reading as JSON, for programs" },
  },
  notes = "Failed rows are written to FILE.failed.ndjson, those of a table also to FILE.failed.csv. Correct the rows in one of "
    .. "these files, and import the file: its rows then count as settled in the first import, too.",
}

local function refuse(key, text, hint)
  error({ code = "usage", message = ("import: --%s: %s"):format(key:gsub("_", "-"), text), hint = hint }, 0)
end

--- The options that say how requests are sent.
local sending = { "concurrency", "rate", "retries", "wait", "timeout", "unsettled", "progress" }

--- Calls a function with options of the command line. Errors about options name them as they were typed.
local function call(name, switch, file, options)
  -- A switch that is not given is false; these options have words for it, such as no.
  local words = { resume = true, journal = true, failed_rows = true, idempotency_key = true }
  for key, value in pairs(options) do if value == false and not words[key] then options[key] = nil end end
  local ok, result = pcall(tasks[name], file, options)
  if ok then return result end
  if type(result) ~= "table" or type(result.message) ~= "string" then error(result, 0) end
  local problem = result --[[@as b2c.error]]
  local unknown = problem.message:match("^tasks%." .. name .. ": unknown option '([%w_]+)'")
  local option, rest = problem.message:match("^tasks%." .. name .. ": option '([%w_]+)': (.*)")
  if unknown then refuse(unknown == "failed_rows" and "failed" or unknown, "it has no effect with " .. switch) end
  if option then refuse(option, rest, problem.hint) end
  error(problem, 0)
end

local file = table.remove(options, 1)

if options.apply then
  local plan_file = options.apply
  if file then refuse("apply", ("it reads no source, and there is '%s'"):format(file), "leave the file out: the plan has its rows") end
  options.apply = nil
  if tenant.is_running() then options.account = tenant.sign_in end
  local result = call("apply", "--apply", plan_file, options)
  print(result)
  if not result.complete then os.exit(5) end
  return
end
if not file then error({ code = "usage", message = "import: expected FILE", hint = "b2c-run import --help shows the options" }, 0) end
local look, as_json = options.look, options.json
options.look, options.json = nil, nil

if look then
  options.width = term.size()
  local reading = call("recognize", "--look", file, options)
  print(as_json and json.encode(reading, { pretty = true }) or tostring(reading))
  if #reading.doubts > 0 then os.exit(2) end
  return
end
if as_json then error({ code = "usage", message = "import: --json: it has no effect without --look" }, 0) end

-- The local tenant has a user who can sign in; otherwise a user must be signed in. The check follows the check of the file.
options.account = tenant.is_running() and tenant.sign_in or accounts.get

if options.plan then
  options.width = term.size()
  local plan = call("plan", "--plan", file, options)
  print(plan)
  if plan.counts.conflict + plan.counts.refused > 0 then os.exit(5) end
  return
end
if options.key then
  local given = { receipt = options.receipt, report = options.report, account = options.account, service = options.service }
  for _, name in ipairs(sending) do given[name], options[name] = options[name], nil end
  options.receipt, options.report = nil, nil
  local result = call("apply", "--key", call("plan", "--key", file, options), given)
  print(result)
  if not result.complete then os.exit(5) end
  return
end
for _, name in ipairs { "key_field", "delete_missing", "many", "receipt" } do
  if options[name] then
    refuse(name, name == "receipt" and "it has no effect without --apply or --key" or "it has no effect without --key")
  end
  options[name] = nil
end

print(tasks.import(file, options))
