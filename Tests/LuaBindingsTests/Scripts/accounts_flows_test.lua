-- Flows: a stock one by its name, or a function.

local b2c = require "b2c"
local accounts, browser, oauth, settings = b2c.accounts, b2c.browser, b2c.oauth, b2c.settings
local support = require "support"
local equal, failure, message = support.equal, support.failure, support.message

-- All building blocks, as the stock flow uses them and more.
local seen
local alice = support.sign_in {
  policy = "B2C_1_SUSI",
  login_hint = "alice",
  parameters = { my_parameter = "mine" },
  flow = function(ctx)
    seen = ctx
    local pkce, state, nonce = oauth.pkce(), oauth.random(), oauth.random()
    local url = oauth.authorize_url {
      policy = ctx.policy, scopes = ctx.options.scopes, state = state, nonce = nonce, pkce = pkce,
      login_hint = ctx.options.login_hint, parameters = ctx.options.parameters,
    }
    assert(url:find("my_parameter=mine", 1, true))
    local answer = oauth.redirect(browser.open(url, { agent = ctx.agent }), { state = state })
    local tokens = oauth.token {
      grant_type = "authorization_code", policy = ctx.policy, code = answer.code,
      redirect_uri = ctx.settings.redirectURL, code_verifier = pkce.verifier,
    }
    local claims = oauth.verify(tokens.id_token, { nonce = nonce, policy = ctx.policy })
    equal(claims.nonce, nonce)
    return tokens
  end,
}
equal(alice.name, "Alice Liddell")
equal(alice.policy, "B2C_1_SUSI")

-- The context that a flow gets, and the values that it does not contain.
equal(seen.policy, "B2C_1_SUSI")
equal(seen.settings.clientID, settings.clientID)
equal(tostring(seen.agent), "agent headless")
equal(seen.options.login_hint, "alice")
equal(table.concat(seen.options.scopes, " "), table.concat(settings.scopes, " "))
for _, name in ipairs { "flow", "agent", "settings" } do equal(seen.options[name], nil) end
equal(seen.options.username, "alice")
equal(tostring(seen.options.password), "[secret]")

-- A stock flow takes the options of sign_in, and other settings.
local read = "https://contoso.onmicrosoft.com/tasks/read"
local reader = support.sign_in { flow = "authorization_code", account_type = "reader", scopes = { "openid", read } }
equal(reader.scopes[2], read)
local web = settings.with {
  clientID = "b7d2e8c1-93f4-4a6d-8e05-27c9f1a4d36b", clientSecret = "local-secret-of-the-web-app",
}
equal(support.sign_in({ settings = web, account_type = "web" }).claims.aud, web.clientID)
local other = web.with { clientSecret = "not-the-secret-of-the-web-app" }
equal(failure(support.sign_in, { settings = other }).details.error, "invalid_client")
equal(failure(support.sign_in, { prompt = "none" }).code, "AADB2C90077")

-- A flow calls functions of its own, and coroutines.
local nested = support.sign_in {
  account_type = "nested",
  settings = web,
  flow = function(ctx)
    local url
    for part in coroutine.wrap(function() coroutine.yield(oauth.authorize_url { nonce = "n" }) end) do url = part end
    assert(url:find(web.clientID, 1, true), "the building blocks use the settings of the sign-in")
    local code = b2c.async.all {
      function() return oauth.redirect(browser.open(url, { agent = ctx.agent })).code end,
    }[1]
    return oauth.token { grant_type = "authorization_code", code = code, redirect_uri = ctx.settings.redirectURL }
  end,
}
equal(nested.claims.aud, web.clientID)

-- Each account is refreshed by the settings it signed in with, also inside a flow of others.
assert(nested:refresh())
support.sign_in {
  account_type = "inside",
  settings = web,
  flow = function(ctx)
    assert(alice:refresh())
    local redirect = browser.open(oauth.authorize_url {}, { agent = ctx.agent })
    return oauth.token {
      grant_type = "authorization_code", code = oauth.redirect(redirect).code, redirect_uri = ctx.settings.redirectURL,
    }
  end,
}

-- The host checks each flow's result.
local function flow(f) return failure(support.sign_in, { flow = f }) end
equal(flow(function() end).code, "invalid_flow")
equal(flow(function() end).message, "the flow returned nothing, expected the token response of oauth.token")
equal(flow(function() return "token" end).message,
  "the flow returned a string, expected the token response of oauth.token")
equal(flow(function() return {} end).code, "missing_id_token")
equal(flow(function() return { id_token = "rubbish", access_token = "x" } end).code, "malformed_token")
local function tokens(ctx, nonce)
  local url = oauth.authorize_url { nonce = nonce }
  return oauth.token {
    grant_type = "authorization_code", code = oauth.redirect(browser.open(url, { agent = ctx.agent })).code,
    redirect_uri = ctx.settings.redirectURL,
  }
end
local e = flow(function(ctx)
  local first = tokens(ctx, "first")
  oauth.authorize_url { nonce = "second" }
  return first
end)
equal(e.code, "nonce_mismatch")
e = flow(function(ctx)
  local one, two = tokens(ctx, "one"), tokens(ctx, "one")
  one.access_token = two.access_token
  return one
end)
equal(e.code, "hash_mismatch")

-- A flow that fails, fails the sign-in with its own error.
local mine = setmetatable({}, { __tostring = function() return "my own error" end })
assert(flow(function() error(mine) end) == mine)
assert(flow(function() local x; return x.y end).message:find("attempt to index a nil value"))

-- One that does not exist.
e = failure(support.sign_in, { flow = "autorization_code" })
equal(e.code, "unknown_flow")
equal(e.message, "there is no flow named 'autorization_code'")
equal(e.hint, "did you mean 'authorization_code'?")
equal(failure(support.sign_in, { flow = "../examples/quickstart" }).code, "unknown_flow")
equal(message(support.sign_in, { flow = 5 }),
  "accounts.sign_in: option 'flow': expected a string, function or table, got number")
