-- Keeps the tasks of two accounts or services alike, in both directions.

local b2c = require "b2c"
local accounts, async, json, tasks, tenant, term = b2c.accounts, b2c.async, b2c.json, b2c.tasks, b2c.tenant, b2c.term
local lists = require "sync.lists"

local options = term.options {
  summary = "Keeps the tasks of two accounts or services alike, in both directions.",
  usage = { "A B --journal FILE [--apply] [--prefer SIDE] [--make-lists] [--many] [--json]" },
  positions = {
    { "A", "a task service, such as caldav; tasks, the task API with the current account; or @ACCOUNT, the task API with that account. "
      .. "Behind a colon, a list: caldav:Home" },
    { "B", "the other one" },
  },
  options = {
    { "--journal FILE", "the file that knows which tasks are the same, and how they were when they were last alike" },
    { "--apply", "make the changes; if not given, they are only shown" },
    { "--prefer SIDE", "what to do if both have changed a field: take that of a or of b; if not given, both are left as they are",
      choices = { "a", "b" } },
    { "--make-lists", "make the lists that one side has and the other one does not have" },
    { "--many", "also remove more than half of the tasks" },
    { "--json", "print the changes as JSON, a line each" },
  },
  notes = "The first run pairs tasks with the same text and the same due date. A list is paired with the list of the same name, and the "
    .. "parent of a task with the pair of that parent. If A or B names a list, lists are not compared. Repeat an interrupted run: it continues where it ended.",
}

local function refuse(message, hint) error({ code = "usage", message = "sync: " .. message, hint = hint }, 0) end
if not options.journal then refuse("expected --journal FILE", "name a new file for these two, such as home.sync") end

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

-- The journal: a line for each pair, for each that is gone, and for each task that is about to be added. The last line about a
-- pair counts. Each line is on the disk before the next change is made.

local pairs_of = {}
-- The pairs by the side and the ID.
local partners = {}
-- The tasks that an interrupted run was about to add to the other side, by the side and the ID: how they were then.
local begun = {}
-- How many pairs of a task are gone: a task that is added once more gets another key.
local ended = {}
local salt
local journal

local function record(entry)
  if not journal then return end
  assert(journal:write(json.encode(entry), "\n"))
  assert(journal:sync())
end

local function enter(pair)
  pairs_of[pair], partners["a" .. pair.a], partners["b" .. pair.b] = true, pair, pair
end

local function forget(pair)
  pairs_of[pair], partners["a" .. pair.a], partners["b" .. pair.b] = nil, nil, nil
  for letter, id in pairs { a = pair.a, b = pair.b } do ended[letter .. id] = (ended[letter .. id] or 0) + 1 end
  record { a = pair.a, b = pair.b, gone = true }
end

local function save(pair) record { a = pair.a, b = pair.b, state_a = pair.state_a, state_b = pair.state_b } end

--- Gives a pair other IDs: a task may get another one when it moves to another list.
local function rename(pair, id_a, id_b)
  if pair.a == id_a and pair.b == id_b then return end
  local old = { a = pair.a, b = pair.b }
  pair.a, pair.b = id_a, id_b
  if old.a then
    save(pair)
    forget(old)
  end
  enter(pair)
end

--- Writes down how the two tasks of a pair are now. The fields in `open` stay as they were: they are still to be carried.
local function remember(pair, task_a, task_b, open)
  -- A service may not tell the ID. Then the next run pairs the two.
  if not task_a.id or not task_b.id then return end
  rename(pair, tostring(task_a.id), tostring(task_b.id))
  a.tasks[pair.a], b.tasks[pair.b] = task_a, task_b
  local old_a, old_b = pair.state_a or {}, pair.state_b or {}
  pair.state_a, pair.state_b = state(a, task_a), state(b, task_b)
  for _, field in ipairs(open) do pair.state_a[field], pair.state_b[field] = old_a[field], old_b[field] end
  save(pair)
end

