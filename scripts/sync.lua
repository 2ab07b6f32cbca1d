-- Keeps the tasks of two accounts or services alike, in both directions.

local b2c = require "b2c"
local accounts, json, tasks, tenant, term = b2c.accounts, b2c.json, b2c.tasks, b2c.tenant, b2c.term
local journal = require "sync.journal"
local lists = require "sync.lists"
local runs = require "sync.runs"

local options = term.options {
  summary = "Keeps the tasks of two accounts or services alike, in both directions.",
  usage = { "A B --journal FILE [--apply] [--prefer SIDE] [--make-lists] [--many] [--json]", "A B --journal FILE --plan PLAN [--apply]",
    "A B --journal FILE --undo [--apply]", "file:TABLE B --key COLUMN [--journal FILE] [--plan PLAN] [--apply]" },
  positions = {
    { "A", "a task service, such as caldav; tasks, the task API with the current account; or @ACCOUNT, the task API with that account. "
      .. "Behind a colon, a list: caldav:Home. file:TABLE, such as file:list.csv, is a file, in one direction: its rows become the tasks "
      .. "of B, and nothing is written into it" },
    { "B", "the other one" },
  },
  options = {
    { "--journal FILE", "the file that knows which tasks are the same, and how they were when they were last alike" },
    { "--apply", "make the changes; if not given, they are only shown" },
    { "--plan PLAN", "write the changes as two plans, PLAN.a.json and PLAN.b.json; with --apply: do what these plans say, and nothing else" },
    { "--report PAGE", "with --plan, without --apply: also write each plan as a page, PAGE.a.html and PAGE.b.html" },
    { "--undo", "take the last run back on both sides; without --apply, only show that" },
    { "--prefer SIDE", "what to do if both have changed a field: take that of a or of b; if not given, both are left as they are",
      choices = { "a", "b" } },
    { "--make-lists", "make the lists that one side has and the other one does not have" },
    { "--many", "also remove more than half of the tasks" },
    { "--key COLUMN", "with file:TABLE: the column that tells its rows apart. Tasks of B whose keys are not in the file are removed; tasks "
      .. "without a key stay" },
    { "--json", "print the changes as JSON, a line each" },
  },
  notes = "The first run pairs tasks with the same text and the same due date. A list is paired with the list of the same name, and the "
    .. "parent of a task with the pair of that parent. If A or B names a list, lists are not compared. Repeat an interrupted run: it continues "
    .. "where it ended. A task that somebody changes meanwhile stays as it is, and the next run looks at it again.",
}

local function refuse(message, hint) error({ code = "usage", message = "sync: " .. message, hint = hint }, 0) end
local is_file = options[1]:match "^file:(.+)$"
if options[2]:find "^file:" then refuse("B is a file", "write it as A: the rows of a file become the tasks of B") end
if options.key and not is_file then refuse "--key: it has no effect without file:TABLE as A" end
if not options.journal and not is_file then refuse("expected --journal FILE", "name a new file for these two, such as home.sync") end
if options.report and (not options.plan or options.apply) then refuse("--report: it has no effect without --plan, or with --apply") end
if options.undo and options.plan then refuse "expected either --undo or --plan" end

-- The two sides

local function side(word, letter)
  local name, list = word:match "^([^:]+):(.+)$"
  name = name or word
  local at, account, service = {}
  if name:sub(1, 1) == "@" then
    account, service = accounts.get(name:sub(2)), "tasks"
  elseif name == "tasks" then
    account, service = tenant.is_running() and tenant.sign_in() or accounts.get(), "tasks"
  else
    service = list and { name = name, list = list } or name
  end
  function at.options(more)
    local all = more or {}
    all.account, all.service = account, service
    return all
  end
  at.word, at.letter, at.account = word, letter, service == "tasks" and account or nil
  at.list = (name == "tasks" or name:sub(1, 1) == "@") and list or nil
  at.fields, at.fixed = {}, {}
  local kept = tasks.fields(at.options())
  for _, field in ipairs(kept.fields) do at.fields[field] = true end
  for _, field in ipairs(kept.fixed) do at.fixed[field] = true end
  at.days, at.is_api, at.makes_lists = kept.due == "date", service == "tasks", kept.makes_lists
  at.keeps_parts_in_list, at.is_of_one_list = kept.parent == "same_list", (at.list or kept.list) ~= nil
  return at
