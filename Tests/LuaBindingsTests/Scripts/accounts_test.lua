-- Signing in and out, finding accounts, their data.

local b2c = require "b2c"
local accounts, tenant, oauth = b2c.accounts, b2c.tenant, b2c.oauth
local support = require "support"
local equal, failure, message = support.equal, support.failure, support.message

-- Nobody.
equal(#accounts.all(), 0)
equal(accounts.current(), nil)
equal(accounts.find { name = "alice" }, nil)

-- Alice.
local alice = support.sign_in()
equal(alice.name, "Alice Liddell")
equal(alice.account_type, "B2C_Local_Tasks")
equal(alice.claims.emails[1], "alice@contoso.example")
assert(alice.claims.iss:find(tenant.url, 1, true))
equal(alice.id, accounts.current().id)
assert(accounts.current() == alice, "one account is one value")
assert(math.type(alice.expires_at) == "integer")
assert(alice.expires_at > os.time() + 3000 and alice.expires_at <= os.time() + 3600)
equal(table.concat(alice.scopes, " "), table.concat(b2c.settings.scopes, " "))
equal(tostring(alice), "account Alice Liddell")
equal(select(2, oauth.decode(alice:token())).oid, alice.claims.oid)

-- Again: the same account. As another type: another one.
assert(support.sign_in() == alice)
local other = support.sign_in { account_type = "second" }
assert(other ~= alice and other.id ~= alice.id)
equal(other.claims.sub, alice.claims.sub)

-- Bob.
local bob = support.sign_in { username = "bob", password = "Skyscraper-2", policy = "B2C_1_SUSI" }
equal(bob.name, "Bob Baumeister")
equal(bob.policy, "B2C_1_SUSI")
equal(#accounts.all(), 3)
assert(accounts.current() == bob)
accounts.use(alice)
assert(accounts.current() == alice)
assert(accounts.find { name = "Bob Baumeister" } == bob)
assert(accounts.find { id = bob.id } == bob)
assert(accounts.find { account_type = "second" } == other)
assert(accounts.find { account_type = "second", name = "Bob Baumeister" } == nil)

-- A script's own data.
equal(next(alice.data), nil)
alice.data.last_import = "2019-09-17"
alice.data.counts = { 1, 2.5 }
alice:save()
equal(alice.data.last_import, "2019-09-17")
equal(alice.data.counts[2], 2.5)
equal(support.sign_in().data.last_import, "2019-09-17")
alice.data = { color = "blue" }
alice:save()
equal(alice.data.last_import, nil)
alice.data.f = print
equal(message(alice.save, alice), "account.data.f is a function, which JSON has nothing for")
alice.data.f = nil

-- These uses of an account are errors.
equal(message(function() alice.name = "x" end), "account.name cannot be set")
equal(message(function() alice.data = 5 end), "account.data: expected a table, got number")
equal(message(function() alice.token() end), "account:token: expected an account, got nothing")
equal(failure(function() alice.token() end).hint, "call it with a colon: account:token()")

-- account:request sends the token along, wherever the script wants.
local echo = b2c.args.echo
local answer = alice:request { url = echo .. "/me", method = "put", json = { a = 1 } }.json()
equal(answer.method, "PUT")
equal(answer.headers.authorization, "Bearer " .. alice:token():reveal())
equal(#alice:request({ url = tenant.url .. "/api/tasks" }).json(), 0)
equal(failure(alice.request, alice, { url = tenant.url .. "/api/tasks/99" }).status, 404)
equal(message(alice.request, alice, { account = alice, url = echo }), "account:request: unknown option 'account'")

-- Signing out.
accounts.sign_out(bob)
equal(#accounts.all(), 2)
equal(failure(bob.token, bob).code, "sign_in_required")
equal(message(bob.token, bob), "the account Bob Baumeister is signed out")
accounts.sign_out(bob)
accounts.sign_out(other, { everywhere = true })
equal(support.count("GET", "/logout"), 1)
accounts.sign_out(alice)
equal(accounts.current(), nil)

-- Wrong use.
local sign_in = accounts.sign_in
equal(message(sign_in, { agnet = "headless" }), "accounts.sign_in: unknown option 'agnet'")
equal(failure(sign_in, { agnet = "headless" }).hint, "did you mean 'agent'?")
equal(message(sign_in, { agent = "netscape" }),
  'accounts.sign_in: option \'agent\': expected one of "system", "terminal", "headless", "webview" or agent, got "netscape"')
equal(message(sign_in, { timeout = 0 }), "accounts.sign_in: option 'timeout': expected seconds above zero, got 0.0")
equal(message(sign_in, { scopes = { 1 } }),
  "accounts.sign_in: option 'scopes': expected a list of strings, got a number in it")
equal(message(accounts.sign_out), "accounts.sign_out: argument 1: expected an account, got nothing")
equal(message(accounts.sign_out, "alice"), "accounts.sign_out: argument 1: expected an account, got string")
