-- The users a new tenant has, signed in without a page.

local b2c = require "b2c"
local accounts, tasks, tenant = b2c.accounts, b2c.tasks, b2c.tenant
local support = require "support"
local equal, failure, message = support.equal, support.failure, support.message

assert(tenant.is_running())
local alice = tenant.sign_in()
equal(alice.name, "Alice Liddell")
equal(accounts.current(), alice)
tasks.add "Feed the white rabbit"
local console <close> = assert(io.open(b2c.args.console))
assert(console:read "a":find("info  signed in as alice, a user of the local tenant", 1, true))

-- Whoever is signed in stays, unless another is asked for.
local before = support.count("POST", "/token")
equal(tenant.sign_in(), alice)
equal(support.count("POST", "/token"), before)
equal(tenant.sign_in("bob").name, "Bob Baumeister")
equal(tenant.sign_in().name, "Bob Baumeister")
equal(tenant.sign_in("alice"), alice)

-- Somebody who is not there
equal(message(tenant.sign_in, "alic"), 'tenant.sign_in: argument 1: expected one of alice, bob, got "alic"')
equal(failure(tenant.sign_in, "alic").hint, "did you mean 'alice'?")
