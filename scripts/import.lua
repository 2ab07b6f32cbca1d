-- Imports a task list from a file; run again, it goes on where it was.

local b2c = require "b2c"
local accounts, tasks, tenant, term = b2c.accounts, b2c.tasks, b2c.tenant, b2c.term

local options = term.options {
  summary = "Imports a task list from a file; run again, it goes on where it was.",
  positions = {
    { "FILE", "such as tasks.csv, tasks.json.gz, todo.txt; - is standard input" },
  },
  options = {
    { "--format FORMAT", "what FILE is, where its name does not say", choices = tasks.formats },
    { "--separator CHARACTER", "between the fields of a CSV file; found out if not given" },
    { "--map FIELD=COLUMN", "which column is what: text=Title,date=Due; may be given more than once", many = true },
    { "--dry-run", "read and check everything, send nothing" },
    { "--dedupe FIELD", "skip rows whose text, or other FIELD, the account has already" },
    { "--concurrency N", "requests under way at once: N at most, or MIN..MAX (1..16 if not given)" },
    { "--rate ROWS", "rows a second at most; 100/m or 5000/h are a minute's or an hour's" },
    { "--retries N", "how often to wait for a server that takes nothing", type = "integer" },
    { "--wait SECONDS", "how long to wait for a server that cannot be reached, at the start, too; 0: not at all",
      type = "number" },
    { "--timeout SECONDS", "for one request", type = "number" },
    { "--max-failures N", "stop when more rows than that have failed", type = "integer" },
    { "--resume HOW", "whether to go on after an earlier import; match: of a file that has changed",
      choices = { "yes", "no", "match" } },
    { "--unsettled WHAT", "rows of which nobody knows whether they were added", choices = { "resend", "skip" } },
    { "--idempotency-key WHETHER", "whether the server honors Idempotency-Key; found out if not given",
      choices = { "yes", "no" } },
    { "--settle-after SECONDS", "how long after a lost answer to look for its task in the list", type = "number" },
    { "--journal FILE", "where to keep what was done; none: in memory" },
    { "--failed FILE", "where to write the rows that failed (FILE.failed.ndjson if not given); none: nowhere" },
    { "--report FILE", "write the report there: .html is a page, .json is JSON" },
    { "--progress HOW", "how to show progress", choices = { "bar", "lines", "json", "none" } },
  },
  notes = "Rows that failed are written to FILE.failed.ndjson; mend them there, and import that file.",
}

local function refuse(option, expected, got)
  error({ code = "usage", message = ("import: %s: expected %s, got '%s'"):format(option, expected, got) }, 0)
end

--- "16" as 16, "4..64" as { min = 4, max = 64 }.
local function range(text)
  if not text then return nil end
  local number = math.tointeger(tonumber(text))
  if number then return number end
  local min, max = text:match "^(%d+)%.%.(%d+)$"
  min, max = tonumber(min), tonumber(max)
  if not min or min > max then refuse("--concurrency", "a number, or MIN..MAX", text) end
  return { min = min, max = max }
end

--- "5", "100/m" and "5000/h" as rows a second.
local function rate(text)
  if not text then return nil end
  local number, unit = text:match "^([%d.]+)/?([smh]?)$"
  local seconds = ({ [""] = 1, s = 1, m = 60, h = 3600 })[unit or ""]
  local rows = tonumber(number)
  if not rows then refuse("--rate", "rows a second, or such as 100/m", text) end
  return rows / seconds
end

local function unless_none(text)
  if text == "none" then return false end
  return text
end

local is_yes = { yes = true, no = false }
local resume = is_yes[options.resume]
if resume == nil then resume = options.resume end

local given = {
  format = options.format,
  separator = options.separator,
  map = options.map and table.concat(options.map, ","),
  dry_run = options.dry_run,
  dedupe = options.dedupe,
  concurrency = range(options.concurrency),
  rate = rate(options.rate),
  retries = options.retries,
  wait = options.wait,
  timeout = options.timeout,
  max_failures = options.max_failures,
  resume = resume,
  unsettled = options.unsettled,
  idempotency_key = is_yes[options.idempotency_key],
  settle_after = options.settle_after,
  journal = unless_none(options.journal),
  failed_rows = unless_none(options.failed),
  report = options.report,
  progress = options.progress,
}
-- The local tenant has somebody to sign in; else somebody has to be. Asked for when the file has been looked at.
given.account = tenant.is_running() and tenant.sign_in or accounts.get

local ok, report = pcall(tasks.import, options[1], given)
if not ok then
  local problem = report --[[@as b2c.error]]
  -- Who typed an option knows it by its dashes.
  local name, message = tostring(problem.message):match "^tasks%.import: option '([%w_]+)': (.*)$"
  if problem.code == "invalid_map" then name, message = "map", problem.message end
  if not name then error(problem, 0) end
  name = (name == "failed_rows" and "failed" or name):gsub("_", "-")
  error({ code = "usage", message = ("import: --%s: %s"):format(name, message), hint = problem.hint }, 0)
end
print(report)
