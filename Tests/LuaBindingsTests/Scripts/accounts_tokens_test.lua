-- Tokens are refreshed once for all callers. This script tests failures as well.

local b2c = require "b2c"
local accounts, async, tasks, tenant = b2c.accounts, b2c.async, b2c.tasks, b2c.tenant
local support = require "support"
local equal, failure = support.equal, support.failure

local function refreshes() return support.count("POST", "/token") end
local function ten(f) return async.map({ 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 }, { limit = 10 }, f) end

--- The stock flow, its tokens changed.
local function changing(change)
  return function(ctx)
    local url = b2c.oauth.authorize_url { scopes = ctx.options.scopes, nonce = "n" }
    local redirect = b2c.browser.open(url, { agent = ctx.agent })
    local tokens = b2c.oauth.token {
      grant_type = "authorization_code", code = b2c.oauth.redirect(redirect).code, redirect_uri = ctx.settings.redirectURL,
    }
    change(tokens)
    return tokens
  end
end

-- A token that is good is not refreshed.
local alice = support.sign_in()
local before = refreshes()
local tokens = ten(function() return alice:token():reveal() end)
for _, token in ipairs(tokens) do equal(token, tokens[1]) end
equal(refreshes(), before)

-- One that is due is, once for all coroutines.
local due = support.sign_in { account_type = "due", flow = changing(function(t) t.expires_in = 0 end) }
before = refreshes()
do
  local heard <close> = support.listen()
  tokens = ten(function() return due:token():reveal() end)
  for _, token in ipairs(tokens) do equal(token, tokens[1]) end
  equal(refreshes(), before + 1)
  equal(heard.text(), "updated:refresh")
end
assert(due.expires_at > os.time() + 3000)

-- refresh: now.
local old = alice:token():reveal()
local new = alice:refresh():reveal()
assert(old ~= new)
equal(alice:token():reveal(), new)

-- After 401 from the task API, one refresh serves all requests, and the script sees no error.
accounts.use(alice)
tenant.advance(3700)
before = refreshes()
do
  local heard <close> = support.listen()
  ten(function(n) tasks.add("task " .. n) end)
  equal(refreshes(), before + 1)
  equal(heard.text(), "updated:refresh")
end
equal(#tenant.tasks("alice"), 10)

-- The same when the tenant's keys have changed twice, and for account:request.
tenant.rotate_keys()
tenant.rotate_keys()
before = refreshes()
equal(#alice:request({ url = tenant.url .. "/api/tasks" }).json(), 10)
equal(refreshes(), before + 1)

-- The provider cannot be reached: each time it is told, and the account stays.
do
  local heard <close> = support.listen()
  tenant.fault { path = "*/token", status = 503, times = 3 } -- it is asked three times
  local e = failure(alice.refresh, alice)
  equal(e.status, 503)
  assert(e.retryable)
  equal(heard.text(), "failed:refresh:1")
  assert(heard[1].account == alice)
  equal(heard[1].error.status, 503)
  equal(heard[1].policy, alice.policy)
  assert(alice:refresh())
end

-- No refresh token: a 401 is told once, however often the token is asked for.
do
  local short = support.sign_in { account_type = "short", scopes = { "openid", b2c.settings.clientID } }
  tenant.advance(3700)
  local heard <close> = support.listen()
  for _ = 1, 3 do equal(failure(tasks.list, { account = short }).code, "sign_in_required") end
  ten(function() failure(tasks.list, { account = short }) end)
  equal(heard.text(), "failed:refresh:1")
  assert(heard[1].account == short)
  equal(heard[1].error.message,
    "the account Alice Liddell has an access token that is no longer good, and no refresh token")
  accounts.sign_out(short)
end

-- The user is gone: told once, and the account goes too.
do
  tenant.users.add { username = "carol", password = "Wonderland-1", display_name = "Carol" }
  local carol = support.sign_in { username = "carol" }
  tenant.users.remove("carol")
  local heard <close> = support.listen()
  local codes = ten(function() return failure(carol.refresh, carol).code end)
  equal(heard.text(), "failed:refresh:1 removed:revoked")
  equal(heard[1].error.code, "AADB2C90128")
  assert(heard[1].account == carol and heard[2].account == carol)
  equal(codes[1], "AADB2C90128")
  equal(accounts.find { name = "Carol" }, nil)
  equal(failure(carol.token, carol).code, "sign_in_required")
  equal(heard.text(), "failed:refresh:1 removed:revoked")
end

-- If another client has used a refresh token, the provider revokes the token and all its successors.
do
  local stolen
  local thief = support.sign_in { account_type = "stolen", flow = changing(function(t) stolen = t.refresh_token end) }
  local function replay() return b2c.oauth.token { grant_type = "refresh_token", refresh_token = stolen } end
  assert(replay().access_token)
  local heard <close> = support.listen()
  local e = failure(thief.refresh, thief)
  equal(e.code, "AADB2C90129")
  equal(heard.text(), "failed:refresh:1 removed:revoked")
  equal(failure(replay).code, "AADB2C90129")
end

-- Who is canceled while a refresh is under way does not take the new token along.
do
  tenant.fault { path = "*/token", delay = 0.05 }
  equal(failure(async.timeout, 0.001, function() alice:refresh() end).code, "timeout")
  before = refreshes()
  assert(alice:token())
  assert(alice:refresh())
end
