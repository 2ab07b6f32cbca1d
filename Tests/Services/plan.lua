-- A plan that was applied finds nothing to do the next time: plan.lua SERVICE FOLDER, run by with_server.py.

local b2c = require "b2c"
local json, tasks = b2c.json, b2c.tasks
local kind, folder = b2c.args[1], b2c.args[2]
local is_caldav = kind == "radicale" or kind == "xandikos"
local service = { name = is_caldav and "caldav" or kind, url = os.getenv "SERVICE_URL", username = is_caldav and "alice" or nil,
  list = kind == "github" and "alice/tasks" or nil }
local list = tasks.lists { service = service }[1].name
local source, file = folder .. "/list.csv", folder .. "/p.json"

local function write(rows)
  local f <close> = assert(io.open(source, "w"))
  f:write "Nr,Parent,Title,Notes,Due,Start,Priority,Labels,Done,Link,List\n"
  for _, row in ipairs(rows) do f:write(row, "\n") end
end

--- Plans an import of the source. Returns the actions with the fields that change, and the notes.
local function plan(options)
  local all = { plan = file, key = "Nr", service = service,
    map = "source_id=Nr,parent=Parent,text=Title,notes=Notes,due=Due,start=Start,priority=Priority,labels=Labels,completed=Done,url=Link,list=List" }
  for name, value in pairs(options or {}) do all[name] = value end
  local made = tasks.plan(source, all)
  local f <close> = assert(io.open(file))
  local words = {}
  for _, row in ipairs(json.decode(f:read "a").rows) do
    local fields = {}
    if row.action == "change" then for name in pairs(row.changes) do fields[#fields + 1] = name end end
    table.sort(fields)
    words[#words + 1] = row.action .. (#fields > 0 and "(" .. table.concat(fields, ",") .. ")" or "")
    if row.action == "refused" or row.action == "conflict" then print(row.reason) end
    if row.action == "change" then print(json.encode(row.changes)) end
  end
  return table.concat(words, " "), made
end

local function expect(actions, options)
  local got, made = plan(options)
  if got ~= actions then error(("got %s\nexpected %s\n%s"):format(got, actions, table.concat(made.notes, "\n")), 2) end
  return made
end

local function apply()
  local result = tasks.apply(file)
  if not result.complete then error(tostring(result), 2) end
  return result
end

local rows = {
  '1,,Milk,"two' .. "\n" .. 'lines; ""quoted""",2027-01-31,,1,"home, a b",no,https://example.org/?a=b,' .. list,
  "2,1,Bread,,2027-02-01T08:00:00Z,2027-01-02,5,,yes,,",
  "3,2,Salt,,,,9,x,,,",
  " 4 ,, Oil ,,2027-03-01T09:30,,3,,no,,",
}
write(rows)
expect "create create create create"
apply()
expect "same same same same"

-- One cell is changed, one is emptied, a row goes and one comes.
rows[1] = rows[1]:gsub("2027%-01%-31", "2027-02-28")
rows[3] = "3,2,Salt,,,,9,,,,"
rows[4] = "5,,Tea,,,,,,,,"
write(rows)
local removes = tasks.fields({ service = service }).removes
local kept = {}
for _, field in ipairs(tasks.fields({ service = service }).fields) do kept[field] = true end
local due, labels = kept.due and "change(due)" or "same", kept.labels and "change(labels)" or "same"
local made = expect(("%s same %s create %s"):format(due, labels, removes and "remove" or "refused"), { delete_missing = true })
if removes then
  local result = apply()
  assert(result.counts.removed == 1 and result.counts.created == 1, tostring(result))
  expect("same same same same", { delete_missing = true })
else
  tasks.apply(file)
  expect "same same same same"
end
print(table.concat(made.notes, "\n"))
print "all hold"
