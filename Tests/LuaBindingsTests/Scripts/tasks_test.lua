-- Tasks, one at a time.

local b2c = require "b2c"
local accounts, settings, tasks, tenant = b2c.accounts, b2c.settings, b2c.tasks, b2c.tenant
local support = require "support"
local equal, failure, message = support.equal, support.failure, support.message

-- Nobody is signed in.
for _, call in ipairs {
  { "list" }, { "each" }, { "add", "x" }, { "remove", 1 }, { "import", function() end },
} do
  local e = failure(tasks[call[1]], call[2])
  equal(e.code, "no_account")
  equal(e.message, ("tasks.%s: nobody is signed in"):format(call[1]))
  equal(e.hint, "with --local, a script signs in one of the tenant's users: tenant.sign_in()")
end

local bob = support.sign_in { username = "bob", password = "Skyscraper-2" }
local alice = support.sign_in()

-- add: a text, or a table
equal(#tasks.list(), 0)
local milk = tasks.add("Buy milk & 日本 — \"ok\"")
equal(milk.text, "Buy milk & 日本 — \"ok\"")
equal(math.type(milk.id), "integer")
equal(milk.owner, alice.claims.oid)
equal(milk.completed, false)
assert(milk.date:find("^%d%d%d%d%-%d%d%-%d%dT"))
equal(milk.raw.Text, milk.text)
local done = tasks.add { text = "Done already", Completed = true }
equal(done.completed, true)

-- list and each
local list = tasks.list()
equal(#list, 2)
equal(list[1].id, milk.id)
local texts = {}
for task in tasks.each() do table.insert(texts, task.text) end
equal(table.concat(texts, "|"), milk.text .. "|Done already")

-- remove: by its number, as text, or the task itself
tasks.remove(milk)
tasks.remove(tostring(done.id))
tasks.remove(tasks.add("a").id)
equal(#tenant.tasks("alice"), 0)
local e = failure(tasks.remove, 12345)
equal(e.code, "not_found")
equal(e.status, 404)
assert(e.message:find("there is no task 12345", 1, true), e.message)

-- Tasks of another account
tasks.add("bob's", { account = bob })
equal(#tasks.list(), 0)
equal(tasks.list({ account = bob })[1].owner, bob.claims.oid)
accounts.use(bob)
equal(#tasks.list(), 1)
accounts.use(alice)

-- Requests that the server refuses, with its reason
e = failure(tasks.add, "  ")
equal(e.code, "bad_request")
equal(e.status, 400)
assert(e.message:find("the field Text is missing or empty", 1, true), e.message)
e = failure(tasks.add, ("x"):rep(4001))
assert(e.message:find("more than 4000", 1, true), e.message)
tenant.fault { path = "/api/tasks", status = 429, headers = { ["Retry-After"] = "7" } }
e = failure(tasks.list)
equal(e.code, "too_many_requests")
equal(e.details.retry_after, "7")
equal(e.hint, "try again in 7 s")
assert(e.retryable)
tenant.fault { path = "/api/tasks", status = 200, body = "<html>Sign in</html>" }
equal(failure(tasks.list).code, "unexpected_body")
tenant.fault { path = "/api/tasks", drop = true }
assert(failure(tasks.add, "lost").retryable)

-- A read-only scope is not enough to write.
local reader = support.sign_in {
  account_type = "reader", scopes = { "openid", "https://contoso.onmicrosoft.com/tasks/read" },
}
equal(#tasks.list { account = reader }, #tenant.tasks("alice"))
equal(failure(tasks.add, "x", { account = reader }).code, "forbidden")

-- The progress of a request
local function last_progress(call)
  local last
  call(function(progress) last = progress end)
  return last
end
local sent = last_progress(function(f) tasks.add({ text = "Tea" }, { account = alice, on_progress = f }) end)
equal(sent.sent, #"Text=Tea")
equal(sent.to_send, #"Text=Tea")
local come = last_progress(function(f) tasks.list { account = alice, on_progress = f } end)
assert(come.received > 100 and come.received == come.to_receive)
local each = last_progress(function(f) for _ in tasks.each { account = alice, on_progress = f } do end end)
equal(each.received, come.received)
assert(message(tasks.list, { account = alice, on_progress = function() error("enough", 0) end }) == "enough")

-- Wrong use
equal(message(tasks.add), "tasks.add: argument 1: expected a string or table, got nothing")
equal(message(tasks.add, nil), "tasks.add: argument 1: expected a string or table, got nil")
equal(message(tasks.add, true), "tasks.add: argument 1: expected a string or table, got boolean")
equal(message(tasks.add, { Text = "x" }),
  "tasks.add: argument 1: expected a text, or a table with a text, got a table whose text is nil")
equal(failure(tasks.add, { Text = "x" }).hint, 'for example { text = "Buy milk" }')
equal(message(tasks.add, "x", { acount = alice }), "tasks.add: unknown option 'acount'")
equal(failure(tasks.add, "x", { acount = alice }).hint, "did you mean 'account'?")
equal(message(tasks.list, { account = "alice" }), "tasks.list: option 'account': expected an account, got string")
equal(message(tasks.remove, {}),
  "tasks.remove: argument 1: expected an id, or a task that the API gave, got a table without id")
equal(message(tasks.remove), "tasks.remove: argument 1: expected a string, integer, table or list of strings, integers or tables, got nothing")
assert(tostring(select(2, pcall(tasks.add))):find("^tasks_test.lua:%d+: tasks.add: argument 1: "))
