-- Shows the imports, takes them back, and removes their journals.

local b2c = require "b2c"
local imports, json, tenant, term = b2c.imports, b2c.json, b2c.tenant, b2c.term

local options = term.options {
  summary = "Shows the imports, takes them back, and removes their journals.",
  usage = { "", "list [--json]", "show ID [--json | --failed | --tasks | --receipt FILE]", "undo ID [--apply] [--plan FILE] [--report FILE]",
    "forget ID [--yes]" },
  positions = {
    { "[COMMAND]", "list: print all imports (the default); show: print all data of an import; undo: take it back; forget: remove its journal",
      default = "list", choices = { "list", "show", "undo", "forget" } },
    { "[ID]", "the ID of the import, as list prints it" },
  },
  options = {
    { "--json", "print all data as JSON, for programs", with = { "list", "show" } },
    { "--failed", "print the failed and unsettled rows, as in FILE.failed.ndjson", with = { "show" } },
    { "--tasks", "print a line for each added row: the row, the source's ID, the task's ID and its list, with tabs between them", with = { "show" } },
    { "--receipt FILE", "write a CSV file with each row of a planned import and what became of it", with = { "show", "undo" } },
    { "--apply", "take the import back; if not given, only show what would be done", with = { "undo" } },
    { "--plan PLAN", "write the plan of the undo to a file, for b2c-run import --apply PLAN", with = { "undo" } },
    { "--report REPORT", "write what became of each row to a JSON file", with = { "undo" } },
    { "--service NAME", "the task service of the import, such as caldav, if it was made without a plan", with = { "undo" } },
    { "--concurrency N", "the number of concurrent requests: at most N", with = { "undo" } },
    { "--rate ROWS", "the maximum number of rows per second; 100/m is per minute, 5000/h is per hour", with = { "undo" } },
    { "--unsettled WHAT", "the action for unsettled rows, which the server may have added", choices = { "resend", "skip" }, with = { "undo" } },
    { "--progress HOW", "the form of the progress display: bar, lines, json, none", with = { "undo" } },
    { "--yes", "remove the journal without a question", with = { "forget" } },
  },
  notes = "undo leaves each task that somebody has changed since. forget does not remove tasks. The next import of the same source adds all rows again.",
}

local function refuse(message, hint) error({ code = "usage", message = "imports: " .. message, hint = hint }, 0) end

local commands = {}

function commands.list()
  local list = imports.list()
  if options.json then return print(json.encode(json.array(list), { pretty = true })) end
  if #list == 0 then
    return b2c.log.info "there are no imports; b2c-run import FILE makes one; an import with --local ends with its run, and --local=FILE keeps it"
  end
  local rows = {}
  for i, import in ipairs(list) do
    rows[i] = {
      id = import.id, source = import.source_name or import.trouble, when = term.when(import.updated), state = import.state,
      rows = import.plan_rows or import.rows, done = import.added, failed = import.failed, unsettled = import.unsettled,
    }
  end
  term.table(rows, { columns = { "id", "source", "when", "state", "rows", "done", "failed", "unsettled" } })
end

function commands.show(id)
  if (options.failed and 1 or 0) + (options.json and 1 or 0) + (options.tasks and 1 or 0) > 1 then
    refuse "expected one of --json, --failed and --tasks"
  end
  if options.tasks then
    print "row\tsource_id\tid\tlist"
    for task in imports.tasks(id) do
      print(("%d\t%s\t%s\t%s"):format(task.row, task.source_id or "", task.id or "", task.list or ""))
    end
    return
  end
  if options.receipt then return print(imports.receipt(id, options.receipt)) end
  if options.failed then
    for _, line in imports.failures(id) do print(term.is_tty() and term.fit(line, term.width(line)) or line) end
    return
  end
  local import = imports.get(id)
  if options.json then return print(json.encode(import, { pretty = true })) end
  if import.trouble then error({ code = "journal_unusable", message = import.trouble }, 0) end
  local rows = {
    { "id", import.id },
    { "source", import.source },
    { "account", import.account },
    { "API", import.api },
    { "state", import.state },
    { "started", term.when(import.created) },
    { "last change", term.when(import.updated) },
    { "rows", tostring(import.plan_rows or import.rows) },
    { import.kind == "import" and "  added" or "  done", tostring(import.added) },
    { "  with IDs of tasks", import.with_ids and tostring(import.with_ids) or "not kept" },
    { "  skipped", tostring(import.skipped) },
    { "  failed", tostring(import.failed) },
    { "  unsettled", tostring(import.unsettled) },
    { "  sent, no response yet", tostring(import.sent) },
    { "journal", import.path },
  }
  if import.blocks then rows[#rows + 1] = { "blocks to do", tostring(import.blocks) } end
  if import.rate then rows[#rows + 1] = { "rate", import.rate .. " rows a second at most, of all machines" } end
  for _, machine in ipairs(import.machines or {}) do rows[#rows + 1] = { "machine", machine } end
  term.table(rows)
end

function commands.undo(id)
  if not options.apply then
    for _, name in ipairs { "report", "receipt" } do
      if options[name] then refuse(("--%s: it has no effect without --apply"):format(name)) end
    end
  end
  local given = { apply = options.apply or nil, plan = options.plan, report = options.report, receipt = options.receipt,
    service = options.service, rate = options.rate, unsettled = options.unsettled, progress = options.progress, width = term.size(),
    concurrency = tonumber(options.concurrency) or options.concurrency, account = tenant.is_running() and tenant.sign_in or nil }
  local result = imports.undo(id, given)
  print(result)
  if not options.apply then
    b2c.log.info(("nothing was changed; %s does this"):format(result.command))
    return
  end
  if not result.complete then os.exit(5) end
end

function commands.forget(id)
  local import = imports.get(id)
  local what = ("%s, %s, %d tasks added"):format(import.source_name or import.path, import.state, import.added)
  if not options.yes then
    local asked, answer = pcall(term.confirm, ("Forget the import of %s?"):format(what), { default = false })
    if not asked and (answer --[[@as b2c.error]]).code == "no_terminal" then
      refuse("there is no terminal to ask whether to forget the import of " .. what, "give --yes")
    end
    if not asked then error(answer, 0) end
    if not answer then return b2c.log.info "nothing was forgotten" end
  end
  imports.forget(id)
  b2c.log.info(("forgot the import of %s; its tasks stay"):format(what))
end

local command = options[1] or "list"
if command == "list" and options[2] then
  refuse(("unexpected argument '%s' after list"):format(options[2]))
elseif command ~= "list" and not options[2] then
  refuse(("expected an ID after %s; b2c-run imports list shows the IDs"):format(command))
end
commands[command](options[2])