end

if options[1] == options[2] then refuse("A and B are the same") end
if is_file then
  if not options.key then refuse("expected --key COLUMN", "name the column of the file that tells its rows apart, such as --key Nr") end
  for _, name in ipairs { "prefer", "json" } do if options[name] then refuse(("--%s: it has no effect with a file"):format(name)) end end
  if not require "sync.file"(is_file, side(options[2], "b"), options, refuse) then os.exit(5) end
  return
end
local a, b = side(options[1], "a"), side(options[2], "b")
if a.account and b.account and a.account.id == b.account.id and a.list == b.list then refuse "A and B are the same account" end
local other = { [a] = b, [b] = a }

local compared = {}
for _, field in ipairs { "text", "notes", "completed", "due", "start", "priority", "labels", "recurrence", "url" } do
  if a.fields[field] and b.fields[field] then compared[#compared + 1] = field end
end

-- The fields that name another thing: the two sides have different IDs for it.
local linked = {}
if a.fields.parent and b.fields.parent then linked[#linked + 1] = "parent" end
if a.fields.list and b.fields.list and not a.is_of_one_list and not b.is_of_one_list then linked[#linked + 1] = "list" end
local carries_lists = linked[#linked] == "list"

--- The ID of a task's parent. A parent that is not there counts as none.
local function parent_id(at, task)
  local id = task.parent and tostring(task.parent)
  return id and at.tasks[id] and id
end

--- The compared fields of a task, each as a text that tells two values apart. A parent is an ID of that side, a list a key.
local function state(at, task)
  local values = {}
  for _, field in ipairs(compared) do
    local value = task[field]
    if field == "labels" and value then
      value = table.move(value, 1, #value, 1, {})
      table.sort(value)
      value = json.encode(value)
    elseif (field == "due" or field == "start") and value then
      local moment = tasks.moment(value)
      value = (a.days or b.days) and moment.date or moment.utc or moment.text
    elseif field == "completed" then
      value = value and "yes" or nil
    end
    values[field] = value ~= nil and tostring(value) or nil
  end
  values.parent = parent_id(at, task)
  values.list = carries_lists and lists.key(at, task) or nil
  return values
end

local partners = journal.partners

-- The tasks of both sides

local sides = { a, b }

local function read_side(at)
  at.tasks, at.order, at.by_name = {}, {}, {}
  for _, task in ipairs(tasks.list(at.options { list = at.list })) do
    local id = tostring(task.id)
    at.tasks[id] = task
    at.order[#at.order + 1] = task
    local name = id:match "/([^/]+)$"
    if name then at.by_name[name] = at.by_name[name] and "several" or id end
  end
end

--- The state of a task with that ID and version; nil if it has another one now.
local function state_of_version(at, id, version)
  local task = at.tasks[tostring(id)]
  return task and task.etag and task.etag == version and state(at, task) or nil
end

--- Carries out the run that is begun. Returns what became of the rows, by the side.
local function carry_out()
  return runs.carry_out(sides, options, function(begun)
    for _, at in ipairs(sides) do if begun[at.letter] then read_side(at) end end
    if carries_lists then lists.read(a, b) end
  end, state_of_version)
end

local function print_results(results)
  local is_complete = true
  for _, at in ipairs(sides) do
    if results[at] then
      print(("%s (%s): %s"):format(at.letter, at.word, tostring(results[at])))
      is_complete = is_complete and results[at].complete
    end
  end
  return is_complete
end

journal.open(a, b, options.journal, options.apply, refuse)
if journal.begun and options.apply then
  b2c.log.info "an earlier run was interrupted: it continues first"
  for _, at in ipairs(sides) do at.tasks = {} end
  print_results(carry_out())
elseif journal.begun and (options.plan or options.undo) then
  refuse("an earlier run was interrupted", "sync with --apply continues it")
elseif journal.begun then
  b2c.log.warn "an earlier run was interrupted: what it has done is not shown; --apply continues it"
end
runs.find_undos(sides, options.journal)
if options.undo then
  local was_one, is_complete = runs.undo(sides, options.journal, options.apply)
  if not was_one then return print "there is no run to take back" end
  if not options.apply then b2c.log.info "nothing was changed; --undo --apply does this" end
  if not is_complete then os.exit(5) end
  return
end
local source_name = runs.source(a, b, options.journal)
if options.plan and options.apply then
  local plans = runs.take(sides, options, source_name, refuse)
  if not plans then return print "an earlier run has done it" end
  runs.begin(plans)
  if not print_results(carry_out()) then os.exit(5) end
  return
end

for _, at in ipairs(sides) do read_side(at) end
if carries_lists then lists.read(a, b) end

--- The ID of the task with that ID. The ID of a task at a CalDAV server is its address, which begins with the list: somebody may
--- have moved the task.
local function there(at, id)
  local name = not at.tasks[id] and id:match "/([^/]+)$"
  local moved = name and at.by_name[name]
  return moved and at.tasks[moved] and not partners[at.letter .. moved] and moved or id
end

-- Fields that one side cannot keep are not copied. Each of them is printed once for all tasks.
for _, at in ipairs { a, b } do
  local lost = {}
  local function lose(what) lost[what] = (lost[what] or 0) + 1 end
  for _, task in ipairs(other[at].order) do
    for _, field in ipairs { "notes", "due", "start", "priority", "labels", "parent", "recurrence", "url" } do
      if task[field] ~= nil and not at.fields[field] then lose(field) end
      local is_time = (field == "due" or field == "start") and task[field]
      if is_time and at.fields[field] and at.days and tasks.moment(is_time).time then
        lose("the hour of " .. field)
      end
    end
    local parent = at.keeps_parts_in_list and carries_lists and other[at].tasks[parent_id(other[at], task) or ""]
    if parent and lists.key(other[at], parent) ~= lists.key(other[at], task) then lose "another list than that of the parent" end
  end
  local words = {}
  for field, count in pairs(lost) do words[#words + 1] = ("%s of %d task%s"):format(field, count, count == 1 and "" or "s") end
  table.sort(words)
  if #words > 0 then b2c.log.warn(("%s (%s) does not keep %s"):format(at.letter, at.word, table.concat(words, ", "))) end
end

-- The changes

local counts = { new = 0, changed = 0, removed = 0, conflict = 0, late = 0, failed = 0, paired = 0 }

local function tell(kind, at, text, detail)
  counts[kind] = counts[kind] + 1
  if options.json then return print(json.encode { kind = kind, side = at and at.letter, text = text, detail = detail }) end
  local signs = { new = "+", changed = "~", removed = "-", conflict = "!", late = "!", failed = "!", paired = "=" }
  print(("%s %s  %s%s"):format(signs[kind], at and at.letter or " ", term.fit(text, 60):gsub(" +$", ""), detail and "  (" .. detail .. ")" or ""))
end

-- The changes of a side, as rows of its plan, and the places of new tasks among them by the IDs at the other side.
for _, at in ipairs(sides) do at.entries, at.row_of = {}, {} end

local function change(at, entry) table.insert(at.entries, entry) end

--- The row of the new task that becomes the parent of a task of the other side; nil if the parent is there, or is none.
local function parent_row(at, task)
  local id = parent_id(other[at], task)
  return id and not partners[other[at].letter .. id] and at.row_of[id] or nil
end

--- The value of a field of a task of the other side, as this side takes it; false for none. Nil if this side has no such
--- parent or list: the field is carried later, when there is one.
local function value_of(at, task, field)
  local source = other[at]
  if field == "list" then return lists.given(at, lists.key(source, task)) end
  if field ~= "parent" then return task[field] ~= nil and task[field] end
  local id = parent_id(source, task)
  if not id then return false end
  local pair = partners[source.letter .. id]
  return pair and pair[at.letter]
end

--- The state that a task of this side gets from the other one, with the fields in `open` as they were.
local function taken_state(at, now, before, task, fields, open)
  local values = {}
  for field, value in pairs(now[at]) do values[field] = value end
  for _, field in ipairs(fields) do
    if field == "parent" then values.parent = value_of(at, task, field) or nil else values[field] = now[other[at]][field] end
  end
  for _, field in ipairs(open) do values[field] = before[field] end
  return values
end

--- Plans to add a task of the other side.
local function add(at, task)
  local new, open, fields = { list = at.list }, {}, {}
  local row = parent_row(at, task)
  for _, field in ipairs(compared) do
    new[field] = value_of(at, task, field) or nil
    fields[#fields + 1] = field
  end
  for _, field in ipairs(linked) do
    local value = value_of(at, task, field)
    if value == nil and not (field == "parent" and row) then open[#open + 1] = field else fields[#fields + 1] = field end
    new[field] = value or nil
  end
  tell("new", at, task.text)
  local source, id = other[at], tostring(task.id)
  local now = { [source] = state(source, task), [at] = {} }
  change(at, { add = new, parent_row = row, facts = { kind = "add", [source.letter] = id, open = open, gets_parent = row and true,
    after = { [source.letter] = taken_state(source, now, {}, task, {}, open), [at.letter] = taken_state(at, now, {}, task, fields, open) } } })
  at.row_of[id] = #at.entries
end

--- Plans to add tasks of the other side, each after its parent.
local function add_all(at, new)
  local waiting = {}
  for _, task in ipairs(new) do waiting[tostring(task.id)] = task end
  local function add_one(task)
    local id = tostring(task.id)
    if not waiting[id] then return end
    waiting[id] = nil
    local parent = task.parent and waiting[tostring(task.parent)]
    if parent then add_one(parent) end
    add(at, task)
  end
  for _, task in ipairs(new) do add_one(task) end
end

local function remove(pair, at, task)
  tell("removed", at, task.text)
  change(at, { remove = true, task = task, facts = { kind = "remove", a = pair.a, b = pair.b, before = { a = pair.state_a, b = pair.state_b } } })
end

--- A conflict that waits for somebody to decide.
local function conflict(at, pair, task, detail)
  tell("conflict", nil, task.text, detail)
  change(at, { conflict = detail, task = at.tasks[pair[at.letter]], facts = { kind = "conflict", a = pair.a, b = pair.b } })
end

--- True if a field has the same value on both sides.
local function is_alike(field, now_a, now_b)
  if field ~= "parent" then return now_a[field] == now_b[field] end
  local pair = now_a.parent and partners["a" .. now_a.parent]
  return not now_a.parent and not now_b.parent or pair ~= nil and pair.b == now_b.parent
end

local all_fields = table.move(linked, 1, #linked, #compared + 1, table.move(compared, 1, #compared, 1, {}))

--- The value of a field for people.
local function shown(at, field, now)
  if field == "list" then return lists.shown(at, now.list) end
  if field == "parent" and now.parent then return at.tasks[now.parent].text end
  return now[field] or "nothing"
end

--- Finds out which side takes which fields, of a pair whose tasks are both there: each takes what only the other one has changed.
local function plan(pair, task_a, task_b)
  local now_a, now_b = state(a, task_a), state(b, task_b)
  local made = { pair = pair, a = task_a, b = task_b, now_a = now_a, now_b = now_b, conflicts = {}, open = {}, is_known = true,
    to = { [a] = {}, [b] = {} } }
  local function carry(at, field)
    local task = at == a and task_b or task_a
    if at.fixed[field] or value_of(at, task, field) == nil and not (field == "parent" and parent_row(at, task)) then
      made.open[#made.open + 1] = field
      if at.fixed[field] then at.stuck[field] = (at.stuck[field] or 0) + 1 end
    else
      table.insert(made.to[at], field)
    end
  end
  for _, field in ipairs(all_fields) do
    local changed_a, changed_b = now_a[field] ~= pair.state_a[field], now_b[field] ~= pair.state_b[field]
    if (changed_a or changed_b) and is_alike(field, now_a, now_b) then
      -- Both were changed alike: by people, or by a run that was killed before it could write that down.
      pair.state_a[field], pair.state_b[field], made.is_known = now_a[field], now_b[field], false
    elseif changed_a and changed_b then
      if options.prefer then carry(options.prefer == "a" and b or a, field) else made.conflicts[#made.conflicts + 1] = field end
    elseif changed_a then
      carry(b, field)
    elseif changed_b then
      carry(a, field)
    end
  end
  return made
end

local function merge(made)
  local pair = made.pair
  for _, field in ipairs(made.conflicts) do
    conflict(b, pair, made.a, ("%s: a has %s, b has %s"):format(field, shown(a, field, made.now_a), shown(b, field, made.now_b)))
  end
  -- A conflict stays one until somebody decides.
  local open = table.move(made.conflicts, 1, #made.conflicts, #made.open + 1, made.open)
  local now = { [a] = made.now_a, [b] = made.now_b }
  local facts = { kind = "change", a = pair.a, b = pair.b, open = open, before = { a = pair.state_a, b = pair.state_b },
    after = { a = taken_state(a, now, pair.state_a, made.b, made.to[a], open), b = taken_state(b, now, pair.state_b, made.a, made.to[b], open) } }
  local function update(at, task, source)
    local names, set = made.to[at], {}
    if #names == 0 then return end
    tell("changed", at, task.text, table.concat(names, ", "))
    local row
    for _, field in ipairs(names) do
      if field == "parent" then row = parent_row(at, source) end
      if field ~= "parent" or not row then set[field] = value_of(at, source, field) end
    end
    -- There, a task moves to another list with its parent.
    if set.list and at.keeps_parts_in_list then
      row = row or parent_row(at, source)
      local parent = not row and (set.parent or value_of(at, source, "parent"))
      if row or parent then set.parent, set.list = parent or nil, nil end
    end
    local own = row and { gets_parent = true } or {}
    for name, value in pairs(facts) do own[name] = value end
    change(at, { task = task, set = set, parent_row = row, facts = own })
  end
  update(a, made.a, made.b)
  update(b, made.b, made.a)
  if not made.is_known and #made.to[a] + #made.to[b] == 0 then journal.save(pair) end
end

if carries_lists then
  for _, at in ipairs { b, a } do
    lists.prepare(at, other[at], options.make_lists, options.apply, refuse, function(side, name, problem)
      tell("failed", side, name, ("the list cannot be made: %s"):format(problem))
    end)
  end
end

local taken = { [a] = {}, [b] = {} }
local old = {}
for pair in pairs(journal.pairs) do old[#old + 1] = pair end
for _, pair in ipairs(old) do journal.rename(pair, there(a, pair.a), there(b, pair.b)) end
table.sort(old, function(x, y) return x.a < y.a end)

-- A service that shows too few tasks, or none, must not empty the other one.
local missing = 0
for _, pair in ipairs(old) do
  if (a.tasks[pair.a] == nil) ~= (b.tasks[pair.b] == nil) then missing = missing + 1 end
end
local is_empty = #old > 1 and missing == #old
if (options.apply or options.plan) and (is_empty or missing > 10 and missing > #old // 2) and not options.many then
  error({ code = "too_many_removals", message = ("sync: %d of %d tasks are gone on one side, and would be removed on the other"):format(missing, #old),
    hint = "run it without --apply and --plan to see which; --many removes them" }, 0)
end

local merges, removals = {}, {}
for _, pair in ipairs(old) do
  local task_a, task_b = a.tasks[pair.a], b.tasks[pair.b]
  taken[a][pair.a], taken[b][pair.b] = true, true
  if task_a and task_b then
    merges[#merges + 1] = { pair, task_a, task_b }
  elseif task_a or task_b then
    local at, task, before = task_a and a or b, task_a or task_b, task_a and pair.state_a or pair.state_b
    local now, is_changed = state(at, task), false
    for _, field in ipairs(compared) do is_changed = is_changed or now[field] ~= before[field] end
    if not is_changed or options.prefer == other[at].letter then
      removals[#removals + 1] = { pair, at, task }
    elseif options.prefer == at.letter then
      taken[at][tostring(task.id)] = nil
      journal.forget(pair)
    else
      conflict(at, pair, task, ("%s has removed it, and %s has changed it"):format(other[at].letter, at.letter))
    end
  else
    journal.forget(pair)
  end
end

-- Tasks without a partner: first those that are alike, then the others.
local waiting = {}
local function likeness(at, task)
  local values = state(at, task)
  return (values.text or "") .. "\n" .. (values.due or "")
end
for _, task in ipairs(b.order) do
  if not taken[b][tostring(task.id)] then
    local key = likeness(b, task)
    waiting[key] = waiting[key] or {}
    table.insert(waiting[key], task)
  end
end

--- Pairs two tasks. A field that only one of them has is given to the other one.
local function join(task_a, task_b)
  tell("paired", nil, task_a.text)
  local pair = { a = tostring(task_a.id), b = tostring(task_b.id), state_a = {}, state_b = {} }
  local now_a, now_b = state(a, task_a), state(b, task_b)
  for _, field in ipairs(compared) do
    if now_a[field] == now_b[field] then pair.state_a[field], pair.state_b[field] = now_a[field], now_b[field] end
  end
  journal.save(pair)
  merges[#merges + 1] = { pair, task_a, task_b }
end

local left_of_a, left_of_b = {}, {}
for _, task in ipairs(a.order) do
  if not taken[a][tostring(task.id)] then
    local alike = waiting[likeness(a, task)]
    local partner = alike and table.remove(alike, 1)
    if partner then
      taken[b][tostring(partner.id)] = true
      join(task, partner)
    else
      left_of_a[#left_of_a + 1] = task
    end
  end
end
for _, task in ipairs(b.order) do
  if not taken[b][tostring(task.id)] then left_of_b[#left_of_b + 1] = task end
end
add_all(b, left_of_a)
add_all(a, left_of_b)

--- The number of tasks above a task.
local function depth(at, task)
  local number = 0
  while number < 1000 do
    task = at.tasks[parent_id(at, task) or ""]
    if not task then break end
    number = number + 1
  end
  return number
end

--- Sorts by the depth, and keeps the order of those with the same depth.
local function sort_by_depth(all, sign)
  for i, one in ipairs(all) do one.position = i end
  table.sort(all, function(x, y)
    if x.depth == y.depth then return x.position < y.position end
    return sign * x.depth < sign * y.depth
  end)
end

-- All pairs are known now, also those of the parents. A parent comes before its sub-tasks.
a.stuck, b.stuck = {}, {}
local plans = {}
for i, one in ipairs(merges) do
  plans[i] = plan(table.unpack(one))
  plans[i].depth = math.max(depth(a, plans[i].a), depth(b, plans[i].b))
end
sort_by_depth(plans, 1)
for _, at in ipairs { a, b } do
  for field, count in pairs(at.stuck) do
    b2c.log.warn(("%s (%s) cannot change the %s of %d task%s"):format(at.letter, at.word, field, count, count == 1 and "" or "s"))
  end
end
for _, one in ipairs(plans) do merge(one) end

-- A service may remove the sub-tasks of a task with it: they come first.
for _, removal in ipairs(removals) do removal.depth = depth(removal[2], removal[3]) end
sort_by_depth(removals, -1)
for _, removal in ipairs(removals) do remove(removal[1], removal[2], removal[3]) end

-- The plans

if options.plan then
  for _, at in ipairs(sides) do
    local report = options.report and ("%s.%s.html"):format(options.report:gsub("%.html?$", ""), at.letter)
    local plan = runs.write(at, at.entries, options.plan, source_name, { report = report, make_lists = options.make_lists or nil })
    if not options.json then print(("\n%s (%s), %s: %s"):format(at.letter, at.word, plan.path, (tostring(plan):gsub("\n$", "")))) end
  end
elseif options.apply then
  local plans = {}
  for _, at in ipairs(sides) do
    if counts.new + counts.changed + counts.removed > 0 and #at.entries > 0 then
      plans[at] = runs.write(at, at.entries, options.journal, source_name)
    end
  end
  if next(plans) then
    runs.begin(plans)
    for at, result in pairs(carry_out()) do
      for _, row in ipairs(result.open) do
        local entry = at.entries[row.row]
        -- Somebody else may have removed it.
        local is_gone = entry.remove and not at.tasks[tostring(entry.task.id)]
        if not entry.conflict and not is_gone then tell(row.outcome == "conflict" and "late" or "failed", at, row.text, row.reason) end
      end
    end
    b2c.log.info "sync with --undo shows how to take this back, and --undo --apply does it"
  end
end

if not options.json then
  local total = counts.new + counts.changed + counts.removed
  print(("%d new, %d changed, %d removed, %d conflicts, %d failed"):format(counts.new, counts.changed, counts.removed,
    counts.conflict + counts.late, counts.failed))
  if options.plan then
    b2c.log.info(("nothing was changed; --apply --plan %s makes these changes"):format(options.plan))
  elseif not options.apply and total > 0 then
    print "nothing was changed; --apply makes these changes"
  end
  if counts.conflict > 0 and not options.prefer then print "conflicts stay as they are; --prefer a or --prefer b decides" end
end
if counts.conflict + counts.late + counts.failed > 0 then os.exit(5) end
