-- The contract of all task services: contract.lua SERVICE, run by with_server.py.

local b2c = require "b2c"
local http, tasks = b2c.http, b2c.tasks
local kind, url = b2c.args[1], os.getenv "SERVICE_URL"
local is_caldav = kind == "radicale" or kind == "xandikos"
local service = { name = is_caldav and "caldav" or kind, url = url, username = is_caldav and "alice" or nil,
  list = kind == "github" and "alice/tasks" or nil }

local function at(more)
  more = more or {}
  more.service = more.service or service
  return more
end
local function equal(got, expected, what)
  if got ~= expected then error(("%s: got %s, expected %s"):format(what or "?", tostring(got), tostring(expected)), 2) end
end
local function failure(f, ...)
  local ok, e = pcall(f, ...)
  if ok then error("expected an error", 2) end
  return e
end
local function control(changes)
  if is_caldav then return end
  return http.post(url .. "/_control", { json = changes }).json()
end

local function state() return http.get(url .. "/_control").json() end

local kept = {}
for _, field in ipairs(tasks.fields(at()).fields) do kept[field] = true end
assert(tasks.lists(at())[1], "there is no list")

-- All fields come back.
local long = kind == "github" and ("ü"):rep(200) or ("Pay, the; rent\\ 🥛 "):rep(20)
local given = { text = long, notes = "two\nlines; \"quoted\"", due = "2027-01-31", start = "2027-01-02", priority = 1,
  labels = { "home", "a b" }, completed = true, recurrence = "FREQ=MONTHLY", url = "https://example.org/?a=b;c,d",
  key = "A-4711; <\"%\\é--> key=1" }
local made = tasks.add(given, at { key = "key-1" })
local read = tasks.get(made.id, at())
for field, value in pairs(given) do
  if kept[field] then
    if field == "labels" then
      table.sort(read.labels)
      equal(table.concat(read.labels, "|"), "a b|home", field)
    else
      equal(read[field], field == "text" and kind == "todoist" and value or value, field)
    end
  else
    equal(read[field], field == "url" and read.url or nil, field)
  end
end
if kept.completed_at then assert(read.completed_at) end
-- The answer for a new task has the fields of the task in the list.
local function plain(value) return type(value) == "table" and table.concat(value, "|") or value end
table.sort(made.labels)
for field in pairs(kept) do equal(plain(made[field]), plain(read[field]), "new task: " .. field) end

