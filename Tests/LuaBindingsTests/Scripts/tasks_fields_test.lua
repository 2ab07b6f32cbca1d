-- The fields of tasks, changes of tasks, and the filters of tasks.list.

local b2c = require "b2c"
local tasks, tenant = b2c.tasks, b2c.tenant
local support = require "support"
local equal, failure, message, import = support.equal, support.failure, support.message, support.import

tenant.sign_in()

local rent = tasks.add {
  text = "Pay the rent", notes = "by transfer", due = "2027-01-31", start = "2027-01-01T09:00[Europe/Berlin]",
  priority = 1, labels = { "home", "money" }, list = "bills", recurrence = "RRULE:FREQ=MONTHLY", url = "https://example.org/",
  key = " 4711 ",
}
equal(rent.due, "2027-01-31")
equal(rent.start, "2027-01-01T09:00:00[Europe/Berlin]")
equal(table.concat(rent.labels, "|"), "home|money")
equal(rent.recurrence, "FREQ=MONTHLY")
equal(rent.key, "4711")
local same = tasks.get(rent.id)
for _, name in ipairs { "text", "notes", "due", "start", "priority", "list", "recurrence", "url", "key", "etag" } do
  equal(same[name], rent[name])
end
equal(tasks.get(4711), nil)

-- Changes
local changed = tasks.update(rent, { due = "2027-02-01", notes = false })
equal(changed.due, "2027-02-01")
equal(changed.notes, nil)
equal(changed.priority, 1)
equal(changed.key, "4711")
local e = failure(tasks.update, rent, { text = "Pay" })
equal(e.code, "conflict")
equal(tasks.get(rent.id).text, "Pay the rent")
equal(tasks.update(rent.id, { text = "Pay" }).text, "Pay")
local done = tasks.complete(rent.id)
equal(done.completed, true)
assert(done.completed_at:find "^%d%d%d%d%-%d%d%-%d%dT.*Z$", done.completed_at)
local open = tasks.reopen(done)
equal(open.completed, false)
equal(open.completed_at, nil)
e = failure(tasks.complete, 4711)
equal(e.status, 404)
equal(message(tasks.update, rent, {}),
  'tasks.update: argument 2: expected the fields to change, such as { due = "2027-01-31" }')
equal(message(tasks.update, rent, { due = "tomorrow" }), "tasks.update: due: 'tomorrow' is not a date")
equal(message(tasks.add, { text = "a", priority = 12 }),
  "tasks.add: argument 1: priority: expected a number from 1, the highest, to 9, got 12")
equal(message(tasks.add, { text = "a", key = "a\nb" }),
  'tasks.add: argument 1: key: expected one line of at most 255 characters, got "a\\nb"')
equal(tasks.update(rent.id, { key = 4712 }).key, "4712")
equal(tasks.update(rent.id, { key = false }).key, nil)
e = failure(tasks.add, { text = "a", due = "2027-03-28T02:30[Europe/Berlin]" })
equal(e.code, "bad_time")
equal(e.hint, "they jump to 2027-03-28 03:00 there")

-- Filters
tasks.add { text = "Buy milk", due = "2027-01-15", labels = { "shop" } }
tasks.add { text = "Buy bread", completed = true }
local function found(options)
  local texts = {}
  for _, task in ipairs(tasks.list(options)) do texts[#texts + 1] = task.text end
  table.sort(texts)
  return table.concat(texts, "|")
end
equal(found { completed = true }, "Buy bread")
equal(found { completed = false }, "Buy milk|Pay")
equal(found { due_before = "2027-01-31" }, "Buy milk")
equal(found { due_after = "2027-01-31" }, "Pay")
equal(found { label = "shop" }, "Buy milk")
equal(found { list = "bills" }, "Pay")
equal(found { text = "BUY" }, "Buy bread|Buy milk")
equal(message(tasks.list, { due_before = "soon" }), "tasks.list: option 'due_before': 'soon' is not a date")

-- A key adds one task.
equal(tasks.add("Once", { key = "k-1" }).id, tasks.add("Once", { key = "k-1" }).id)

-- Imports bring the fields; a wrong one fails its row alone.
local report = import("Title,Due,Tags\nOne,2027-03-01,a;b\nTwo,soon,\n")
equal(report.added, 1)
equal(report.failed, 1)
equal(report.failures[1].code, "bad_time")
assert(report.failures[1].reason:find("\"Due\": due: 'soon' is not a date", 1, true), report.failures[1].reason)
for _, task in ipairs(tasks.list { text = "One" }) do
  equal(task.due, "2027-03-01")
  equal(table.concat(task.labels, "|"), "a|b")
end
