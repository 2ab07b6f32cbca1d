-- Lists, adds and removes tasks; on a terminal, shows an interactive list.

local b2c = require "b2c"
local accounts, json, tasks, tenant, term = b2c.accounts, b2c.json, b2c.tasks, b2c.tenant, b2c.term

local options = term.options {
  summary = "Lists, adds and removes tasks; on a terminal, shows an interactive list.",
  usage = { "", "list [--json]", "add TEXT... [--json]", "remove ID... [--yes]" },
  positions = {
    { "[COMMAND]", "list, add or remove; if not given, an interactive list on a terminal, else list",
      choices = { "list", "add", "remove" } },
    { "[ARGUMENT...]", "add: the text of a task, or - to read texts from standard input, one per line; remove: the IDs of tasks" },
  },
  options = {
    { "--json", "print all data as JSON, for programs" },
    { "--yes", "remove without a question" },
  },
  notes = "The command uses the current account. b2c-run --account NAME tasks uses another account.",
}

local function refuse(message, hint) error({ code = "usage", message = "tasks: " .. message, hint = hint }, 0) end

--- Returns a date of the task API without the time of day.
local function day(date) return date and (date:match "^%d%d%d%d%-%d%d%-%d%d" or date) end

local function show(list)
  if options.json then
    local raw = json.array {}
    for i, task in ipairs(list) do
      raw[i] = { id = task.id, text = task.text, owner = task.owner, completed = task.completed, date = task.date }
    end
    return print(json.encode(raw, { pretty = true }))
  end
  local rows = {}
  for i, task in ipairs(list) do
    rows[i] = { id = task.id, text = task.text, date = day(task.date), completed = task.completed and "yes" or nil }
  end
  term.table(rows, { columns = { "id", "text", "date", "completed" }, shorten = "text" })
end

local commands = {}

function commands.list(account)
  local list = tasks.list { account = account }
  if #list == 0 and not options.json then return b2c.log.info(account.name .. " has no tasks") end
  show(list)
end

function commands.add(account, words)
  if #words == 0 then refuse "expected the TEXT of the task after add" end
  local texts = { table.concat(words, " ") }
  if texts[1] == "-" then
    texts = {}
    for line in io.lines() do
      if line:find "%S" then texts[#texts + 1] = line end
    end
  end
  if texts[1] and not texts[1]:find "%S" then refuse "a task needs a TEXT" end
  local added = {}
  for i, text in ipairs(texts) do added[i] = tasks.add(text, { account = account }) end
  if #added > 0 or options.json then show(added) else b2c.log.info "there was nothing to add" end
end

function commands.remove(account, ids)
  if #ids == 0 then refuse("expected an ID after remove", "b2c-run tasks list shows the IDs") end
  local known = {}
  for task in tasks.each { account = account } do known[tostring(task.id)] = task end
  local chosen = {}
  for i, id in ipairs(ids) do
    chosen[i] = known[id] or refuse(("there is no task with the ID '%s'"):format(id), "b2c-run tasks list shows them")
  end
  if not options.yes then
    local what = #chosen == 1 and ('"%s"'):format(term.fit(chosen[1].text, 60):gsub(" +$", ""))
      or ("these %d tasks"):format(#chosen)
    if #chosen > 1 then show(chosen) end
    local asked, answer = pcall(term.confirm, ("Remove %s?"):format(what), { default = false })
    if not asked and (answer --[[@as b2c.error]]).code == "no_terminal" then refuse("there is no terminal to ask whether to remove " .. what, "give --yes") end
    if not asked then error(answer, 0) end
    if not answer then return b2c.log.info "nothing was removed" end
  end
  for _, task in ipairs(chosen) do
    tasks.remove(task, { account = account })
    local id = tostring(task.id)
    print(("removed  %s  %s"):format(term.fit(id, term.width(id)), (term.fit(task.text, 60):gsub(" +$", ""))))
  end
end

local name = table.remove(options, 1)
if name == "list" and options[1] then refuse(("unexpected argument '%s' after list"):format(options[1])) end

-- The local tenant has a user who can sign in; otherwise a user must be signed in.
local account = tenant.is_running() and tenant.sign_in() or accounts.get()
if not name and not options.json then
  local done, problem = pcall(require "screens.tasks", account)
  if done then return end
  if (problem --[[@as b2c.error]]).code ~= "no_terminal" then error(problem, 0) end
end
commands[name or "list"](account, options)