-- The same key makes no second task where the service takes keys.
if is_caldav or kind == "todoist" then
  tasks.add(given, at { key = "key-1" })
  equal(#tasks.list(at()), 1, "tasks of one key")
end

-- A key is set, changed and removed, and survives the change of notes; the key of a row stays.
local function shows(id, expected, what)
  local one = tasks.get(id, at())
  for _, field in ipairs { "text", "notes", "key", "url" } do
    if kept[field] then equal(one[field], expected[field], what .. ": " .. field) end
  end
  for _, listed in ipairs(tasks.list(at())) do
    if listed.id == id then equal(listed.key, expected.key, what .. ": key in a list") end
  end
  return one
end
local keyed = tasks.add({ text = "keyed", notes = "of the task\nKey: of somebody" }, at { key = "row-1" })
shows(keyed.id, { text = "keyed", notes = "of the task\nKey: of somebody" }, "without a key")
for _, step in ipairs { { key = "4711" }, { notes = "others" }, { key = "4712", text = "keyed again" }, { notes = false }, { url = "https://example.org/" },
  { key = false }, { notes = "last", key = "1" } } do
  local expected = {}
  for _, field in ipairs { "text", "notes", "key", "url" } do
    if step[field] == nil then expected[field] = keyed[field] else expected[field] = step[field] or nil end
  end
  keyed = tasks.update(keyed, step, at())
  for _, field in ipairs { "text", "notes", "key", "url" } do
    if kept[field] then equal(keyed[field], expected[field], "the changed task: " .. field) end
  end
  local one = shows(keyed.id, expected, "changed")
  if kind == "github" or kind == "microsoft" then equal(one.raw.row_key, "row-1", "key of the row") end
end
equal(failure(tasks.add, { text = "a", key = ("x"):rep(256) }, at()).code, "invalid_value", "code of a long key")
equal(failure(tasks.update, keyed, { key = "two\nlines" }, at()).code, "invalid_value", "code of a key of two lines")

-- A version has one entity tag, wherever a task comes from; it guards changes and removals. A task that is gone has an error of its own.
local function version(id)
  local one, tag = tasks.get(id, at()), nil
  for _, listed in ipairs(tasks.list(at())) do if listed.id == id then tag = listed.etag end end
  equal(one.etag, tag, "etag of get and list")
  return tag
end
local has_versions = is_caldav or kind == "microsoft"
equal(version(keyed.id) ~= nil, has_versions, "has an etag")
local first = tasks.add("versions", at { key = "row-2" })
equal(version(first.id), first.etag, "etag of a new task")
local second = tasks.update(first, { text = "versions, changed" }, at())
equal(version(first.id), second.etag, "etag of a changed task")
if has_versions then
  assert(first.etag ~= second.etag, "a change has a new etag")
  for _, change in ipairs { { tasks.update, first, { notes = "lost" }, at() }, { tasks.remove, first, at() },
    { tasks.update, first, { key = "lost" }, at() }, { tasks.complete, first, at() } } do
    local e = failure(table.unpack(change))
    equal(e.code, "conflict", "code")
    equal(e.status, 412, "status")
  end
  equal(shows(first.id, { text = "versions, changed" }, "after refused changes").completed, false)
end
equal(tasks.fields(at()).removes, kind ~= "github", "removes")
if kind ~= "github" then
  tasks.remove(second, at())
  for _, change in ipairs { { tasks.update, second, { text = "lost" }, at() }, { tasks.update, second, { key = "lost" }, at() }, { tasks.remove, second, at() },
    { tasks.remove, second.id, at() } } do
    local e = failure(table.unpack(change))
    equal(e.code, "not_found", "code of a task that is gone")
    equal(e.status, 404, "status of a task that is gone")
  end
  tasks.remove(keyed, at())
end

-- Changes
read = tasks.reopen(read, at())
equal(read.completed, false, "reopened")
local stale = read
read = tasks.update(read, { text = "Pay", notes = false }, at())
equal(read.text, "Pay", "text")
equal(read.notes, nil, "notes")
if kept.due then equal(read.due, "2027-01-31", "the due date that nobody changed") end
if stale.etag then
  local e = failure(tasks.update, stale, { text = "lost" }, at())
  equal(e.code, "conflict", "code")
  equal(e.status, 412, "status")
  equal(tasks.get(made.id, at()).text, "Pay", "text after a refused change")
end
equal(#tasks.list(at { completed = false, text = "pay" }), 1, "open tasks")
equal(tasks.get(kind == "github" and "4711" or "nothing", at()), nil, "a task that is not there")
if kind ~= "github" then
  tasks.remove(read, at())
  equal(#tasks.list(at()), 0, "tasks after the removal")
else
  equal(failure(tasks.remove, read, at()).code, "cannot_change", "code")
end
local before = #tasks.list(at())

-- Changes since a token (RFC 6578); a token that is not known any more.
if kind ~= "github" then
  local _, _, token = tasks.changes(nil, at())
  local one = tasks.add("of the changes", at())
  local changed, removed
  changed, removed, token = tasks.changes(token, at())
  equal(#changed == 1 and changed[1].text, "of the changes", "changed tasks")
  equal(#removed, 0, "removed tasks")
  tasks.remove(one, at())
  changed, removed = tasks.changes(token, at())
  equal(#changed, 0, "changed tasks after the removal")
  equal(removed[1], one.id, "the removed task")
end
local unknown = { microsoft = url .. "/me/todo/lists/l1/tasks/delta?$deltatoken=0", radicale = "http://radicale.org/ns/sync/1234" }
if unknown[kind] then equal(failure(tasks.changes, unknown[kind], at()).code, "token_too_old", "code of an old token") end

-- A list by its name.
local named = tasks.lists(at())
named = named[#named].name
local listed = tasks.add({ text = "in a list", list = named }, at())
equal(#tasks.list(at { list = named, text = "in a list" }), 1, "tasks of the list " .. named)
equal(tasks.get(listed.id, at()).text, "in a list", "a task by its ID alone")
if kind ~= "github" then tasks.remove(listed, at()) end
before = #tasks.list(at())

-- A list that is made, once, and found in any letter case. The list of tasks that name none stays the same.
local function usual() for _, list in ipairs(tasks.lists(at())) do if list.default then return list.id end end end
local usual_before = usual()
local has_lists = tasks.fields(at()).makes_lists
equal(has_lists, kind ~= "github", "makes lists")
if has_lists then
  local work = tasks.make_list("Work & <Ünits>", at())
  equal(work.name, "Work & <Ünits>", "name of the new list")
  equal(tasks.make_list("Work & <Ünits>", at()).id, work.id, "list made again")
  equal(usual(), usual_before, "the usual list after a new one")
  local one = tasks.add({ text = "in the new list", list = "work &  <ünits>" }, at())
  equal(one.list, work.id, "list")
  local rows = { { text = "There", list = "Garden" }, { text = "There, too", list = " garden " }, { text = "ID", list = "Nowhere", list_id = work.id } }
  local function source()
    local i = 0
    return function()
      i = i + 1
      return rows[i]
    end
  end
  -- The beginning of the source tells it, and nothing is sent; with make_lists the list is made once.
  local count = #tasks.list(at())
  local e = failure(tasks.import, source(), at { journal = false })
  equal(e.code, "unknown_list", "code")
  assert(e.message:find("row 1: " .. service.name .. " has no list 'Garden'", 1, true), e.message)
  assert(e.hint:find("--make-lists", 1, true), e.hint)
  equal(#tasks.list(at()), count, "tasks after an unknown list")
  count = #tasks.lists(at())
  equal(tasks.import(source(), at { journal = false, make_lists = true, dry_run = true }).unsent, 3, "rows of a dry run")
  equal(#tasks.lists(at()), count, "lists after a dry run")
  equal(tasks.import(source(), at { journal = false, make_lists = true }).added, 3, "added to a new list")
  equal(#tasks.lists(at()), count + 1, "lists after an import")
  equal(#tasks.list(at { list = "Garden" }), 2, "tasks of the new list")
  equal(#tasks.list(at { list = work.id, text = "ID" }), 1, "tasks of the list with the ID")
  -- A task that moves is the same task.
  local is_fixed = tasks.fields(at()).fixed[1] == "list"
  equal(is_fixed, kind == "microsoft" or kind == "xandikos", "fixed")
  if not is_fixed then
    one = tasks.update(one, { list = "Garden", text = "moved" }, at())
    equal(#tasks.list(at { list = "Garden", text = "moved" }), 1, "moved tasks")
    equal(#tasks.list(at { list = work.id, text = "moved" }), 0, "tasks that stayed")
  end
end
-- A parent is the ID of a task; it can be changed and removed.
if kept.parent then
  local parent = tasks.add("the whole", at())
  local part = tasks.add({ text = "a part", parent = parent.id }, at())
  local function parent_of(id) return tasks.get(id, at()).parent end
  equal(parent_of(part.id), parent.id, "parent")
  for _, one in ipairs(tasks.list(at { text = "a part" })) do equal(one.parent, parent.id, "parent in a list") end
  part = tasks.update(part, { parent = false }, at())
  equal(parent_of(part.id), nil, "removed parent")
  part = tasks.update(part, { parent = parent.id }, at())
  equal(part.parent, parent.id, "parent of the changed task")
  equal(parent_of(part.id), parent.id, "new parent")
end
if kind ~= "github" then for _, task in ipairs(tasks.list(at())) do tasks.remove(task, at()) end end
before = #tasks.list(at())

-- An import; a list that is not there; a wrong secret.
local rows = { { text = "One", completed = true }, { text = "Two" }, { text = "Three", due = "2027-02-01" } }
local function source()
  local i = 0
  return function()
    i = i + 1
    return rows[i]
  end
end
local report = tasks.import(source(), at { journal = false })
equal(report.added, 3, "added")
equal(report.lost.due, not kept.due and 1 or nil, "lost")
equal(#tasks.list(at()), before + 3, "tasks after the import")
equal(#tasks.list(at { completed = true }), 1, "done")
local e
if kind ~= "github" then
  local elsewhere = { name = service.name, url = url, username = service.username, list = "Nowhere" }
  e = failure(tasks.add, "a", at { service = elsewhere })
  equal(e.code, "unknown_list", "code")
  assert(e.message:find("has no list 'Nowhere'", 1, true) and e.hint, e.message)
end
if kind ~= "xandikos" then
  e = failure(tasks.list, at { service = { name = service.name, url = url, username = service.username, list = service.list, secret = "wrong" } })
  equal(e.status, 401, "status")
  assert(e.hint:find("secrets set", 1, true), e.hint)
end

-- Recurrence, dates and strictness are checked before anything is sent.
equal(failure(tasks.add, { text = "a", due = "soon" }, at()).code, "bad_time", "code")
if not kept.recurrence then
  rows = { { text = "Weekly", recurrence = "FREQ=WEEKLY" } }
  e = failure(tasks.import, source(), at { journal = false, strict = true })
  assert(e.message:find("the service cannot keep recurrence of row 1", 1, true), e.message)
  equal(#tasks.list(at()), before + 3, "tasks after a strict import")
end

if is_caldav then
  -- Times of all four kinds.
  for _, due in ipairs { "2027-01-31", "2027-01-31T08:00:00Z", "2027-01-31T09:00:00", "2027-10-31T02:30:00[Europe/Berlin]" } do
    equal(tasks.get(tasks.add({ text = due, due = due }, at()).id, at()).due, due, "due")
  end
  -- Properties of another program stay.
  local task = tasks.add("With an alarm", at())
  local auth = { username = "alice", password = b2c.secrets.get "caldav" }
  local text = http.get(task.id, { auth = auth }).body:gsub("END:VTODO",
    "X-APPLE-SORT-ORDER:7\r\nATTACH;FMTTYPE=text/plain;X-A=\"b:c\":https://example.org/a\r\nBEGIN:VALARM\r\nACTION:DISPLAY\r\nTRIGGER:-PT5M\r\nDESCRIPTION:x\r\nEND:VALARM\r\nEND:VTODO")
  http.put(task.id, { body = text, headers = { ["Content-Type"] = "text/calendar; charset=utf-8" }, auth = auth })
  tasks.update(task.id, { due = "2027-01-31", priority = 1 }, at())
  text = http.get(task.id, { auth = auth }).body
  for _, part in ipairs { "X%-APPLE%-SORT%-ORDER:7", 'ATTACH;.*X%-A="b:c":https://example.org/a', "BEGIN:VALARM", "TRIGGER:%-PT5M" } do
    assert(text:find(part), part .. " is gone: " .. text)
  end
  assert(text:find "DUE;VALUE=DATE:20270131\r?\n.*BEGIN:VALARM", text)
else
  local count
  -- A dry run tells what is not kept, and sends nothing.
  rows = { { text = "Dry", priority = 2, recurrence = "FREQ=WEEKLY", due = "2027-02-01T09:00" } }
  count = #control({}).created
  report = tasks.import(source(), at { journal = false, dry_run = true })
  equal(report.lost.recurrence, 1, "lost recurrence")
  equal(report.lost.priority, 1, "lost priority")
  equal(report.lost.due, kind ~= "todoist" and 1 or nil, "lost due")
  equal(#control({}).created, count, "created by a dry run")
  -- A text that is too long fails its row before it is sent.
  rows = { { text = ("x"):rep(501) } }
  if kind ~= "microsoft" then equal(tasks.import(source(), at { journal = false, dry_run = true }).failures[1].code, "too_long", "code") end
  -- A part of a batch is refused.
  control { refuse_text = "bad" }
  rows = { { text = "good 1" }, { text = "bad" }, { text = "good 2" } }
  report = tasks.import(source(), at { journal = false })
  equal(report.added, 2, "added")
  equal(report.failures[1].row, 2, "the failed row")
  equal(report.failures[1].code, kind == "github" and "unexpected_status" or "bad_request", "code")
  -- Retry-After as seconds and as a date.
  for _, value in ipairs { "1", os.date("!%a, %d %b %Y %H:%M:%S GMT", os.time() + 2) } do
    control { fail = { status = 429, headers = { ["Retry-After"] = value }, times = 1 } }
    rows = { { text = "later " .. value } }
    report = tasks.import(source(), at { journal = false })
    equal(report.added, 1, "added after a pause")
  end
  -- Retry-After of single tasks of a batch.
  for _, value in ipairs(kind == "microsoft" and { "1", os.date("!%a, %d %b %Y %H:%M:%S GMT", os.time() + 2) } or {}) do
    rows = {}
    for i = 1, 30 do rows[i] = { text = "part " .. i } end
    count = #control({ fail_item = { status = 429, headers = { ["Retry-After"] = value }, times = 3 } }).created
    equal(tasks.import(source(), at { journal = false }).added, 30, "added after pauses of single tasks")
    equal(#control({}).created, count + 30, "created after pauses of single tasks")
  end
  -- A lock passes; a full disk ends the import, because the next row meets it, too.
  control { fail = { status = 423, times = 1 } }
  rows = { { text = "locked" } }
  equal(tasks.import(source(), at { journal = false }).added, 1, "added after a lock")
  control { fail = { status = 507, times = 99 } }
  e = failure(tasks.import, source(), at { journal = false })
  assert(e.message:find("was answered 507", 1, true) and e.hint == "the disk of the service is full", e.message)
  -- A limit with the time of its end is waited for.
  control { fail = { status = 403, headers = { ["x-ratelimit-remaining"] = "0", ["x-ratelimit-reset"] = tostring(os.time() + 2) }, times = 1 } }
  rows = { { text = "after the reset" } }
  equal(tasks.import(source(), at { journal = false }).added, 1, "added after the reset")
  -- A limit that ends in an hour is said, with the time, and nothing is asked until then. The service is another one to the program.
  local slow = { name = kind, url = url, list = service.list, secret = kind }
  control { fail = { status = 429, headers = { ["Retry-After"] = "3600" }, times = 99 } }
  count = state().requests
  for _ = 1, 3 do
    e = failure(tasks.import, source(), at { service = slow, journal = false })
    assert(e.hint:find "it takes tasks again at %d%d%d%d%-.* UTC; %-%-wait 3[56]%d%d waits for that", e.hint)
    e = failure(tasks.list, at { service = slow })
    assert(e.status == 429 and e.retry_after > 3500 and e.retry_after <= 3600, tostring(e.retry_after))
  end
  equal(state().requests, count + 1, "requests within the wait")
  control {}
  -- The answer to a request that did its work is lost: there is one task nevertheless.
  control { drop_after = 1 }
  count = #control({ drop_after = 1 }).created
  rows = { { text = "once" } }
  report = tasks.import(source(), at { journal = false, settle_after = 0.1 })
  equal(report.added, 1, "added after a lost answer")
  equal(#control({}).created, count + 1, "created after a lost answer")
  -- Rows of unknown fate are looked for by one pass over a long list, which goes on after a wait.
  if kind ~= "todoist" then
    count = control { fill = 450, drop_after = 1, quota = { requests = 3, seconds = 1 } }
    rows = {}
    for i = 1, kind == "microsoft" and 45 or 2 do rows[i] = { text = "of a long list " .. i } end
    report = tasks.import(source(), at { journal = false, settle_after = 0.1 })
    equal(report.added, #rows, "added with a long list")
    local now = control {}
    equal(#now.created, #count.created + #rows, "created with a long list")
    equal(now.early, count.early, "requests within a wait")
    -- The tasks of the list are known: the pages, the rows, and one refused request for each wait.
    local most = (#now.tasks // 100 + 1 + (kind == "microsoft" and 4 or #rows)) * 3 // 2 + 4
    assert(now.requests - count.requests <= most, ("%d requests, expected at most %d"):format(now.requests - count.requests, most))
  end
  -- A step after the one that has made the task waits, and makes no second task.
  if kind ~= "microsoft" then
    count = control { fail_patch = { status = 403, headers = { ["Retry-After"] = "1" }, times = 1 }, fail_command = { item_complete = 1 } }
    rows = { { text = "made, and completed later", completed = true } }
    report = tasks.import(source(), at { journal = false, settle_after = 0.1 })
    equal(report.added, 1, "added with a later step")
    equal(#control({}).created, #count.created + 1, "created with a later step")
    equal(#tasks.list(at { text = "completed later", completed = true }), 1, "completed later")
  end
  if kind == "todoist" then
    -- A limit of the whole call holds all rows, as long as its body says.
    count = control { quota = { requests = 1, seconds = 1 } }
    rows = {}
    for i = 1, 120 do rows[i] = { text = "with a quota " .. i } end
    equal(tasks.import(source(), at { journal = false }).added, 120, "added with a quota")
    equal(control({}).early, count.early, "requests within a wait")
    -- A limit of one row holds that row alone: the wait is in the body.
    control { fail_command = { item_add = 1 } }
    rows = { { text = "held" }, { text = "not held" } }
    equal(tasks.import(source(), at { journal = false }).added, 2, "added after a wait of one row")
    -- A full project fails its rows; those of another project are added.
    control { most = 1 }
    rows = {}
    for i = 1, 14 do rows[i] = { text = "too much " .. i } end
    rows[15] = { text = "elsewhere", list = "Home" }
    for _, one in ipairs(tasks.list(at { list = "Home" })) do tasks.remove(one, at()) end
    report = tasks.import(source(), at { journal = false })
    equal(report.added, 1, "added with a full project")
    equal(report.failed, 14, "failed with a full project")
    assert(report.failures[1].reason:find("Maximum number of items", 1, true), report.failures[1].reason)
  end
  -- Credentials follow no redirect.
  control { fail = { status = 307, headers = { Location = "https://example.com/elsewhere" }, times = 1 } }
  e = failure(tasks.list, at())
  assert(e.message:find("it points to https://example.com, and credentials stay with http://127.0.0.1", 1, true), e.message)
end
print "all hold"
