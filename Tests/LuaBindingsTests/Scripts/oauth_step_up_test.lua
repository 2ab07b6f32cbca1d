-- Step-up (RFC 9470): a resource demands another sign-in, and the sign-in is checked against the demand.

local b2c = require "b2c"
local http, tenant = b2c.http, b2c.tenant
local support = require "support"
local equal, failure = support.equal, support.failure
local api = tenant.url .. "/api/tasks"

tenant.users.add { username = "dora", password = "Labyrinth-3", phone = "+15550103" }
local function sign_in(options)
  options.username, options.password, options.session = "dora", "Labyrinth-3", "one"
  options.otp = function() return tenant.outbox()[#tenant.outbox()].code end
  return support.sign_in(options)
end

local account = sign_in {}
local token = account:token():reveal()
tenant.require_step_up { acr_values = "mfa", method = "POST" }
equal(#b2c.tasks.list(), 0)

-- The demand is an error with its parameters, and no reason for a refresh.
local e = failure(b2c.tasks.add, "Buy milk")
equal(e.code, "insufficient_user_authentication")
equal(e.details.acr_values, "mfa")
equal(e.details.max_age, nil)
equal(e.message:find("another sign-in is needed (acr_values mfa)", 1, true) ~= nil, true)
e = failure(http.post, api, { json = { Text = "Buy milk" } })
equal(e.code, "insufficient_user_authentication")
equal(e.details.acr_values, "mfa")
equal(e.status, 401)
equal(http.post(api, { json = { Text = "Buy milk" }, raise = false }).status, 401)
equal(account:token():reveal(), token)
local rows = { "Buy milk" }
e = failure(b2c.tasks.import, function() return table.remove(rows) end, { progress = "none" })
equal(e.code, "stopped")
equal(e.details.cause, "insufficient_user_authentication")

-- The sign-in for the demand
account = sign_in { account = account, for_challenge = e }
equal(account.claims.acr, "mfa")
b2c.tasks.add "Buy milk"

-- An age
tenant.advance(600)
tenant.require_step_up { max_age = 300 }
e = failure(b2c.tasks.list)
equal(e.details.max_age, "300")
account:refresh()
equal(failure(b2c.tasks.list).code, "insufficient_user_authentication")
sign_in { account = account, for_challenge = e }
equal(#b2c.tasks.list(), 1)

-- A sign-in that is not what was demanded
tenant.require_step_up { acr_values = "hardware" }
e = failure(b2c.tasks.list)
local problem = failure(sign_in, { account = account, for_challenge = e })
equal(problem.code, "authentication_class_mismatch")
equal(problem.details.expected, '"hardware"')
equal(failure(support.sign_in, { for_challenge = e, flow = "password" }).code, "authentication_class_mismatch")

-- Another error is no demand.
problem = failure(sign_in, { for_challenge = failure(http.get, tenant.url .. "/nowhere") })
equal(problem.code, "invalid_argument")
equal(problem.option, "for_challenge")

tenant.require_step_up {}
equal(#b2c.tasks.list(), 1)
