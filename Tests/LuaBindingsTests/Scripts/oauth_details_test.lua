-- Rich authorization requests (RFC 9396).

local b2c = require "b2c"
local oauth, tenant = b2c.oauth, b2c.tenant
local support = require "support"
local equal, failure = support.equal, support.failure
local reading = { { type = "task_list", actions = { "read" } } }

--- The warnings of the console while a function runs.
local function warnings(f, ...)
  local path = b2c.args.console
  local before = #assert(io.open(path)):read "a"
  f(...)
  return assert(io.open(path)):read "a":sub(before + 1)
end

-- The granted details come back, and the task API obeys them.
local answer
local function sign_in(options)
  options.flow = options.flow or function(ctx)
    answer = oauth.flow "authorization_code"(ctx)
    return answer
  end
  return support.sign_in(options)
end
local alice = sign_in { authorization_details = reading }
equal(answer.authorization_details[1].type, "task_list")
equal(table.concat(answer.authorization_details[1].actions, " "), "read")
equal(answer.authorization_details[1].lists[1], "tasks")
local function may_not_write(account)
  equal(#b2c.tasks.list { account = account }, 0)
  local e = failure(b2c.tasks.add, "no", { account = account })
  assert(e.message:find "lack the action write", e.message)
end
may_not_write(alice)
alice:refresh()
may_not_write(alice)

-- JSON text, a pushed request, and scopes without an API
may_not_write(sign_in {
  authorization_details = '[{"type":"task_list","actions":["read"]}]', par = true, scopes = { "openid" }, account_type = "json",
})
may_not_write(sign_in { authorization_details = reading, flow = "password", account_type = "password" })

may_not_write(support.sign_in { authorization_details = reading, flow = "device_code", account_type = "device" })

-- A refresh may ask for less.
sign_in { authorization_details = { { type = "task_list", actions = { "read", "write" } } }, account_type = "less" }
local less = oauth.token {
  grant_type = "refresh_token", refresh_token = answer.refresh_token, authorization_details = reading,
}
equal(table.concat(less.authorization_details[1].actions, " "), "read")

-- Wrong answers of the provider
tenant.fault { authorization_details = "missing" }
local e = failure(support.sign_in, { authorization_details = reading })
equal(e.code, "missing_authorization_details")
equal(e.message,
  "the provider gave an access token without authorization_details, which the request had (RFC 9396, 7)")
tenant.fault { authorization_details = "more" }
local told = warnings(support.sign_in, { authorization_details = reading })
assert(told:find('the provider granted more than the request asked: the type "account_information"', 1, true), told)
e = failure(support.sign_in, { authorization_details = { { type = "payment" } } })
equal(e.code, "invalid_authorization_details")
assert(e.message:find "the type 'payment' is unknown", e.message)

-- Wrong options
local option = "option 'authorization_details': "
local form = option .. "expected a list of objects with a type (RFC 9396, 2), got "
for wrong, message in pairs {
  ['{"type":"a"}'] = form .. "one object", ["[]"] = form .. "an empty list", ["[1]"] = form .. "1 as element 1",
  ['[{"type":"a"},{}]'] = option .. "element 2 has no type (RFC 9396, 2)",
} do
  equal(failure(oauth.authorize_url, { authorization_details = wrong }).message, "oauth.authorize_url: " .. message)
end
assert(failure(oauth.par, { authorization_details = "x" }).message:find("oauth.par: " .. option .. "the text is no JSON", 1, true))
equal(failure(oauth.token, { grant_type = "x", authorization_details = { type = "a" } }).message, "oauth.token: " .. form .. "one object")
e = failure(oauth.authorize_url, { authorization_details = reading, parameters = { authorization_details = "[]" } })
equal(e.code, "invalid_parameter")
