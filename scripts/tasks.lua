-- Lists, adds, changes and removes tasks; on a terminal, shows an interactive list.

local b2c = require "b2c"
local accounts, json, tasks, tenant, term = b2c.accounts, b2c.json, b2c.tasks, b2c.tenant, b2c.term

local options = term.options {
  summary = "Lists, adds, changes and removes tasks; on a terminal, shows an interactive list.",
  usage = {
    "", "list [--open | --done] [--list LIST] [--json]", "lists [--json]", "add TEXT... [--due DATE] [--list LIST] [--json]",
    "complete ID... [--plan PLAN]", "reopen ID...", "edit ID TEXT...", "due ID DATE|none", "remove ID... [--yes | --plan PLAN]",
  },
  positions = {
    { "[COMMAND]", "list, lists, add, complete, reopen, edit, due or remove; if not given, an interactive list on a terminal, else list", default = "list",
      choices = { "list", "lists", "add", "complete", "reopen", "edit", "due", "remove" } },
    { "[ARGUMENT...]", "add: the text of a task, or - to read texts from standard input, one per line; complete, reopen, remove: "
      .. "the IDs of tasks; edit: an ID and the new text; due: an ID, and a date such as 2027-01-31 or none" },
  },
  options = {
    { "--due DATE", "add: the due date, such as 2027-01-31 or 2027-01-31T09:00[Europe/Berlin]", with = { "add" } },
    { "--list LIST", "list, add: the list", with = { "list", "add" } },
    { "--open", "list: only tasks that are not done", with = { "list" } },
    { "--done", "list: only tasks that are done", with = { "list" } },
    { "--service NAME", "the task service, such as caldav; the task API if not given" },
    { "--json", "print all data as JSON, for programs",
      with = { "list", "lists", "add", "complete", "reopen", "edit", "due" } },
    { "--yes", "remove without a question", with = { "remove" } },
    { "--plan PLAN", "only write what would be done to the file PLAN, for b2c-run import --apply PLAN", with = { "complete", "remove" } },
  },
  notes = "The command uses the current account. b2c-run --account NAME tasks uses another account. b2c-run imports undo ID takes a "
    .. "removal back; the command prints the ID.",
}

local function refuse(message, hint) error({ code = "usage", message = "tasks: " .. message, hint = hint }, 0) end

--- Refuses a text that is not a date. `place` is the name of the option, with a colon, or empty.
local function check_date(text, place)
  local ok, result = pcall(tasks.moment, text)
  if ok then return end
  local problem = result --[[@as b2c.error]]
  refuse(place .. problem.message:gsub("^tasks%.moment: ", ""), problem.hint)
end

local service = options.service or tasks.service
local account

--- The options of a call of the task service.
local function at(more)
  local all = more or {}
  all.account, all.service = account, options.service
  return all
end

--- The ID as people read and type it: the ID of a CalDAV task is an address.
local function short(id) return tostring(id):match "([^/]+)%.ics$" or tostring(id) end

local fields = {
  "id", "text", "owner", "completed", "completed_at", "notes", "due", "start", "priority", "labels", "list", "parent", "recurrence", "url", "key", "date",
}

