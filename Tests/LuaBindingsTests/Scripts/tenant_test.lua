-- The local tenant, as tests steer it.

local b2c = require "b2c"
local accounts, http, tasks, tenant = b2c.accounts, b2c.http, b2c.tasks, b2c.tenant
local support = require "support"
local equal, failure, message = support.equal, support.failure, support.message

assert(tenant.url:find("^http://127%.0%.0%.1:%d+$"))
equal(#tenant.requests(), 0)

-- Users
tenant.users.add { username = "carol", password = "Wonderland-1", display_name = "Carol C." }
tenant.users.add { username = "dave", password = b2c.settings.with({ clientSecret = "Wonderland-1" }).clientSecret }
equal(support.sign_in({ username = "carol" }).name, "Carol C.")
equal(support.sign_in({ username = "dave" }).name, "dave")
equal(failure(tenant.users.add, { username = "carol", password = "x" }).code, "user_exists")
equal(failure(tenant.users.add, { username = "", password = "Wonderland-1" }).code, "invalid_user")
tenant.users.remove("dave")
equal(failure(support.sign_in, { username = "dave" }).code, "AADB2C90225")
equal(failure(tenant.users.remove, "dave").message, "the local tenant has no user dave")

-- Tasks, and the requests that the tenant received
accounts.use(accounts.find { name = "Carol C." })
tasks.add("one")
local task = tenant.tasks("carol")[1]
equal(task.text, "one")
equal(task.completed, false)
equal(task.owner, accounts.current().claims.oid)
assert(math.type(task.id) == "integer" and task.date)
equal(failure(tenant.tasks, "nobody").code, "unknown_user")
local seen = tenant.requests()
equal(seen[#seen].method, "POST")
equal(seen[#seen].path, "/api/tasks")
equal(seen[#seen].status, 201)

-- Faults
local page = tenant.url .. "/page"
local function status() return http.get(page, { raise = false }).status end
tenant.fault { path = "/page", status = 500, times = 2 }
tenant.fault { method = "GET", path = "*age", status = 429, body = "slow down", headers = { ["Retry-After"] = "1" } }
equal(status(), 500)
equal(status(), 500)
local answer = http.get(page, { raise = false })
equal(answer.status, 429)
equal(answer.body, "slow down")
equal(answer.headers["retry-after"], "1")
equal(status(), 404)
tenant.fault { method = "POST", path = "/page", status = 500 }
equal(status(), 404)
equal(failure(http.post, page).status, 500)

-- Lost after it was done, in the middle, and late
tenant.fault { method = "POST", path = "/api/tasks", drop = true }
failure(tasks.add, "two")
equal(#tenant.tasks("carol"), 2)
tenant.fault { method = "POST", path = "/api/tasks", drop = "before", status = 503 }
failure(tasks.add, "three")
equal(#tenant.tasks("carol"), 2)
tenant.fault { path = "/api/tasks", drop = "middle" }
assert(failure(http.post, tenant.url .. "/api/tasks", { form = { Text = "x" } }).retryable)
tenant.fault { path = "/api/tasks", delay = 0.01 }
assert(tasks.list())
local had = #tenant.tasks("carol")
tenant.fault { method = "POST", path = "/api/tasks", drop = "request", reset = true, times = 1 }
failure(tasks.add, "lost")
equal(#tenant.tasks("carol"), had)

-- A share of the requests
local totals = tenant.totals()
tenant.fault { path = "/page", status = 500, every = 2, times = 2 }
equal(table.concat({ status(), status(), status(), status(), status(), status() }, " "), "404 500 404 500 404 404")
equal(tenant.totals().requests, totals.requests + 6)
equal(tenant.totals().faults, totals.faults + 2)
equal(tenant.totals().tasks, #tenant.tasks("carol"))
tenant.fault { path = "/page", status = 500, probability = 1.0, seed = -1, times = 1 }
equal(status(), 500)
equal(status(), 404)
tenant.fault { path = "/page", status = 500, probability = 1.0 }
equal(status(), 500)
tenant.clear_faults()
equal(status(), 404)

-- Another server of that time
tenant.configure { tasks_dialect = "node", task_rate = 1000 }
local added = tasks.add("from Node")
equal(added.raw.completed, false)
equal(#added.id, 24)
tenant.configure { tasks_dialect = "dotnet", idempotency_keys = false, task_rate = 0 }
equal(math.type(tasks.add("from .NET").id), "integer")
tenant.configure { idempotency_keys = true }

-- Time and keys
local claims = accounts.current().claims
tenant.advance(3700)
equal(failure(http.get, tenant.url .. "/api/tasks", { headers = { Authorization = "Bearer x" } }).status, 401)
local before = support.count("POST", "/token")
tasks.list()
equal(support.count("POST", "/token"), before + 1)
local kid = b2c.oauth.decode(accounts.current():token()).kid
tenant.rotate_keys()
assert(b2c.oauth.decode(accounts.current():refresh()).kid ~= kid)

-- Wrong use
equal(message(tenant.advance, -1), "the tenant's clock does not go back: -1 seconds")
equal(message(tenant.advance, 1.5), "tenant.advance: argument 1: expected an integer, got 1.5")
equal(message(tenant.fault, { status = 42 }), "a fault's status must be from 200 to 599, not 42")
equal(failure(tenant.fault, { stauts = 500 }).hint, "did you mean 'status'?")
equal(message(tenant.fault, { drop = "after" }),
  'tenant.fault: option \'drop\': expected a boolean or one of "request", "before", "middle", got "after"')
equal(message(tenant.fault, { status = 500, times = 0 }), "tenant.fault: option 'times': expected at least 1, got 0")
equal(message(tenant.fault, { status = 500, every = 0 }), "a fault happens to every first request or later, not 0")
equal(message(tenant.fault, { probability = 2.0 }), "a fault's probability must be from 0 to 1, not 2.0")
equal(message(tenant.fault, { probability = 0.5, every = 2 }),
  "tenant.fault: options 'every' and 'probability': expected only one of them")
equal(message(tenant.fault, { seed = 2 }), "tenant.fault: option 'seed': expected the option 'probability' with it")
equal(message(tenant.fault, { reset = true }),
  "tenant.fault: option 'reset': expected the option 'drop' with it")
equal(message(tenant.configure, { task_rate = -1 }),
  "the task API's rate must be from 1 to 1000000 requests a second, not -1")
equal(message(tenant.configure, { tasks_dialect = "php" }),
  "tenant.configure: option 'tasks_dialect': expected one of \"dotnet\", \"node\", got \"php\"")
equal(message(tenant.fault, { delay = -1 }), "tenant.fault: option 'delay': expected zero or more seconds, got -1.0")
equal(message(tenant.users.add, { username = "x" }),
  "tenant.users.add: option 'password' is missing: expected a string or secret")
equal(message(function() tenant.url = "x" end), "b2c.tenant is read-only: cannot set 'url'")
equal(message(function() tenant.users.add = nil end), "b2c.tenant.users is read-only: cannot set 'add'")
equal(tenant.no_such_thing, nil)
local names = {}
for name in pairs(tenant) do names[name] = true end
assert(names.url and names.users and names.fault)
