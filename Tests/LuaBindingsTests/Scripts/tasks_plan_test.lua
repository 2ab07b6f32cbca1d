-- tasks.plan: what becomes of each row, by the tasks of the account.

local b2c = require "b2c"
local json, tasks, tenant = b2c.json, b2c.tasks, b2c.tenant
local support = require "support"
local equal, failure, message, take = support.equal, support.failure, support.message, support.take_tasks

tenant.sign_in()

local out <close> = support.file("", ".plan.json")

--- Plans an import of that content. Returns the rows as the file has them, and the plan.
local function plan(content, options, extension)
  local file <close> = support.file(content, extension or ".csv")
  local all = { plan = out.path }
  for name, value in pairs(options or {}) do all[name] = value end
  local made = tasks.plan(file.path, all)
  local f <close> = assert(io.open(out.path))
  local document = json.decode(f:read "a")
  equal(document.digest, made.digest)
  equal(document.id, made.id)
  return document.rows, made, document
end

--- The actions of rows, with the fields that change.
local function actions(rows)
  local words = {}
  for _, row in ipairs(rows) do
    local fields = {}
    if row.action == "change" then
      for name, change in pairs(row.changes) do
        fields[#fields + 1] = name .. ":" .. tostring(change.old) .. ">" .. tostring(change.new)
      end
      table.sort(fields)
    end
    words[#words + 1] = row.action .. (#fields > 0 and "(" .. table.concat(fields, ",") .. ")" or "")
  end
  return table.concat(words, " ")
end

--- Does what the rows say.
local function apply(rows)
  local made = {}
  for _, row in ipairs(rows) do
    local fields = {}
    for name, change in pairs(row.changes or {}) do
      fields[name] = change.new == json.null and row.action == "change" and false or change.new
    end
    if row.action == "create" then
      fields.parent = fields.parent or made[row.parent_row]
      made[row.row] = tasks.add(fields).id
    elseif row.action == "change" then
      tasks.update(row.task, fields)
    elseif row.action == "remove" then
      tasks.remove(row.task)
    end
  end
end

local function without_keys(rows) for _, row in ipairs(rows) do equal(row.key, nil) end end

-- Without a key, each row is a new task. Nothing is sent.
local rows, made, document = plan "Title,Due,Owner\nMilk,2027-01-31,Ann\nBread,,Bob\n"
equal(actions(rows), "create create")
without_keys(rows)
equal(made.counts.create, 2)
equal(made.counts.same, 0)
equal(document.kind, "import")
equal(table.concat(document.columns, "|"), "Title|Due|Owner")
equal(table.concat(rows[1].source, "|"), "Milk|2027-01-31|Ann")
equal(rows[1].line, 2)
equal(rows[1].changes.due.new, "2027-01-31")
equal(rows[1].changes.due.old, json.null)
equal(rows[2].changes.due, nil)
equal(take(), "")
assert(tostring(made):find "^2 to create\n", tostring(made))

-- With a key: create, then same, then change. The key is kept in the field key.
local list = "Nr,Title,Due,Done\n1,Milk,2027-01-31,no\n2,Bread,,yes\n 3 ,Salt,2027-02-01T08:00:00Z,\n"
rows, made, document = plan(list, { key = "Nr" })
equal(actions(rows), "create create create")
equal(document.key.column, "Nr")
equal(document.key.field, "key")
equal(rows[3].key, "3")
equal(rows[3].changes.key.new, "3")
apply(rows)
rows = plan(list, { key = "nr" })
equal(actions(rows), "same same same")
assert(rows[1].task and rows[1].etag)
-- Columns may move, and further ones may come: only fields that differ change. An empty cell is none.
rows = plan("Done,Owner,Title,Nr,Due\nyes,Ann,Milk,1,\n,Bob,Bread 2,2,2027-03-01\nno,,Salt,3,2027-02-01T08:00:00Z\n", { key = "Nr" })
equal(actions(rows), "change(completed:false>true,due:2027-01-31>null) change(completed:true>false,due:null>2027-03-01,text:Bread>Bread 2) same")
apply(rows)
equal(actions(plan("Title,Nr\nMilk,1\nBread 2,2\nSalt,3\n", { key = "Nr" })), "same same same")
-- A column that is left out of the mapping is not compared.
equal(actions(plan("Nr,What,Due\n1,Milk,2029-01-01\n", { key = "Nr", map = "text=What" })), "same")

-- Conflicts: two rows, two tasks.
rows = plan("Nr,Title\n1,Milk\n1,Butter\n2,Bread 2\n", { key = "Nr" })
equal(actions(rows), "conflict conflict same")
equal(rows[1].reason, 'line 3 has the key "1", too')
equal(rows[2].reason, 'line 2 has the key "1", too')
tasks.add { text = "Other milk", key = "1" }
rows, made = plan("Nr,Title\n1,Milk\n", { key = "Nr" })
equal(actions(rows), "conflict")
assert(rows[1].reason:find '^2 tasks have the key "1": "Milk" %(ID .*%) and "Other milk" %(ID', rows[1].reason)
equal(made.counts.conflict, 1)
take()

-- Rows without a usable key are refused, and others go on.
local long = ("x"):rep(256)
rows = plan("Nr,Title\n,Milk\n  ,Bread\n" .. long .. ",Salt\n1.2E+15,Oil\n7,Tea\n", { key = "Nr" })
equal(actions(rows), "refused refused refused refused create")
equal(rows[1].reason, "the key column 'Nr' is empty")
equal(rows[2].reason, "the key column 'Nr' is empty")
equal(rows[3].reason, "the key 'Nr' has 256 characters; a key has at most 255")
assert(rows[4].reason:find "a spreadsheet has left out digits")
rows = plan('[{"id":"a\\u0000b","text":"A"},{"id":{"x":1},"text":"B"},{"text":"C"},{"id":12,"text":"D"},{"id":"a\\nb","text":"E"}]',
  { key = "id" }, ".json")
equal(actions(rows), "refused refused refused create refused")
equal(rows[1].reason, "the key 'id' has a control character or a line break")
equal(rows[2].reason, "the key 'id' is an object, expected a text or a number")
equal(rows[4].key, "12")
-- Two forms of one character are one key; letter cases are two keys.
rows = plan("Nr,Title\n\u{E9},Milk\ne\u{301},Bread\nA,Salt\na,Oil\n", { key = "Nr" })
equal(actions(rows), "conflict conflict create create")

-- The key in a mapped field, or in another one.
rows, made, document = plan("Title,Notes\nMilk,x\nBread,y\n", { key = "Title" })
equal(document.key.field, "text")
apply(rows)
equal(actions(plan("Title,Notes\nMilk,x\nBread,z\nSalt,\n", { key = "Title" })), "same change(notes:y>z) create")
take()
rows, made, document = plan("Nr,Title\n1,Milk\n", { key = "Nr", key_field = "url" })
equal(document.key.field, "url")
apply(rows)
equal(tasks.list()[1].url, "1")
equal(actions(plan("Nr,Title\n1,Milk\n", { key = "Nr", key_field = "url" })), "same")
take()

-- Labels in any order, lists by name, objects: only members that are there count.
rows = plan('[{"id":"a","text":"A","labels":["x","y"],"due":"2027-01-31","list":"Home"},{"id":"b","text":"B"}]', { key = "id" }, ".json")
apply(rows)
rows, made, document = plan('[{"id":"a","text":"A","labels":["y","x"]},{"id":"b","text":"B","priority":1}]', { key = "id" }, ".json")
equal(actions(rows), "same change(priority:null>1)")
equal(table.concat(document.columns, "|"), "id|labels|text|priority")
equal(rows[2].source[4], "1")
take()

-- Parents by the IDs of the source: earlier, later, missing, in a circle.
local tree = "ID,Parent,Title\n1,,Root\n2,1,Leaf\n3,4,Early\n4,1,Late\n5,9,Orphan\n6,7,Hen\n7,6,Egg\n"
rows = plan(tree, { key = "ID", map = "source_id=ID,parent=Parent,text=Title" })
equal(actions(rows), "create create create create create create create")
equal(rows[2].parent_row, 1)
equal(rows[3].parent_row, 4)
assert(rows[5].reason:find "^no row of the source has the ID '9'", rows[5].reason)
assert(rows[6].reason:find "circle %(rows 6, 7%)", rows[6].reason)
equal(rows[6].parent_row, nil)
equal(rows[7].parent_row, 6)
-- The plan's order is that of the source: the test adds parents first.
table.sort(rows, function(a, b) return (a.row == 4 and 2.5 or a.row) < (b.row == 4 and 2.5 or b.row) end)
apply(rows)
equal(actions(plan(tree, { key = "ID", map = "source_id=ID,parent=Parent,text=Title" })), "same same same same same same same")
rows = plan("ID,Parent,Title\n1,,Root\n2,8,Leaf\n8,,New\n", { key = "ID", map = "source_id=ID,parent=Parent,text=Title" })
equal(rows[2].action, "change")
equal(rows[2].parent_row, 3)
take()

-- Removals: of keys that the source does not have; more than half need a yes.
apply((plan("Nr,Title\n1,A\n2,B\n3,C\n", { key = "Nr" })))
tasks.add "Without a key"
rows = plan("Nr,Title\n1,A\n3,C2\n", { key = "Nr", delete_missing = true })
equal(actions(rows), "same change(text:C>C2) remove")
equal(rows[3].row, 3)
equal(rows[3].text, "B")
equal(rows[3].changes.text.old, "B")
equal(rows[3].changes.text.new, json.null)
os.remove(out.path)
equal(message(plan, "Nr,Title\n9,Z\n", { key = "Nr", delete_missing = true }),
  "tasks.plan: option 'delete_missing': 3 of 3 tasks with keys would be removed, which is more than half")
equal(io.open(out.path), nil)
equal(actions(plan("Nr,Title\n9,Z\n", { key = "Nr", delete_missing = true, many = true })), "create remove remove remove")
rows, made = plan("Nr,Title\n1,A\n,C\n", { key = "Nr", delete_missing = true })
equal(actions(rows), "same refused")
assert(made.notes[#made.notes]:find "^nothing is removed, because 1 row of the source is refused", made.notes[#made.notes])
apply((plan("Nr,Title\n1,A\n3,C\n", { key = "Nr", delete_missing = true })))
equal(take(), "A|C|Without a key")

-- dedupe, map and functions
tasks.add "Milk"
equal(actions(plan("Title\nMilk\nBread\nBread\n", { dedupe = "text" })), "same create same")
rows = plan("Title\nMilk\n\nsalt\n", { map = function(row) return row.Title ~= "Milk" and row.Title or nil end })
equal(actions(rows), "skipped create")
local words = { { text = "x", nr = 1 }, { text = "y", nr = 2 } }
local position = 0
local from = tasks.plan(function()
  position = position + 1
  return words[position]
end, { plan = out.path, key = "nr" })
equal(from.counts.create, 2)

-- Options
equal(message(plan, "Nr,Title\n1,A\n", { key = "Nrr" }), 'tasks.plan: option \'key\': there is no column "Nrr": the columns are "Nr", "Title"')
equal(failure(plan, "Nr,Title\n1,A\n", { key = "Nrr" }).hint, "did you mean 'Nr'?")
equal(message(plan, "Nr,Title\n1,A\n", { delete_missing = true }), "tasks.plan: option 'delete_missing': it has no effect without key")
equal(message(plan, "Nr,Title\n1,A\n", { key = "Nr", dedupe = "text" }), "tasks.plan: option 'dedupe': it has no effect with key")
equal(message(plan, "Nr,Title,Note\n1,A,x\n", { key = "Nr", key_field = "notes" }),
  'tasks.plan: option \'key_field\': the column "Note" gives notes already')
equal(message(plan, "Nr,Title\n1,A\n", { key = "Nr", key_field = "due" }), "tasks.plan: option 'key_field': 'due' keeps no text")
equal(message(plan, "Nr,Title\n1,A\n", { journal = false }), "tasks.plan: unknown option 'journal'")
local file <close> = support.file("Title\nMilk\n", ".csv")
equal(tasks.plan(file.path).path, nil)
assert(message(tasks.plan, file.path, { plan = "/nowhere/p.json" }):find "^tasks%.plan: option 'plan': /nowhere/p%.json cannot be written", "nowhere")
assert(message(tasks.plan, file.path, { plan = file.path }):find "is the file that is imported, which would be lost")
tenant.fault { path = "/api/tasks", status = 500, times = 1 }
equal(pcall(tasks.plan, file.path, { plan = out.path }), false)
take()
