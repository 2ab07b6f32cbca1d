-- Handlers of on_failed help a sign-in continue after any failure.

local b2c = require "b2c"
local accounts, tenant = b2c.accounts, b2c.tenant
local support = require "support"
local equal, failure = support.equal, support.failure

local function cancel(page) page:submit "Cancel" end
local function forget(page) page:follow "Forgot your password?" end

--- Fills the page in as alice, who takes another password where she may.
local function fill(page)
  local has = {}
  for _, form in ipairs(page.forms) do
    for _, field in ipairs(form.fields) do has[field.name] = true end
  end
  if has.verificationCode then
    page:fill("verificationCode", tenant.outbox()[#tenant.outbox()].code)
  elseif has.newPassword then
    page:fill("newPassword", "Wonderland-2")
    page:fill("reenterPassword", "Wonderland-2")
  else
    page:fill("logonIdentifier", "alice")
    if has.password then page:fill("password", "Wonderland-1") end
  end
  page:submit()
end

-- Signs in with one answer for each failed attempt. Returns the result, the failures that both subscribers heard, and the success.
local function attempts(answers, options)
  local heard, also = {}, {}
  local first <close> = accounts.on_failed(function(told)
    table.insert(heard, told.attempt .. ":" .. told.error.code)
    return answers[told.attempt]
  end)
  local second <close> = accounts.on_failed(function(told)
    table.insert(also, told.attempt .. ":" .. told.error.code)
  end)
  local ok, result = pcall(support.sign_in, options)
  equal(table.concat(also, " "), table.concat(heard, " "))
  return result, table.concat(heard, " "), ok
end

-- Cancelled, then not.
do
  local alice, heard = attempts({ { on_page = fill } }, { on_page = cancel })
  equal(alice.name, "Alice Liddell")
  equal(heard, "1:AADB2C90091")
  accounts.sign_out(alice)
end

-- Cancelled for good: the handler has nothing to offer.
do
  local e, heard, ok = attempts({}, { on_page = cancel })
  assert(not ok)
  equal(e.code, "AADB2C90091")
  equal(heard, "1:AADB2C90091")
  equal(#accounts.all(), 0)
end

-- The one after the other: wrong password, cancelled, forgot the password, on to the policy for that.
do
  local answers = { { on_page = cancel }, { on_page = forget }, { policy = "reset", on_page = fill } }
  local alice, heard = attempts(answers, { password = "Wrong-Password-1" })
  equal(alice.name, "Alice Liddell")
  equal(alice.policy, "b2c_1_reset")
  equal(heard, "1:AADB2C90225 2:AADB2C90091 3:AADB2C90118")
  accounts.sign_out(alice)
  equal(failure(support.sign_in).code, "AADB2C90225")
  alice = support.sign_in { password = "Wonderland-2" }
  accounts.sign_out(alice)
end

-- Five attempts in all, each failure told once, the last one raised.
do
  local answers = { { on_page = cancel }, { on_page = forget }, { on_page = cancel }, { on_page = forget }, {} }
  local e, heard, ok = attempts(answers, { on_page = forget })
  assert(not ok)
  equal(heard, "1:AADB2C90118 2:AADB2C90091 3:AADB2C90118 4:AADB2C90091 5:AADB2C90118")
  equal(e.code, "AADB2C90118")
end
