-- A flow that renews the tokens of its accounts itself.

local b2c = require "b2c"
local accounts, oauth, tenant = b2c.accounts, b2c.oauth, b2c.tenant
local support = require "support"
local equal, failure, sign_in = support.equal, support.failure, support.sign_in

local calls = 0
local function sign_in_again(ctx)
  return oauth.token {
    grant_type = "password", policy = "ropc", username = "alice", password = "Wonderland-1",
    scopes = ctx.options.scopes,
  }
end
local function refresh(ctx)
  calls = calls + 1
  equal(ctx.options.subject, accounts.current().claims.sub)
  return oauth.token {
    grant_type = "refresh_token", policy = ctx.policy, refresh_token = ctx.options.refresh_token,
    scopes = ctx.options.scopes,
  }
end

-- A function without a name: its run has it.
local account = sign_in { flow = { sign_in = sign_in_again, refresh = refresh }, policy = "ropc" }
local before = account:token():reveal()
equal(account:refresh():reveal() == before, false)
equal(calls, 1)
b2c.tasks.add "Buy milk"

-- One refresh at a time, whoever asks
local tokens = b2c.async.all {
  function() return account:refresh() end,
  function() return account:refresh() end,
}
equal(calls, 2)
equal(tokens[1]:reveal(), tokens[2]:reveal())

-- By the flow's result, without a refresh token
local again = sign_in {
  account_type = "result", policy = "ropc",
  flow = function(ctx)
    local made = sign_in_again(ctx)
    made.refresh_token = nil
    made.refresh = function(inner)
      equal(inner.options.refresh_token, nil)
      calls = calls + 1
      return sign_in_again(inner)
    end
    return made
  end,
}
equal(again:can_refresh(), true)
again:refresh()
equal(calls, 3)

-- A named flow, which other runs find by its name
equal(failure(accounts.add_flow, "password", sign_in_again).code, "invalid_argument")
equal(failure(accounts.add_flow, "own", {}).code, "invalid_argument")
accounts.add_flow("own", { sign_in = sign_in_again, refresh = refresh })
local named = sign_in { flow = "own", policy = "ropc", account_type = "named" }
named:refresh()
equal(calls, 4)
accounts.add_flow("own", sign_in_again)
local e = failure(named.refresh, named)
equal(e.code, "unknown_flow")
equal(e.message:find("by the flow 'own', which has no function refresh in this run", 1, true) ~= nil, true)

-- A flow must not wait for itself.
accounts.add_flow("own", { sign_in = sign_in_again, refresh = function() return named:refresh() end })
equal(failure(named.refresh, named).code, "refresh_busy")
accounts.add_flow("own", { sign_in = sign_in_again, refresh = function() return 7 end })
equal(failure(named.refresh, named).code, "invalid_flow")

-- A user who was signed out at the provider is signed out here, as by any refresh.
accounts.add_flow("own", { sign_in = sign_in_again, refresh = function() error { code = "invalid_grant", message = "gone" } end })
equal(failure(named.refresh, named).code, "invalid_grant")
equal(accounts.find { id = named.id }, nil)

-- The tokens of another user are refused.
local other = sign_in { policy = "ropc", flow = {
  sign_in = sign_in_again,
  refresh = function(ctx)
    return oauth.token {
      grant_type = "password", policy = "ropc", username = "bob", password = "Skyscraper-2", scopes = ctx.options.scopes,
    }
  end,
} }
equal(failure(other.refresh, other).code, "subject_mismatch")
equal(failure(sign_in, { flow = { refresh = refresh } }).code, "invalid_argument")
equal(failure(sign_in, { flow = { sign_in = sign_in_again, refrsh = refresh } }).hint, "did you mean 'refresh'?")

-- A script that names a flow gets the refresh token for oauth.token, and cannot read it or send it elsewhere.
accounts.add_flow("curious", {
  sign_in = sign_in_again,
  refresh = function(ctx)
    local token = ctx.options.refresh_token
    equal(tostring(token), "[secret]")
    equal(pcall(function() return token:reveal() end), false)
    equal(pcall(b2c.http.post, b2c.settings.taskAPI, { form = { token = token } }), false)
    return refresh(ctx)
  end,
})
local curious = sign_in { flow = "curious", policy = "ropc", account_type = "curious" }
curious:refresh()
