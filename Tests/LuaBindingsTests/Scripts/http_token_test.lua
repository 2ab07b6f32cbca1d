-- A token goes only to the task API's origin, unless the script says whose goes where.

local b2c = require "b2c"
local accounts, http, tenant = b2c.accounts, b2c.http, b2c.tenant
local support = require "support"
local equal, failure = support.equal, support.failure
local echo = b2c.args.echo
local api = tenant.url .. "/api/tasks"

equal(failure(http.get, api).status, 401)
local bob = support.sign_in { username = "bob", password = "Skyscraper-2" }
local alice = support.sign_in()
b2c.tasks.add("alice's")
b2c.tasks.add("bob's", { account = bob })

-- To its origin: that of the current account, or of the one that is named
equal(http.get(api).json()[1].Text, "alice's")
equal(http.get(api, { account = bob }).json()[1].Text, "bob's")

-- To another origin: none, even if it is only another name or port of the same machine
local function sent(url, options) return http.get(url, options).json().headers.authorization end
equal(sent(echo), nil)
equal(failure(http.get, (api:gsub("127.0.0.1", "localhost"))).status, 401)
equal(sent(echo, { account = alice }), "Bearer " .. alice:token():reveal())

-- No part of it is in an error, however the server repeats it.
tenant.fault { path = "/repeats", status = 400, body = "you sent " .. alice:token():reveal() }
local e = failure(http.get, tenant.url .. "/repeats")
equal(e.message, "http.get: GET " .. tenant.url .. "/repeats answered 400: you sent [secret]")
equal(e.details.body, "you sent [secret]")

-- A header field of the script's own stays as it is.
equal(sent(echo, { headers = { Authorization = "Basic eA==" } }), "Basic eA==")
equal(failure(http.get, api, { headers = { Authorization = "Bearer mine" } }).status, 401)

equal(sent(echo, { account = alice, headers = { Authorization = "Basic eA==" } }), "Basic eA==")
equal(alice:request({ url = echo, headers = { authorization = "Basic eA==" } }).json().headers.authorization, "Basic eA==")

-- The word before the token is that of the settings the account signed in with, or of its flow.
local odd = support.sign_in { settings = b2c.settings.with { tokenType = "bearer" }, account_type = "odd" }
equal(odd:request({ url = echo }).json().headers.authorization, "bearer " .. odd:token():reveal())
equal(sent(echo, { account = alice }), "Bearer " .. alice:token():reveal())
accounts.sign_out(odd)
accounts.use(alice)

-- On a redirect to another origin it stays behind, also where the account was named.
tenant.fault { path = "/away", status = 307, headers = { Location = echo .. "/there" }, times = 3 }
local answer = http.get(tenant.url .. "/away").json()
equal(answer.target, "/there")
equal(answer.headers.authorization, nil)
equal(http.get(tenant.url .. "/away", { account = alice }).json().headers.authorization, nil)
equal(alice:request({ url = tenant.url .. "/away" }).json().headers.authorization, nil)

-- After a 401 the request is sent once more, with a fresh token.
tenant.advance(3700)
local before = support.count("POST", "/token")
equal(http.post(api, { form = { Text = "late" } }).status, 201)
equal(support.count("POST", "/token"), before + 1)
equal(#tenant.tasks("alice"), 2)

-- Nobody is signed in: no token, and no error of ours.
accounts.sign_out(alice)
accounts.sign_out(bob)
equal(failure(http.get, api).status, 401)