do
  local number, is_cut, is_journal, known = 0, false, false, {}
  local function take(entry)
    local letter = entry.adding
    if entry.sides then
      if entry.sides[1] ~= a.word or entry.sides[2] ~= b.word then
        refuse(("%s is the journal of %s and %s"):format(options.journal, entry.sides[1], entry.sides[2]), "name another file")
      end
      salt, is_journal = entry.salt, true
    elseif letter then
      assert(type(entry.state) == "table")
      begun[letter .. entry.id] = entry.state
    else
      local name = entry.a .. "\n" .. entry.b
      begun["a" .. entry.a], begun["b" .. entry.b] = nil, nil
      known[name] = not entry.gone and entry or nil
      assert(entry.gone or type(entry.state_a) == "table" and type(entry.state_b) == "table")
      for side, id in pairs { a = entry.a, b = entry.b } do
        if entry.gone then ended[side .. id] = (ended[side .. id] or 0) + 1 end
      end
    end
  end
  local problem
  journal, problem = io.open(options.journal, options.apply and "a+" or "r")
  if not journal and options.apply then refuse(problem, "name a file that can be written") end
  if options.apply and journal then
    local is_mine = journal:lock()
    if not is_mine then
      error({ code = "busy", message = ("sync: another run is working with %s"):format(options.journal), hint = "wait until it has ended" }, 0)
    end
  end
  for line in journal and journal:lines "L" or function() end do
    number = number + 1
    is_cut = line:sub(-1) ~= "\n"
    local ok, entry = pcall(json.decode, line)
    local is_taken, refusal
    if ok and type(entry) == "table" then is_taken, refusal = pcall(take, entry) end
    if type(refusal) == "table" and refusal.code == "usage" then error(refusal, 0) end
    -- A run that was killed may have left half a line, also of the first one.
    local start = '{"salt":"'
    if number == 1 and not is_journal and line:gsub("\n$", ""):sub(1, #start) ~= start:sub(1, #line:gsub("\n$", "")) then
      refuse(options.journal .. " is not a journal of sync", "name a new file for these two, such as home.sync")
    end
    if not is_taken then b2c.log.warn(("%s:%d cannot be read, and is left out"):format(options.journal, number)) end
  end
  for _, entry in pairs(known) do enter(entry) end
  if not options.apply and journal then
    journal:close()
    journal = nil
  end
  -- The next line must not continue half a line.
  if is_cut and journal then assert(journal:write "\n") end
  if not salt then
    salt = b2c.jose.hash(table.concat { options.journal, os.time(), tostring(math.random(0)), tostring({}) }):gsub("[^%w]", "")
    record { sides = { a.word, b.word }, salt = salt }
  end
end

-- The tasks of both sides

for _, at in ipairs { a, b } do
  at.tasks, at.order, at.by_name = {}, {}, {}
  for _, task in ipairs(tasks.list(at.options { list = at.list })) do
    local id = tostring(task.id)
    at.tasks[id] = task
    at.order[#at.order + 1] = task
    local name = id:match "/([^/]+)$"
    if name then at.by_name[name] = at.by_name[name] and "several" or id end
  end
end
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

local counts = { new = 0, changed = 0, removed = 0, conflict = 0, failed = 0, paired = 0 }

local function tell(kind, at, text, detail)
  counts[kind] = counts[kind] + 1
  if options.json then return print(json.encode { kind = kind, side = at and at.letter, text = text, detail = detail }) end
  local signs = { new = "+", changed = "~", removed = "-", conflict = "!", failed = "!", paired = "=" }
  print(("%s %s  %s%s"):format(signs[kind], at and at.letter or " ", term.fit(text, 60):gsub(" +$", ""), detail and "  (" .. detail .. ")" or ""))
end

--- Does one change. Waits for a service that accepts no tasks for a time. Prints another failure; the next run tries the
--- change again.
local function try(at, task, f)
  if not options.apply then return nil end
  local ok, result
  for attempt = 1, 5 do
    ok, result = pcall(f)
    if ok then return result or true end
    if type(result) ~= "table" or result.code == "canceled" or result.code == "interrupted" then error(result, 0) end
    local wait = tonumber(result.details and result.details.retry_after)
    if not wait or wait > 300 or attempt == 5 then break end
    b2c.log.info(("%s takes nothing for %d seconds"):format(at.word, math.ceil(wait)))
    async.sleep(math.max(1, wait))
  end
  -- Every further change would fail alike.
  if result.status == 401 or result.code == "broken_service" then error(result, 0) end
  tell("failed", at, task.text, tostring(result.message))
  return nil
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
  -- A run that only shows the changes has not added the parent.
  return pair and pair[at.letter] or not options.apply and id or nil
end

--- Adds a task of the other side. Returns it, and the fields that could not be carried.
local function add(at, task)
  local new, open = { list = at.list }, {}
  for _, field in ipairs(compared) do new[field] = value_of(at, task, field) or nil end
  for _, field in ipairs(linked) do
    local value = value_of(at, task, field)
    if value == nil then open[#open + 1] = field end
    new[field] = value or nil
  end
  tell("new", at, task.text)
  local id = tostring(task.id)
  local source = other[at].letter .. id
  return try(at, task, function()
    local values, parts = state(other[at], task), { salt, source, ended[source] or 0 }
    record { adding = other[at].letter, id = id, state = values }
    -- The key is the same if the run is repeated with the same task.
    for _, field in ipairs(compared) do parts[#parts + 1] = values[field] or "" end
    local name = table.concat(parts, "\n")
    return tasks.add(new, at.options { key = "sync-" .. b2c.jose.hash(name):gsub("_", "-"):sub(1, 40) })
  end), open
end

--- Adds tasks of the other side, each after its parent.
local function add_all(at, new)
  local waiting = {}
  for _, task in ipairs(new) do waiting[tostring(task.id)] = task end
  local function add_one(task)
    local id = tostring(task.id)
    if not waiting[id] then return end
    waiting[id] = nil
    local parent = task.parent and waiting[tostring(task.parent)]
    if parent then add_one(parent) end
    local made, open = add(at, task)
    if made then
      local pair = at == a and { made, task } or { task, made }
      remember({}, pair[1], pair[2], open)
    end
  end
  for _, task in ipairs(new) do add_one(task) end
end

local function remove(pair, at, task)
  tell("removed", at, task.text)
  local function removed()
    local ok, e = pcall(tasks.remove, task, at.options())
    -- Somebody else may have removed it.
    if not ok and (type(e) ~= "table" or e.code ~= "not_found") then error(e, 0) end
  end
  if try(at, task, removed) then forget(pair) end
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
    if at.fixed[field] or value_of(at, at == a and task_b or task_a, field) == nil then
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
    tell("conflict", nil, made.a.text, ("%s: a has %s, b has %s"):format(field, shown(a, field, made.now_a), shown(b, field, made.now_b)))
  end
  local function update(at, task, source)
    local names = made.to[at]
    if #names == 0 then return task end
    tell("changed", at, task.text, table.concat(names, ", "))
    return try(at, task, function()
      local changes = {}
      for _, field in ipairs(names) do changes[field] = value_of(at, source, field) end
      -- There, a task moves to another list with its parent.
      local parent = changes.list and at.keeps_parts_in_list and (changes.parent or value_of(at, source, "parent"))
      if parent then changes.parent, changes.list = parent, nil end
      return tasks.update(task, changes, at.options())
    end)
  end
  local new_a, new_b = update(a, made.a, made.b), update(b, made.b, made.a)
  if not new_a or not new_b or #made.to[a] + #made.to[b] == 0 then
    if not made.is_known then save(pair) end
    return
  end
  -- A conflict stays one until somebody decides.
  remember(pair, new_a, new_b, table.move(made.conflicts, 1, #made.conflicts, #made.open + 1, made.open))
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
for pair in pairs(pairs_of) do old[#old + 1] = pair end
for _, pair in ipairs(old) do rename(pair, there(a, pair.a), there(b, pair.b)) end
table.sort(old, function(x, y) return x.a < y.a end)

-- A service that shows too few tasks, or none, must not empty the other one.
local missing = 0
for _, pair in ipairs(old) do
  if (a.tasks[pair.a] == nil) ~= (b.tasks[pair.b] == nil) then missing = missing + 1 end
end
local is_empty = #old > 1 and missing == #old
if options.apply and (is_empty or missing > 10 and missing > #old // 2) and not options.many then
  error({ code = "too_many_removals", message = ("sync: %d of %d tasks are gone on one side, and would be removed on the other"):format(missing, #old),
    hint = "run it without --apply to see which; --many removes them" }, 0)
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
      forget(pair)
    else
      tell("conflict", nil, task.text, ("%s has removed it, and %s has changed it"):format(other[at].letter, at.letter))
    end
  else
    forget(pair)
  end
end

-- Tasks without a partner: first those that are alike, then the others.
local waiting = {}
local function likeness_of(values) return (values.text or "") .. "\n" .. (values.due or "") end
local function likeness(at, task) return likeness_of(state(at, task)) end

--- The task of the other side that an interrupted run has made of this one, which may have been changed since.
local function made_before(at, task)
  local before = begun[at.letter .. tostring(task.id)]
  return before and before.text and likeness_of(before) ~= likeness(at, task) and before or nil
end
for _, task in ipairs(b.order) do
  if not taken[b][tostring(task.id)] then
    local key = likeness(b, task)
    waiting[key] = waiting[key] or {}
    table.insert(waiting[key], task)
  end
end

--- Pairs two tasks. `before` is how both were; nil: a field that only one of them has is given to the other one.
local function join(task_a, task_b, before)
  tell("paired", nil, task_a.text)
  local pair = { a = tostring(task_a.id), b = tostring(task_b.id), state_a = {}, state_b = {} }
  local now = { [a] = state(a, task_a), [b] = state(b, task_b) }
  for _, field in ipairs(compared) do
    if before then
      pair.state_a[field], pair.state_b[field] = before[field], before[field]
    elseif now[a][field] == now[b][field] then
      pair.state_a[field], pair.state_b[field] = now[a][field], now[b][field]
    end
  end
  -- An interrupted run has made one of them of the other one: the new one has the parent and the list that it was given.
  local of_a, of_b = begun["a" .. pair.a], begun["b" .. pair.b]
  for _, field in ipairs((of_a or of_b) and linked or {}) do
    pair.state_a[field], pair.state_b[field] = (of_a or now[a])[field], (not of_a and of_b or now[b])[field]
  end
  enter(pair)
  save(pair)
  merges[#merges + 1] = { pair, task_a, task_b }
end

local left_of_a = {}
for _, task in ipairs(a.order) do
  if not taken[a][tostring(task.id)] then
    local before = made_before(a, task)
    local alike = before and waiting[likeness_of(before)] or waiting[likeness(a, task)]
    local partner = alike and table.remove(alike, 1)
    if partner then
      join(task, partner, before)
    else
      left_of_a[#left_of_a + 1] = task
    end
  end
end
local left_of_b = {}
for _, task in ipairs(b.order) do
  if not taken[b][tostring(task.id)] then
    local alike = waiting[likeness(b, task)]
    if alike and alike[1] == task then
      table.remove(alike, 1)
      local before, partner = made_before(b, task), nil
      for i, one in ipairs(before and left_of_a or {}) do
        if likeness(a, one) == likeness_of(before) then
          partner = table.remove(left_of_a, i)
          break
        end
      end
      if partner then join(partner, task, before) else left_of_b[#left_of_b + 1] = task end
    end
  end
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

if not options.json then
  local total = counts.new + counts.changed + counts.removed
  print(("%d new, %d changed, %d removed, %d conflicts, %d failed"):format(counts.new, counts.changed, counts.removed, counts.conflict, counts.failed))
  if not options.apply and total > 0 then print "nothing was changed; --apply makes these changes" end
  if counts.conflict > 0 and not options.prefer then print "conflicts stay as they are; --prefer a or --prefer b decides" end
end
if counts.conflict + counts.failed > 0 then os.exit(5) end