local function show(list)
  if options.json then
    local raw = json.array {}
    for i, task in ipairs(list) do
      raw[i] = {}
      for _, name in ipairs(fields) do raw[i][name] = task[name] end
    end
    return print(json.encode(raw, { pretty = true }))
  end
  local rows = {}
  for i, task in ipairs(list) do
    rows[i] = { id = short(task.id), done = task.completed and "x" or nil, text = task.text, due = task.due, priority = task.priority,
      labels = task.labels and table.concat(task.labels, " ") }
  end
  -- Columns that no task has are left out.
  local columns = { "id", "done", "text" }
  for _, name in ipairs { "due", "priority", "labels" } do
    for _, row in ipairs(rows) do
      if row[name] then
        columns[#columns + 1] = name
        break
      end
    end
  end
  term.table(rows, { columns = columns, shorten = "text" })
end

local commands = {}

function commands.list()
  if options.open and options.done then refuse "expected either --open or --done" end
  local completed
  if options.open then completed = false elseif options.done then completed = true end
  local list = tasks.list(at { list = options.list, completed = completed })
  if #list == 0 and not options.json then return b2c.log.info((account and account.name or service) .. " has no " .. ((completed ~= nil or options.list) and "such " or "") .. "tasks") end
  show(list)
end

function commands.lists()
  local list = tasks.lists(at())
  if options.json then return print(json.encode(json.array(list), { pretty = true })) end
  if #list == 0 then return b2c.log.info "there are no lists" end
  for _, one in ipairs(list) do one.default = one.default and "yes" or nil end
  term.table(list, { columns = { "id", "name", "default" }, shorten = "id" })
end

function commands.add(words)
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
  for i, text in ipairs(texts) do added[i] = tasks.add({ text = text, due = options.due, list = options.list }, at()) end
  if #added > 0 or options.json then show(added) else b2c.log.info "there was nothing to add" end
end

--- The tasks with those IDs; an error for an ID that there is not.
local function chosen(command, ids)
  if #ids == 0 then refuse("expected an ID after " .. command, "b2c-run tasks list shows the IDs") end
  local known, found = {}, {}
  for task in tasks.each(at()) do known[tostring(task.id)], known[short(task.id)] = task, task end
  for i, id in ipairs(ids) do
    found[i] = known[id] or refuse(("there is no task with the ID '%s'"):format(id), "b2c-run tasks list shows them")
  end
  return found
end

local function changer(command, change)
  return function(ids)
    local changed = {}
    for i, task in ipairs(chosen(command, ids)) do changed[i] = change(task, at()) end
    show(changed)
  end
end
commands.reopen = changer("reopen", tasks.reopen)

--- Writes the plan of one change of each task, and shows it.
local function plan(command, list, change)
  local changes = {}
  for i, task in ipairs(list) do
    changes[i] = { task = task }
    for name, value in pairs(change) do changes[i][name] = value end
  end
  local written = tasks.plan_changes(changes, at { plan = options.plan, source = "tasks " .. command, width = term.size() })
  print(written)
  b2c.log.info(("nothing was changed; %s does this"):format(written.command))
end

--- Tells what became of several tasks, and how to take it back. Ends the program if some need a look.
local function finish(result)
  if not result.complete then
    print(result)
    os.exit(5)
  end
  if result.undo_command then b2c.log.info(result.undo_command .. " takes it back") end
end

function commands.complete(ids)
  local list = chosen("complete", ids)
  if options.plan then return plan("complete", list, { set = { completed = true } }) end
  if #list == 1 then return show { tasks.complete(list[1], at()) } end
  local result = tasks.complete(list, at())
  show(chosen("complete", ids))
  finish(result)
end

function commands.edit(words)
  local task = chosen("edit", { words[1] })[1]
  local text = table.concat(words, " ", 2)
  if not text:find "%S" then refuse "expected the new TEXT after the ID" end
  show { tasks.update(task, { text = text }, at()) }
end

function commands.due(words)
  local task = chosen("due", { words[1] })[1]
  local due = words[2] or refuse("expected a date after the ID", "for example 2027-01-31, or none")
  show { tasks.update(task, { due = due ~= "none" and due }, at()) }
end

function commands.remove(ids)
  local chosen = chosen("remove", ids)
  if options.plan then return plan("remove", chosen, { remove = true }) end
  if not options.yes then
    local what = #chosen == 1 and ('"%s"'):format(term.fit(chosen[1].text, 60):gsub(" +$", ""))
      or ("these %d tasks"):format(#chosen)
    if #chosen > 1 then show(chosen) end
    local asked, answer = pcall(term.confirm, ("Remove %s?"):format(what), { default = false })
    if not asked and (answer --[[@as b2c.error]]).code == "no_terminal" then refuse("there is no terminal to ask whether to remove " .. what, "give --yes") end
    if not asked then error(answer, 0) end
    if not answer then return b2c.log.info "nothing was removed" end
  end
  local result = tasks.remove(chosen, at())
  local open = {}
  for _, row in ipairs(result.open) do open[row.row] = true end
  for i, task in ipairs(chosen) do
    local id = short(task.id)
    if not open[i] then print(("removed  %s  %s"):format(term.fit(id, term.width(id)), (term.fit(task.text, 60):gsub(" +$", "")))) end
  end
  finish(result)
end

local name = table.remove(options, 1)
if name == "list" and options[1] then refuse(("unexpected argument '%s' after list"):format(options[1])) end
if options.due and options.due ~= "" then check_date(options.due, "--due: ") end
if name == "due" and options[2] and options[2] ~= "none" then check_date(options[2], "") end

-- The local tenant has a user who can sign in; otherwise a user must be signed in, unless a service needs no account.
if tenant.is_running() then
  account = tenant.sign_in()
elseif not service then
  account = accounts.get()
end
-- The interactive list has none of these options.
if not (name or options.json or options.open or options.done or options.list) then
  local done, problem = pcall(require "screens.tasks", account, options.service)
  if done then return end
  if (problem --[[@as b2c.error]]).code ~= "no_terminal" then error(problem, 0) end
end
commands[name or "list"](options)
