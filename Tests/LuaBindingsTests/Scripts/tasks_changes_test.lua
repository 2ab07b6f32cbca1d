-- tasks.plan_changes, and tasks.remove and tasks.complete with lists: plans of a script's changes, and the way back.

local b2c = require "b2c"
local imports, json, tasks, tenant = b2c.imports, b2c.json, b2c.tasks, b2c.tenant
local support = require "support"
local equal, message, take = support.equal, support.message, support.take_tasks

tenant.sign_in()

local out <close> = support.file("", ".plan.json")
local receipt <close> = support.file("", ".csv")

local function plan(changes, options)
  local all = { plan = out.path, source = "a test" }
  for name, value in pairs(options or {}) do all[name] = value end
  local made = tasks.plan_changes(changes, all)
  local f <close> = assert(io.open(out.path))
  local document = json.decode(f:read "a")
  equal(document.digest, made.digest)
  local words = {}
  for i, row in ipairs(document.rows) do words[i] = row.action end
  return table.concat(words, " "), made, document
end

local function texts()
  local found = {}
  for i, task in ipairs(tasks.list()) do found[i] = task.text .. (task.completed and "*" or "") end
  table.sort(found)
  return table.concat(found, "|")
end

-- Each kind of change, and what cannot be done.
local rent = tasks.add { text = "Rent", due = "2027-01-31", notes = "n" }
local milk, old, part = tasks.add "Milk", tasks.add "Old", tasks.add "Part"
local actions, made, document = plan({
  { task = rent, set = { due = "2027-02-01", notes = false }, name = "the rent" },
  { add = { text = "Whole" }, source = { "x", "y" } },
  { add = { text = "Piece" }, parent_row = 2 },
  { task = milk, set = { completed = false, text = "Milk" } },
  { task = old.id, remove = true },
  { task = 99, remove = true },
  { task = milk, remove = true },
  { task = milk, conflict = "both sides have changed it" },
  { task = part, set = {}, parent_row = 2 },
}, { columns = { "one", "two" } })
equal(actions, "change create create same remove conflict conflict conflict change")
equal(document.kind, "tasks")
equal(document.source, "a test")
equal(document.rows[1].text, "the rent")
equal(document.rows[1].changes.notes.old, "n")
equal(document.rows[1].changes.notes.new, json.null)
assert(document.rows[1].etag)
equal(document.rows[3].parent_row, 2)
equal(document.rows[5].text, "Old")
equal(document.rows[6].reason, "there is no task with the ID 99")
equal(document.rows[7].reason, "row 4 changes this task, too")
equal(document.rows[8].reason, "both sides have changed it")
equal(made.counts.conflict, 3)
equal(texts(), "Milk|Old|Part|Rent")

-- It is carried out once, also if it is applied twice; the receipt has the columns.
local result = tasks.apply(out.path, { receipt = receipt.path })
equal(result.counts.created, 2)
equal(result.counts.changed, 2)
equal(result.counts.removed, 1)
equal(result.complete, false)
equal(tasks.apply(out.path).was_done, true)
equal(texts(), "Milk|Part|Piece|Rent|Whole")
local whole
for _, task in ipairs(tasks.list()) do if task.text == "Whole" then whole = tostring(task.id) end end
for _, task in ipairs(tasks.list()) do
  if task.text == "Piece" or task.text == "Part" then equal(tostring(task.parent), whole) end
  if task.text == "Rent" then equal(task.due .. tostring(task.notes), "2027-02-01nil") end
end
local lines = {}
for row in b2c.csv.rows(receipt.path, { separator = "," }) do lines[#lines + 1] = row.one .. row.two .. row._outcome end
equal(table.concat(lines, " "), "changed xycreated created same removed conflict conflict conflict changed")

-- Taken back: a change is reversed, and counted so, also before a removal of the same plan.
local undone = imports.undo(result.id, { apply = true })
equal(undone.counts.reversed, 5)
equal(undone.counts.kept, 0)
equal(texts(), "Milk|Old|Part|Rent")

-- A task that somebody changes meanwhile stays as it is.
local all = tasks.list()
plan { { task = all[1], set = { text = "Mine" } }, { task = all[2], remove = true } }
tasks.update(all[1].id, { notes = "theirs" })
tasks.update(all[2].id, { notes = "theirs" })
result = tasks.apply(out.path)
equal(result.counts.conflict, 2)
equal(texts(), "Milk|Old|Part|Rent")

-- Lists of tasks and IDs, empty ones too.
result = tasks.complete(tasks.list())
equal(result.counts.changed, 4)
equal(texts(), "Milk*|Old*|Part*|Rent*")
equal(tasks.complete(tasks.list()).counts.same, 4)
equal(imports.undo(result.id, { apply = true }).counts.reversed, 4)
equal(texts(), "Milk|Old|Part|Rent")
local stale = tasks.list()
tasks.update(stale[1].id, { notes = "later" })
result = tasks.remove { stale[1], stale[2], stale[3].id }
equal(result.counts.removed, 2)
equal(result.counts.conflict, 1)
equal(imports.undo(result.id, { apply = true }).counts.reversed, 2)
equal(texts(), "Milk|Old|Part|Rent")
local five = {}
for i, task in ipairs(tasks.list()) do five[i] = task.id end
five[5] = 12345
result = tasks.remove(five)
equal(result.counts.removed, 4)
equal(result.counts.conflict, 1)
equal(texts(), "")
equal(tasks.remove(tasks.list()).complete, true)
equal(tasks.remove(tasks.add("One").id), nil)
equal(texts(), "")

-- Wrong changes
local at = "tasks.plan_changes: argument 1: changes: entry 1: "
local function wrong(entry) return message(plan, { entry }) end
equal(wrong "x", at .. "expected a table with add, or with task and set or remove, got string")
equal(wrong { ad = 1 }, at .. "unknown member 'ad'")
equal(wrong { task = rent }, at .. "expected one of add, set, remove and conflict, got none")
equal(wrong { task = rent, remove = true, set = {} }, at .. "expected one of add, set, remove and conflict, got set and remove")
equal(wrong { task = {}, remove = true }, at .. "task: expected an id, or a task that the API gave, got table")
equal(wrong { task = rent, set = { due = "soon" } }, at .. "set: due: 'soon' is not a date")
equal(wrong { add = {} }, at .. "add: expected a text, or a table with a text, got a table whose text is nil")
equal(wrong { add = "x", parent_row = 2 }, at .. "parent_row: expected the place of an entry with add in the list")
equal(message(tasks.remove, { {} }), "tasks.remove: argument 1: entry 1: expected an id, or a task that the API gave, got table")
take()
