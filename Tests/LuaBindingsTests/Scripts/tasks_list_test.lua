-- Lists as servers write them, into tables.

local b2c = require "b2c"
local json, tasks, tenant = b2c.json, b2c.tasks, b2c.tenant
local support = require "support"
local equal, failure = support.equal, support.failure

support.sign_in()

local function answer(body)
  tenant.fault {
    method = "GET", path = "/api/tasks", status = 200, body = body, headers = { ["Content-Type"] = "application/json" },
  }
end

-- The list that the server answers with, from list and from each.
local function lists(body)
  answer(body)
  local list = tasks.list()
  answer(body)
  local each = {}
  for task in tasks.each() do table.insert(each, task) end
  equal(json.encode(json.array(each)), json.encode(list))
  return list
end

-- The spellings of both servers, and irregular values that some servers send
local list = lists [==[[
  {"Id": 1, "Owner": "o", "Text": "a\n\u00e9 \ud83d\ude00", "Completed": true, "DateModified": "2016-03-01T10:20:30Z"},
  {"_id": "57a", "owner": "p", "Text": "b", "completed": false, "date": "2016-03-02", "__v": 0, "tags": [], "note": null},
  {"id": 2.5, "text": 7, "completed": "true"},
  {"ID": 3, "Text": null, "text": "c", "owner": {"name": "q"}, "completed": 1},
  {}
]]==]
equal(#list, 5)
equal(list[1].id, 1)
equal(math.type(list[1].id), "integer")
equal(list[1].text, "a\né 😀")
equal(list[1].owner, "o")
equal(list[1].completed, true)
equal(list[1].date, "2016-03-01T10:20:30Z")
equal(list[1].raw.DateModified, "2016-03-01T10:20:30Z")
equal(list[2].id, "57a")
equal(list[2].owner, "p")
equal(list[2].completed, false)
equal(list[2].date, "2016-03-02")
equal(list[2].raw.__v, 0)
equal(list[2].raw.note, json.null)
equal(json.encode(list[2].raw.tags), "[]")
equal(list[3].id, 2.5)
equal(list[3].text, "7")
equal(list[3].completed, true)
equal(list[3].raw.text, 7)
equal(list[4].text, "c")
equal(list[4].owner, '{"name":"q"}')
equal(list[4].completed, true)
equal(list[4].raw.Text, json.null)
equal(list[5].id, nil)
equal(list[5].text, "")
equal(list[5].completed, false)
equal(next(list[5].raw), nil)
equal(json.encode(lists "[]"), "[]")

-- A task of the list can be removed and written as JSON.
tasks.add("Buy milk")
equal(json.decode(json.encode(tasks.list()))[1].raw.Text, "Buy milk")
tasks.remove(tasks.list()[1])
equal(#tasks.list(), 0)

-- Many, through each a few at a time; the script may leave in the middle
local many = {}
for i = 1, 20000 do many[i] = ('{"Id":%d,"Text":"Task %d"}'):format(i, i) end
local body = "[" .. table.concat(many, ",") .. "]"
list = lists(body)
equal(#list, 20000)
equal(list[20000].text, "Task 20000")
answer(body)
for task in tasks.each() do
  if task.id == 3 then break end
end
answer(body)
local iterator = tasks.each()
for _ = 1, 20000 do iterator() end
equal(iterator(), nil)
equal(iterator(), nil)

-- Responses that are not a list of tasks, or only the beginning of a list
for _, body in ipairs { "", '{"value":[]}', "[1,2]", "[[]]", '[{"Id":1},', '[{"Id":1,"Id":2}]', '[{"Id":1}] x', "<html>" } do
  for _, call in ipairs { tasks.list, function() for _ in tasks.each() do end end } do
    answer(body)
    local e = failure(call)
    equal(e.code, "unexpected_body")
    assert(e.message:find("expected a list of tasks in JSON", 1, true), e.message)
  end
end
