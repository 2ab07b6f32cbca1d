-- Who subscribed hears everything once, and may help a sign-in on.

local b2c = require "b2c"
local accounts, async, tenant = b2c.accounts, b2c.async, b2c.tenant
local support = require "support"
local equal, failure, message = support.equal, support.failure, support.message

-- added, updated, removed
do
  local heard <close> = support.listen()
  local alice = support.sign_in()
  support.sign_in()
  alice.data.x = 1
  alice:save()
  alice:save()
  alice:refresh()
  accounts.sign_out(alice)
  equal(heard.text(), "added:sign_in updated:sign_in updated:user_data updated:refresh removed:sign_out")
  for _, change in ipairs(heard) do assert(change.account == alice) end
end

-- A failure event names the error, its place and the account.
do
  local heard <close> = support.listen()
  local e = failure(support.sign_in, { password = "Wrong-Password-1", account_type = "mine", policy = "b2c_1_susi" })
  equal(heard.text(), "failed:authorize:1")
  local told = heard[1]
  equal(e.code, "AADB2C90225")
  equal(told.error.code, e.code)
  equal(told.error.message, e.message)
  equal(told.policy, "b2c_1_susi")
  equal(told.account_type, "mine")
  equal(told.account, nil)
end

-- The stage.
do
  local heard <close> = support.listen()
  tenant.fault { path = "*/token", status = 503 }
  equal(failure(support.sign_in).status, 503)
  local e = failure(support.sign_in, { flow = function() error("out of order") end })
  assert(e.message == "out of order", e.message)
  equal(heard.text(), "failed:token:1 failed:authorize:1")
  equal(heard[2].error.message, "out of order")
end

-- A handler's options go on where the last attempt failed.
do
  local attempts = {}
  local help <close> = accounts.on_failed(function(told)
    table.insert(attempts, told.attempt)
    if told.error.code == "AADB2C90225" then return { password = "Wonderland-1" } end
  end)
  local heard <close> = support.listen()
  local alice = support.sign_in { password = "Wrong-Password-1", account_type = "kept" }
  equal(alice.account_type, "kept")
  equal(table.concat(attempts, " "), "1")
  equal(heard.text(), "failed:authorize:1 added:sign_in")
  accounts.sign_out(alice)
end

-- Forgot password: on to the policy for that.
do
  local policies = {}
  local help <close> = accounts.on_failed(function(told)
    if told.attempt == 1 then return { policy = "reset", login_hint = "alice" } end
  end)
  local e = failure(support.sign_in, {
    policy = "B2C_1_SUSI",
    settings = b2c.settings.with { policies = { reset = "B2C_1_reset" } },
    flow = function(ctx)
      table.insert(policies, ctx.policy .. ":" .. (ctx.options.login_hint or "none"))
      local forgot = "?error=access_denied&error_description=AADB2C90118%3A+forgot"
      return b2c.oauth.redirect(ctx.settings.redirectURL .. forgot)
    end,
  })
  equal(e.code, "AADB2C90118")
  equal(table.concat(policies, " "), "B2C_1_SUSI:none B2C_1_reset:alice")
end

-- A canceled sign-in is no failure.
do
  local heard <close> = support.listen()
  equal(failure(async.timeout, 0.001, function()
    support.sign_in { flow = function() async.sleep(3600) end }
  end).code, "timeout")
  equal(heard.text(), "")
end

-- At most five attempts, however obstinate the handler.
do
  local n = 0
  local help <close> = accounts.on_failed(function(told)
    n = n + 1
    equal(told.attempt, n)
    return {}
  end)
  equal(failure(support.sign_in, { password = "Wrong-Password-1" }).code, "AADB2C90225")
  equal(n, 5)
end
-- That many wrong passwords have locked the account for a minute.
b2c.tenant.advance(60)

-- The host checks a handler's result like the options of sign_in.
do
  local answer
  local help <close> = accounts.on_failed(function() return answer end)
  local wrong = { password = "Wrong-Password-1" }
  answer = { polcy = "B2C_1_reset" }
  assert(message(support.sign_in, wrong):find("accounts.sign_in: unknown option 'polcy'", 1, true))
  answer = "reset"
  local e = failure(support.sign_in, wrong)
  assert(e.message:find("the handler returned a string, expected sign-in options or nothing", 1, true), e.message)
end

-- An error in a handler is not lost, and the other handlers are still called.
do
  local broken <close> = accounts.on_changed(function() error("cannot take it") end)
  local heard <close> = support.listen()
  local e = failure(support.sign_in)
  assert(e.message:find("a handler of on_changed failed: accounts_events_test.lua:%d+: cannot take it"), e.message)
  equal(heard.text(), "added:sign_in")
  equal(accounts.current().name, "Alice Liddell")
end
accounts.sign_out(accounts.current())

-- Closing: by close, by going out of scope, from within.
do
  local n = 0
  local count = function() n = n + 1 end
  local first = accounts.on_changed(count)
  local alice
  do
    local second <close> = accounts.on_changed(count)
    alice = support.sign_in()
    equal(n, 2)
  end
  alice:refresh()
  equal(n, 3)
  equal(tostring(first), "subscription")
  first:close()
  first:close()
  equal(tostring(first), "subscription (closed)")
  local once
  once = accounts.on_changed(function()
    count()
    once:close()
  end)
  alice:refresh()
  alice:refresh()
  equal(n, 4)
  accounts.sign_out(alice)
end

-- A subscription that is neither closed nor kept stays active.
do
  local n = 0
  accounts.on_changed(function() n = n + 1 end)
  for _ = 1, 100000 do local _ = {} end -- time for the garbage collector
  support.sign_in()
  equal(n, 1)
end

-- Two at once do not mix.
do
  local heard <close> = support.listen()
  local both = async.all {
    function() return support.sign_in { account_type = "together" } end,
    function() return support.sign_in { account_type = "together", username = "bob", password = "Skyscraper-2" } end,
  }
  equal(both[1].name .. ", " .. both[2].name, "Alice Liddell, Bob Baumeister")
  equal(heard.text(), "added:sign_in added:sign_in")
  for _, account in ipairs(both) do accounts.sign_out(account) end
end

-- A handler may sign in itself, as after a token was revoked.
do
  tenant.users.add { username = "erin", password = "Wonderland-1" }
  local erin = support.sign_in { username = "erin" }
  tenant.users.remove("erin")
  local again
  local help <close> = accounts.on_failed(function() again = support.sign_in { account_type = "again" } end)
  equal(failure(erin.refresh, erin).code, "AADB2C90128")
  assert(again:token())
  assert(accounts.current() == again)
  accounts.sign_out(again)
end

-- A handler may wait, and may ask for a token.
do
  local token
  local asking <close> = accounts.on_changed(function(change)
    async.sleep(0)
    if change.kind ~= "removed" then token = change.account:token() end
  end)
  local alice = support.sign_in()
  equal(token:reveal(), alice:token():reveal())
end

equal(message(accounts.on_changed), "accounts.on_changed: argument 1: expected a function, got nothing")
equal(message(accounts.on_failed, {}), "accounts.on_failed: argument 1: expected a function, got table")
