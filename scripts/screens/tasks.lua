-- The task list on a whole terminal: the master view and the add view of a to-do app.
--
-- Each event changes some variables; then the whole screen is drawn from them. Requests run while keys are read.

local b2c = require "b2c"
local accounts, async, tasks, tenant, term = b2c.accounts, b2c.async, b2c.tasks, b2c.tenant, b2c.term
local scroller = require "screens.scroller"

local help = {
  { "up, down, k, j", "move; also page up, page down, home, end" },
  { "a", "add a task" },
  { "space, x", "tick the selected task off, or open it again" },
  { "e, enter", "change the text" },
  { "t", "set the due date" },
  { "d, delete", "remove the selected task" },
  { "r", "read the list again" },
  { "/", "show only what contains a text; escape shows all again" },
  { "s", "switch to another account, or sign one in" },
  { "ctrl-z", "back to the shell; fg comes back here" },
  { "q", "leave" },
}
local hints = "? help  a add  x done  e edit  t due  d remove  / filter  s account  q quit"
local spinner = { "|", "/", "-", "\\" }

--- Breaks a text into lines, at most `most`.
local function wrap(text, columns, most)
  local lines = {}
  for word in text:gmatch "%S+" do
    local line = lines[#lines]
    if line and term.width(line) + 1 + term.width(word) <= columns then
      lines[#lines] = line .. " " .. word
    elseif #lines < most then
      lines[#lines + 1] = word
    else
      lines[#lines] = term.fit(line, columns - 2):gsub(" +$", "") .. " …"
      break
    end
  end
  return lines
end

--- Shows the tasks of an account, or of a task service, until the user leaves.
return function(account, service)
  local screen <close> = term.screen()
  local all, list, filter = {}, scroller {}, ""
  local notice, is_error          -- the message to show
  local loading, changing, frame = false, 0, 0
  local jobs = {}                 -- the jobs that keys have requested, not started yet
  local mode, browse              -- the mode that gets the keys and draws the last lines
  local is_leaving, is_warned = false, false
  local draw

  local function say(text, problem) notice, is_error = text, problem end

  local function say_error(what, problem)
    local text = type(problem) == "table" and problem.message or tostring(problem)
    say(what .. ": " .. text .. (problem.hint and (" (" .. problem.hint .. ")") or ""), true)
  end

  local function apply_filter()
    local wanted = list.items[list.selected]
    local shown, text = {}, filter:lower()
    for _, task in ipairs(all) do
      if text == "" or task.text:lower():find(text, 1, true) then
        shown[#shown + 1] = task
        if wanted and task.id == wanted.id then list.selected = #shown end
      end
    end
    list.items = shown
  end

  -- Requests. Each request is for the account that was shown when it began.

  local function load(select)
    if loading == (account or true) then return end
    loading = account or true
    jobs[#jobs + 1] = function()
      local whose = account
      local ok, found = pcall(tasks.list, { account = whose, service = service })
      if whose ~= account then return end
      loading = false
      if not ok then return say_error("the list could not be read", found) end
      all = found
      apply_filter()
      for i, task in ipairs(list.items) do
        if select and task.id == select then list.selected = i end
      end
    end
  end

  local function change(what, done, f)
    changing, is_warned = changing + 1, false
    jobs[#jobs + 1] = function()
      local whose = account
      local ok, result = pcall(f, whose)
      changing = changing - 1
      if whose ~= account then return end
      if not ok then return say_error(what, result) end
      say(done)
      loading = false
      load(result and result.id)
    end
  end

  local function use(chosen)
    account, all, filter, loading = chosen, {}, "", false
    list = scroller {}
    say(nil)
    load()
  end

  -- Modes: each has `press(key, text)` and `footer(columns)`, and maybe a `body(columns, height)` in place of the list.

  local function question(text, on_yes)
    mode = {
      press = function(key)
        mode = browse
        if key == "y" or key == "Y" then on_yes() end
      end,
      footer = function(columns)
        return { { { term.fit(text, math.max(1, columns - 8)):gsub(" +$", "") .. " y/n", style = "bold" } } }
      end,
    }
  end

  local function line(label, text, on_enter, on_change)
    local editor = term.editor(text)
    mode = {
      press = function(key, typed)
        if key == "enter" then
          mode = browse
          on_enter(editor.text)
        elseif key == "escape" then
          mode = browse
          if on_change then on_change "" end
        elseif editor:press(key, typed) and on_change then
          on_change(editor.text)
        end
      end,
      footer = function(columns)
        local view, column = editor:view(columns - term.width(label))
        return { { { label, style = "bold" }, view } }, term.width(label) + column
      end,
    }
  end

  local function sign_in()
    local ok, result = pcall(screen.suspend, screen, function()
      if not tenant.is_running() then return accounts.sign_in {} end
      -- The local tenant's users need no browser.
      local username = term.prompt("User name", { default = "bob" })
      return accounts.sign_in { agent = "headless", username = username, password = term.password() }
    end)
    if ok then use(result) else say_error("nobody was signed in", result) end
  end

  local function choose_account()
    local choices = scroller(accounts.all())
    choices.items[#choices.items + 1] = { name = "sign in somebody else …" }
    for i, choice in ipairs(choices.items) do if choice == account then choices.selected = i end end
    mode = {
      press = function(key)
        if choices.press(key) then return end
        if key == "escape" or key == "q" or key == "s" then mode = browse end
        if key ~= "enter" then return end
        mode = browse
        local chosen = choices.items[choices.selected]
        if not chosen.id then return sign_in() end
        accounts.use(chosen)
        use(chosen)
      end,
      body = function(columns, height)
        return choices.lines(columns, height, function(choice)
          return choice.policy and ("%s (%s)"):format(choice.name, choice.policy) or choice.name
        end)
      end,
      footer = function() return { "enter switches, escape goes back" } end,
    }
  end

  local function show_help()
    mode = {
      press = function() mode = browse end,
      body = function(columns)
        local lines = {}
        for _, entry in ipairs(help) do
          local text = wrap(entry[2], columns - 20, 9)
          for i, part in ipairs(text) do
            lines[#lines + 1] = { { term.fit(i == 1 and "  " .. entry[1] or "", 19), style = "bold" }, part }
          end
        end
        return lines
      end,
      footer = function() return { "any key goes back" } end,
    }
  end

  --- Changes the selected task: `f` gets the task and the options of the call.
  local function change_selected(done, f)
    local task = list.items[list.selected]
    if not task then return end
    change("the task was not changed", done(task), function(whose) return f(task, { account = whose, service = service }) end)
  end

  local function tick()
    change_selected(function(task) return (task.completed and "open again: " or "done: ") .. task.text end,
      function(task, at) return (task.completed and tasks.reopen or tasks.complete)(task, at) end)
  end

  local function edit()
    local task = list.items[list.selected]
    if not task then return end
    line("Text: ", task.text, function(text)
      if not text:find "%S" or text == task.text then return end
      change_selected(function() return "changed: " .. text end, function(_, at) return tasks.update(task, { text = text }, at) end)
    end)
  end

  local function set_due()
    local task = list.items[list.selected]
    if not task then return end
    line("Due (2027-01-31, or nothing): ", task.due or "", function(text)
      local due = text:find "%S" and text:match "^%s*(.-)%s*$" or false
      if due == (task.due or false) then return end
      change_selected(function() return due and ("due %s: %s"):format(due, task.text) or "no due date: " .. task.text end,
        function(_, at) return tasks.update(task, { due = due }, at) end)
    end)
  end

  local keys = {
    x = tick, space = tick, e = edit, enter = edit, t = set_due,
    a = function()
      line("New task: ", "", function(text)
        if not text:find "%S" then return end
        change("the task was not added", "added: " .. text, function(whose) return tasks.add(text, { account = whose, service = service }) end)
      end)
    end,
    d = function()
      local task = list.items[list.selected]
      if not task then return end
      question(("Remove \"%s\"?"):format(task.text), function()
        change("the task was not removed", "removed: " .. task.text, function(whose) tasks.remove(task, { account = whose, service = service }) end)
      end)
    end,
    ["/"] = function()
      local function on_change(text)
        filter = text
        apply_filter()
      end
      line("Show: ", filter, on_change, on_change)
    end,
    escape = function()
      filter = ""
      apply_filter()
    end,
    q = function()
      is_leaving = changing == 0 or is_warned
      is_warned = true
      say("a change is on its way; q again leaves without knowing what becomes of it", true)
    end,
    r = function() load() end, s = choose_account, ["?"] = show_help,
  }
  keys.delete = keys.d

  browse = {
    press = function(key)
      if list.press(key) or not keys[key] then return end
      say(nil)
      keys[key]()
    end,
    footer = function(columns)
      local lines = {}
      for i, text in ipairs(notice and wrap(notice, columns, 3) or {}) do
        lines[i] = { { text, style = is_error and "bold red" or "green" } }
      end
      lines[#lines + 1] = { { hints, style = "dim" } }
      return lines
    end,
  }
  mode = browse

  -- The screen

  --- The day of a time, and its hour where there is room.
  local function due_text(task, columns)
    if not task.due then return "" end
    local day, time = task.due:match "^(%d+%-%d+%-%d+)T?(%d*:?%d*)"
    return columns >= 60 and time ~= "" and ("%s %s"):format(day, time) or day
  end

  local mark_width, due_width, label_width = 0, 0, 0

  local function label_text(task) return table.concat(task.labels or {}, " ") end

  --- The widths of the columns that the tasks need.
  local function measure(columns)
    mark_width, due_width, label_width = 0, 0, 0
    for _, task in ipairs(list.items) do
      if task.completed then mark_width = 2 end
      due_width = math.max(due_width, #due_text(task, columns))
      if columns >= 70 and task.labels then label_width = math.max(label_width, math.min(20, term.width(label_text(task)))) end
    end
    if columns < 30 then due_width = 0 end
  end

  --- A mark, the text, the labels and the due date, each below that of the task above.
  local function task_line(task, columns)
    local room = columns - mark_width - (due_width > 0 and due_width + 2 or 0) - (label_width > 0 and label_width + 2 or 0)
    local text = term.fit(task.completed and "x " or "", mark_width) .. term.fit(task.text, room)
    if label_width > 0 then text = text .. "  " .. term.fit(label_text(task), label_width) end
    return due_width > 0 and text .. "  " .. term.fit(due_text(task, columns), due_width) or text
  end

  local function header(columns)
    local is_busy = loading or changing > 0
    local count = ("%d task%s"):format(#all, #all == 1 and "" or "s")
    if #list.items ~= #all then count = #list.items .. " of " .. count end
    if filter ~= "" then count = count .. (" with \"%s\""):format(filter) end
    if loading and #all == 0 then count = "reading the list" end
    if is_busy then count = spinner[frame % #spinner + 1] .. " " .. count end
    local room = math.max(0, columns - term.width(count) - 2)
    return { { term.fit("Tasks of " .. (service or account and account.name or tasks.service), room), style = "bold" }, "  ", count }
  end

  function draw()
    local columns, rows = screen:size()
    local footer, cursor = mode.footer(columns)
    local lines = { header(columns), "" }
    local height = math.max(1, rows - #lines - #footer)
    measure(columns)
    local body = mode.body and mode.body(columns, height) or list.lines(columns, height, task_line)
    if #body == 0 and not loading then body = { { { "  there is nothing here; a adds a task", style = "dim" } } } end
    for i = 1, height do lines[#lines + 1] = body[i] or "" end
    for _, text in ipairs(footer) do lines[#lines + 1] = text end
    screen:draw(lines, { cursor = cursor and { #lines, cursor } })
  end

  --- Waits for keys until one has requested a job, and returns the job.
  local function next_job()
    while #jobs == 0 do
      draw()
      local key, text = screen:key { timeout = (loading or changing > 0) and 0.1 or nil }
      frame = frame + 1
      if key then mode.press(key, text) end
      -- This error ends all jobs under way.
      if is_leaving then error "left" end
    end
    return table.remove(jobs, 1)
  end

  load()
  local ok, problem = pcall(async.map, next_job, { limit = 1000 }, function(job)
    job()
    draw()
  end)
  if not ok and not is_leaving then error(problem, 0) end
end
