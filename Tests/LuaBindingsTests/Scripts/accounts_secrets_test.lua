-- A token prints as [secret], wherever it goes.

local b2c = require "b2c"
local accounts, json, log, settings = b2c.accounts, b2c.json, b2c.log, b2c.settings
local support = require "support"
local equal, message = support.equal, support.message

local alice = support.sign_in()
local token = alice:token()
local bytes = token:reveal()
assert(#bytes > 100 and bytes:find("^eyJ"))

equal(tostring(token), "[secret]")
equal(("%s"):format(token), "[secret]")
equal(table.concat({ tostring(token) }), "[secret]")
assert(message(function() return "Bearer " .. token end):find("attempt to concatenate"))
assert(not message(function() return "Bearer " .. token end):find(bytes, 1, true))
assert(message(json.encode, { token = token }):find("value.token is a secret", 1, true))
log.debug("not shown", { token = token })

-- Nor does it get out by an error, even one that was revealed before.
local echo = b2c.args.echo
local e = support.failure(b2c.http.get, echo .. "/" .. bytes, { headers = { bad = "a\nb" } })
assert(not tostring(e):find(bytes, 1, true))
assert(not tostring(e.traceback):find(bytes, 1, true))
e = support.failure(settings.with, { taskAPI = bytes })
assert(e.message:find("[secret]", 1, true), e.message)
assert(not e.message:find(bytes, 1, true))
e = support.failure(accounts.find, { [bytes] = 1 })
assert(e.message:find("[secret]", 1, true), e.message)
e = support.failure(support.sign_in, { flow = function() error("the token is " .. bytes) end })
equal(tostring(e), "accounts_secrets_test.lua:31: the token is [secret]")

-- Passwords and client secrets are secrets too.
local web = settings.with { clientSecret = "a long client secret" }
equal(tostring(web.clientSecret), "[secret]")

-- The host does not hide a script's own text in messages, so that messages stay complete.
e = support.failure(settings.with, { taskAPI = "a long client secret" })
assert(e.message:find("a long client secret", 1, true), e.message)
pcall(b2c.oauth.decode, "; touch pwned")
e = support.failure(settings.with, { taskAPI = "; touch pwned" })
assert(e.message:find("; touch pwned", 1, true), e.message)

-- A secret is taken wherever a string with a secret in it is.
equal(b2c.http.get(echo, { headers = { ["X-Token"] = token } }).json().headers["x-token"], bytes)
equal(b2c.http.post(echo, { form = { token = token } }).json().body, "token=" .. bytes)
equal(select(2, b2c.oauth.decode(token)).oid, alice.claims.oid)

equal(message(function() token.value = 1 end), "secret.value cannot be set")
equal(token.value, nil)
equal(getmetatable(token), false)
equal(message(token.reveal), "secret:reveal: expected a secret, got nothing")
